"""DeltaNet: the state is updated by correcting what it stores under a key.

    S_t = S_{t-1} + beta_t k_t' (v_t - k_t S_{t-1}),   y_t = q_t S_t          keys of length 1

The value stored under the key is read first, and the difference is written: with beta = 1 a repeated key is overwritten.
This equals one step of gradient descent on |k S - v|^2. Each correction u_t depends on all earlier ones, so they solve a
triangular system, once for a whole curve (or for each chunk of it):

    (I + tril(diag(beta) K K', -1)) U = diag(beta) (V - K S_0),   Y = Q S_0 + tril(Q K') U

Shapes: B = curves, T = points, H = heads, D = width of a head.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.linear_attention import HeadsConfig, heads_of
from curvecast.networks.backbones.stack import ShortConvolution, earlier

SHORT = 4  # points of the convolution
CHUNK = 128  # points; a shorter curve is one chunk


class DeltaNet(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.short = ShortConvolution(3 * width, SHORT)
        self.beta = nn.Linear(width, heads)
        self.norm = nn.RMSNorm(width // heads)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        q, k, v = (heads_of(part, self.heads) for part in F.silu(self.short(self.qkv(u))).chunk(3, -1))
        beta = self.beta(u).sigmoid().transpose(1, 2)  # (B, H, T)
        y = in_chunks(F.normalize(q, dim=-1), F.normalize(k, dim=-1), v, beta, CHUNK)
        return self.out(self.norm(y).transpose(1, 2).flatten(2))


class DeltaNetConfig(HeadsConfig):
    name, mixer = "deltanet", DeltaNet

    def beside_matrices(self, width: int) -> int:
        return 3 * (SHORT - 1) * width


def solve(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, S: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """All points at once: (B, H, T, D) three times, (B, H, T), state before -> outputs, state after (B, H, D, D)"""
    S = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1]) if S is None else S
    overlaps = (beta[..., None] * (k @ k.transpose(-1, -2))).tril(-1)  # (B, H, T, T)
    wanted = beta[..., None] * (v - k @ S)
    u = torch.linalg.solve_triangular(overlaps, wanted, upper=False, unitriangular=True)  # (B, H, T, D)
    return q @ S + (q @ k.transpose(-1, -2)).tril() @ u, S + k.transpose(-1, -2) @ u


def in_chunks(q: Tensor, k: Tensor, v: Tensor, beta: Tensor, size: int) -> Tensor:
    S: Tensor | None = None
    outputs = []
    for q_c, k_c, v_c, beta_c in zip(*(part.split(size, 2) for part in (q, k, v, beta)), strict=True):
        y, S = solve(q_c, k_c, v_c, beta_c, S)
        outputs.append(y)
    return torch.cat(outputs, 2)


def recur(q: Tensor, k: Tensor, v: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
    """Point by point.  -> outputs, state after the last point"""
    S, outputs = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1]), []
    for t in range(q.shape[2]):
        stored = torch.einsum("bhd,bhde->bhe", k[:, :, t], S)
        new = beta[:, :, t, None] * (v[:, :, t] - stored)
        S = S + k[:, :, t, :, None] * new[:, :, None]
        outputs.append(torch.einsum("bhd,bhde->bhe", q[:, :, t], S))
    return torch.stack(outputs, 2), S


# -----------------------------------------------------------------------------------------------------------
# RWKV-7: the delta rule with a decay rate for each channel, and with separate keys for removing and writing.
#
#     S_t = S_{t-1} diag(w_t) - S_{t-1} c_t' (c_t * a_t) + v_t' k_t,   y_t = S_t r_t'          c_t: the key, of length 1
#
# w in (0.545, 1) is the decay, a in (0, 1) the share that is removed of the value under the key. All are linear in a mean of
# a point and the previous one. DeltaNet is w = 1, a = beta, k = beta c. (Not included from the paper: low-rank
# nonlinearities, and values that later layers take from the first.)

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
        y = self.norm(recur_by_channel(r, w, k, v, a, F.normalize(k, dim=-1)))
        return self.out(y.transpose(1, 2).flatten(2) * gate.sigmoid())


class RWKV7Config(HeadsConfig):
    name, mixer = "rwkv7", RWKV7


def recur_by_channel(r: Tensor, w: Tensor, k: Tensor, v: Tensor, a: Tensor, c: Tensor) -> Tensor:
    """(B, H, T, D) six times -> (B, H, T, D); the state is (B, H, D of values, D of keys)"""
    S, states = r.new_zeros(*r.shape[:2], v.shape[-1], k.shape[-1]), []
    removed, written = (c * a)[:, :, :, None], v[..., None] * k[:, :, :, None]
    for t in range(r.shape[2]):
        stored = (S * c[:, :, t, None]).sum(-1, keepdim=True)  # (B, H, D, 1)
        S = S * w[:, :, t, None] - stored * removed[:, :, t] + written[:, :, t]
        states.append(S)
    return torch.einsum("bhtvk,bhtk->bhtv", torch.stack(states, 2), r)
