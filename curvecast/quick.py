"""The network of model.py for runs of which few points are known: the same numbers, from a fraction of the arithmetic.

A score is (W_q n) . k, and that is n . (W_q^T k): the weights may be carried to the T keys instead of to all tokens,
of which there are many more. Likewise what a token has found, W_o (a_1 v_1 + .. + a_T v_T), is a mean of W_o v_t.
Shapes: B = curves, T = context points, R = tokens that read, d = width, H = heads.
"""

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.inputs import last_level
from curvecast.model import PFN, Layer


def pays(net: PFN, T: int, Q: int) -> bool:
    """Does the network read as assumed, and is it less arithmetic than in model.py, whose scores cost next to nothing?"""
    c = net.config
    like_ours = c.norm == "pre" and not c.query_sees_itself and net.encoding is None and not net.training
    return like_ours and T * (c.heads + c.width / (T + Q)) < c.width


def read(
    net: PFN, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """As `PFN.read`: what each query has found (B, Q, d), and the level of the curve's last points (B, 1)."""
    if mask is not None:
        x, y = torch.where(mask, x, 1.0), torch.where(mask, y, 0.0)
    level, T = last_level(x, y, mask), x.shape[1]
    tokens = net.inputs(x, y, x_query, level)  # (B, T + Q, d)
    for i, layer in enumerate(cast(list[Layer], net.layers)):
        normed = layer.norm1(tokens)
        if i == len(net.layers) - 1:
            tokens = tokens[:, T:]
        weights, said = attend(layer, normed, T, tokens.shape[1], mask)
        tokens = torch.bmm(weights, said).add_(layer.out.bias).add_(tokens)
        wide = F.gelu(linear(layer.norm2(tokens), layer.wide))
        tokens = linear(wide, layer.narrow).add_(tokens)
    return net.norm(tokens), level


def linear(tokens: Tensor, layer: nn.Linear) -> Tensor:
    """As torch's own, which writes the bias first, in one thread: adding it afterwards saves a third of the time."""
    return (tokens @ layer.weight.t()).add_(layer.bias)


def attend(layer: Layer, tokens: Tensor, T: int, R: int, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """How much each of the last R tokens takes (B, R, H * T) of what the context says (B, H * T, d)."""
    B, d, H = len(tokens), layer.config.width, layer.config.heads
    w_q, w_kv = layer.qkv.weight.split([d, 2 * d])
    b_q, b_kv = layer.qkv.bias.split([d, 2 * d])
    heads = F.linear(tokens[:, :T], w_kv, b_kv).view(B * T, 2, H, d // H)
    k, v = heads.permute(1, 2, 0, 3)  # (H, B * T, d/H)
    keys = torch.bmm(k, w_q.view(H, d // H, d))  # (H, B * T, d): W_q^T k
    own = torch.bmm(k, b_q.view(H, d // H, 1))
    said = torch.bmm(v, layer.out.weight.view(d, H, d // H).permute(1, 2, 0))
    keys, own, said = (
        part.view(H, B, T, -1).transpose(0, 1).reshape(B, H * T, -1) for part in (keys, own, said)
    )
    scale = 1 / math.sqrt(d // H)
    scores = torch.baddbmm(own, keys, tokens[:, -R:].transpose(1, 2), beta=scale, alpha=scale)
    scores = scores.view(B, H, T, R)  # R last: a softmax of long rows side by side is many times as fast
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, :, None], -math.inf)
    return scores.softmax(2).view(B, H * T, R).transpose(1, 2), said
