"""RWKV-7: the delta rule with a decay rate for each channel, and with separate keys for removing and writing.

    S_t = S_{t-1} diag(w_t) - S_{t-1} c_t' (c_t * a_t) + v_t' k_t,   y_t = S_t r_t'          c_t: the key, of length 1

w in (0.545, 1) is the decay, a in (0, 1) the share that is removed of the value under the key. All are linear in a mean of
a point and the previous one. DeltaNet is w = 1, a = beta, k = beta c. (Not included from the paper: low-rank
nonlinearities, and values that later layers take from the first.)

Shapes: B = curves, T = points, H = heads, D = width of a head.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.linear_attention import HeadsConfig, heads_of
from curvecast.networks.backbones.stack import earlier

SLOWEST = math.exp(-0.5)  # w = exp(-SLOWEST sigmoid(.)): between 0.545 and 1


class RWKV7(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.blend = nn.Parameter(torch.full((6, 1, 1, width), 0.5))  # for r, w, k, v, a, gate
        self.six = nn.ModuleList(nn.Linear(width, width, bias=i in (1, 4)) for i in range(6))
        self.norm = nn.LayerNorm(width // heads)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        change = earlier(u, 1) - u
        pairs = zip(self.six, self.blend, strict=True)
        r, w, k, v, a, gate = (linear(u + blend * change) for linear, blend in pairs)
        w, a = (-SLOWEST * w.sigmoid()).exp(), a.sigmoid()
        r, w, k, v, a = (heads_of(part, self.heads) for part in (r, w, k, v, a))  # (B, H, T, D)
        y = self.norm(recur(r, w, k, v, a, F.normalize(k, dim=-1)))
        return self.out(y.transpose(1, 2).flatten(2) * gate.sigmoid())


class RWKV7Config(HeadsConfig):
    name, mixer = "rwkv7", RWKV7


def recur(r: Tensor, w: Tensor, k: Tensor, v: Tensor, a: Tensor, c: Tensor) -> Tensor:
    """(B, H, T, D) six times -> (B, H, T, D); the state is (B, H, D of values, D of keys)"""
    S, states = r.new_zeros(*r.shape[:2], v.shape[-1], k.shape[-1]), []
    removed, written = (c * a)[:, :, :, None], v[..., None] * k[:, :, :, None]
    for t in range(r.shape[2]):
        stored = (S * c[:, :, t, None]).sum(-1, keepdim=True)  # (B, H, D, 1)
        S = S * w[:, :, t, None] - stored * removed[:, :, t] + written[:, :, t]
        states.append(S)
    return torch.einsum("bhtvk,bhtk->bhtv", torch.stack(states, 2), r)
