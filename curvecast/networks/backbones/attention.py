"""Attention of one sequence to another, or to itself; keys and values may be shared between heads.

    softmax(Q K' / sqrt(d/H) + bias) V

Multi-query attention has H queries and one key and value, so the cache for each token that is read is H times smaller.
A positional encoding rotates queries and keys (RoPE) or adds to the scores (T5).

Shapes: B = curves, R = tokens that read, T = tokens that are read, d = width, H = heads, G = heads of keys and values.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError


class Attention(nn.Module):
    block = 128  # tokens that read at once, where a causal network has a bias

    def __init__(self, width: int, heads: int, kv_heads: int = 0, bias: bool = True, encoding: Any = None):
        super().__init__()
        G = kv_heads or heads
        if heads < 1 or width % heads or heads % G:  # as the width that is nearest in parameters may ask
            raise UserError(
                f"attention of width {width} with {heads} heads and {G} of keys and values: the width must be a multiple of "
                "the heads, and the heads a multiple of those of keys and values"
            )
        self.heads, self.kv_heads, self.encoding = heads, G, encoding
        self.q = nn.Linear(width, width, bias=bias)
        self.kv = nn.Linear(width, 2 * G * (width // heads), bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def forward(
        self, tokens: Tensor, read: Tensor, x: Tensor, x_read: Tensor, bias: Tensor | None = None, causal: bool = False
    ) -> Tensor:  # fmt: skip
        """Tokens (B, R, d) at epochs x attend to others (B, T, d); bias (B or 1, 1 or H, R or 1, T).  -> (B, R, d)

        Causal: to itself, R = T, no token to a later one, and no bias but the encoding's. No matrix of all pairs is needed.
        """
        q = self.q(tokens).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, H, R, d/H)
        kv = self.kv(read).unflatten(-1, (2 * self.kv_heads, -1)).transpose(1, 2)
        k, v = kv.chunk(2, 1)  # (B, G, T, d/H)
        if hasattr(self.encoding, "rotate"):
            q, k = self.encoding.rotate(q, x), self.encoding.rotate(k, x_read)
        attend = partial(F.scaled_dot_product_attention, enable_gqa=self.kv_heads < self.heads)
        if causal and bias is None and hasattr(self.encoding, "bias"):
            blocks = [
                attend(q[:, :, i:j], k[:, :, :j], v[:, :, :j], by_epoch.to(q.dtype))
                for i, j, by_epoch in biases_up_to(x, self.encoding.bias, self.block)
            ]
            mixed = torch.cat(blocks, 2)
        else:
            if hasattr(self.encoding, "bias"):
                by_epoch = self.encoding.bias(x, x_read).to(q.dtype)  # (B, H, R, T)
                bias = by_epoch if bias is None else by_epoch + bias
            mixed = attend(q, k, v, bias, is_causal=causal)
        return self.out(mixed.transpose(1, 2).flatten(2))  # (B, R, d)


def padding_bias(seen: Tensor | None, like: Tensor) -> Tensor | None:
    """Added to the scores to mask padding: 0 or -inf, (B, 1, 1, T)."""
    return None if seen is None else torch.where(seen, 0.0, -math.inf)[:, None, None].to(like.dtype)


def biases_up_to(
    x: Tensor, bias: Callable[[Tensor, Tensor], Tensor], size: int
) -> Iterator[tuple[int, int, Tensor]]:
    """For each block of queries from i to j, the bias of all keys before j, -inf for later ones: (B, H, j - i, j).

    It depends on distances alone: if all epochs are equally far apart, the last block has those of all others.
    """
    T = x.shape[1]

    def block(i: int, j: int) -> Tensor:
        by_epoch = bias(x[:, i:j], x[:, :j])
        return by_epoch + by_epoch.new_full((j - i, j), -math.inf).triu(1 + i)

    steps = x.diff(dim=1)
    last = block(max(0, T - size), T) if bool((steps == steps[:, :1]).all()) else None
    for i in range(0, T, size):
        j = min(i + size, T)
        yield i, j, block(i, j) if last is None else last[..., i - j :, -j:]


def plain(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
    """The formula itself: (B, H, R, d/H), (B, H, T, d/H) -> (B, H, R, d/H), with all R T weights in memory."""
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (B, H, R, T)
    return (scores if bias is None else scores + bias).softmax(-1) @ v
