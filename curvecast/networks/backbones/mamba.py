"""Mamba: a diagonal state space whose step, input and output depend on the input, so it can select what to keep.

    h_t = exp(dt_t A) h_{t-1} + dt_t B_t u_t,   y_t = C_t h_t + D u_t          dt, B, C: linear in u_t

A long step forgets the past and writes the new point, a short step skips it. This is a scan (S6), not a convolution.
The paper discretises both by zero-order hold (its equation 4); its released code, as here, takes Euler's dt B for B.
Otherwise, with constant dt, B and C, it is the system of s4.py.

The block also has a short convolution and a gate, but no feed-forward network.

Shapes: B = curves, T = points, e = inner width, N = numbers of a channel's state.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand
from curvecast.networks.backbones.recurrent import scan
from curvecast.networks.backbones.stack import Causal, ShortConvolution, Stack, handed

SHORT = 4  # points of the convolution
Scan = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class MambaConfig(Causal):
    layers: int = 3
    states: int = 8  # N
    expand: int = 2  # e = expand * d
    hands: str = "all"

    @property
    def label(self) -> str:
        return f"mamba-{self.layers}{'' if self.hands == 'all' else '-last'}"

    def state_size(self, width: int, length: int) -> int:
        inner = self.expand * width
        return self.layers * inner * (self.states + SHORT - 1) + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        mixers = [Mamba(width, self.expand * width, self.states) for _ in range(self.layers)]
        return Stack(mixers, width, self.hands)


class Mamba(nn.Module):
    def __init__(self, width: int, inner: int, states: int):
        super().__init__()
        self.sizes = [math.ceil(width / 16), states, states]  # of dt (low rank), B, C
        self.new = nn.Linear(width, 2 * inner, bias=False)  # u, and its gate
        self.short = ShortConvolution(inner, SHORT)
        self.select = nn.Linear(inner, sum(self.sizes), bias=False)
        self.step = nn.Linear(self.sizes[0], inner)
        # three axes, so that Muon does not take it for a matrix
        self.A_log = nn.Parameter(torch.arange(1.0, states + 1).log().expand(1, inner, states).clone())
        self.D = nn.Parameter(torch.ones(inner))
        self.out = nn.Linear(inner, width, bias=False)
        steps = torch.empty(inner).uniform_(math.log(1e-3), math.log(0.1)).exp()
        with torch.no_grad():
            self.step.bias.copy_(steps + (-torch.expm1(-steps)).log())  # the inverse of softplus

    def forward(self, tokens: Tensor) -> Tensor:
        u, gate = self.new(tokens).chunk(2, -1)  # (B, T, e)
        u = F.silu(self.short(u))
        dt, B, C = self.select(u).split(self.sizes, -1)
        dt = F.softplus(self.step(dt))  # (B, T, e)
        y = selective_scan(u, dt, -self.A_log[0].exp(), B, C) + self.D * u
        return self.out(y * F.silu(gate))


def terms(u: Tensor, dt: Tensor, A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """h_t = a_t h_{t-1} + b_t.  (B, T, e), (B, T, e), (e, N), (B, T, N) -> (B, T, e, N) twice"""
    return (dt[..., None] * A).exp(), (dt * u)[..., None] * B[:, :, None]


def selective_scan(u: Tensor, dt: Tensor, A: Tensor, B: Tensor, C: Tensor, by: Scan = scan) -> Tensor:
    """-> (B, T, e)"""
    return torch.einsum("bten,btn->bte", by(*terms(u, dt, A, B)), C)


# -----------------------------------------------------------------------------------------------------------
# Mamba-2: one decay rate for each head, so the scan becomes a masked matrix product like attention.
#
#     h_t = a_t h_{t-1} + dt_t B_t x_t',   y_t = C_t h_t          a_t = exp(-dt_t A), one number for each head
#     Y = (L * C B') (dt X),   L_ij = a_{j+1} ... a_i for j <= i          the same, all at once
#
# C are the queries, B the keys, X the values; L replaces the softmax. In chunks it is fast for any length: matrix products
# inside a chunk, a state from chunk to chunk.
#
# Shapes: B = curves, T = points, H = heads, P = width of a head, N = numbers of the state for each of P.

CHUNK = 128  # points; a shorter curve is one chunk


@dataclass(frozen=True)
class Mamba2Config(Causal):
    layers: int = 3
    states: int = 16  # N
    heads: int = 4
    expand: int = 2
    hands: str = "all"

    @property
    def label(self) -> str:
        return f"mamba2-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        inner = self.expand * width
        short = (SHORT - 1) * (inner + 2 * self.states)
        return self.layers * (inner * self.states + short) + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        inner = self.expand * width
        multiple = f"{self.expand} times the width {width} must be a multiple of heads {self.heads}"
        demand(self.heads >= 1 and inner % self.heads == 0, f"Mamba2Config: {multiple}")
        mixers = [Mamba2(width, inner, self.states, self.heads) for _ in range(self.layers)]
        return Stack(mixers, width, self.hands)


class Mamba2(nn.Module):
    def __init__(self, width: int, inner: int, states: int, heads: int):
        super().__init__()
        self.heads, self.sizes = heads, [inner, states, states]
        self.new = nn.Linear(width, inner + sum(self.sizes) + heads, bias=False)  # gate; x, B, C; dt
        self.short = ShortConvolution(sum(self.sizes), SHORT)
        self.A_log = nn.Parameter(torch.linspace(1, 16, heads).log())
        self.dt_bias = nn.Parameter(torch.linspace(-5, -2, heads))  # steps of 0.007 to 0.13
        self.D = nn.Parameter(torch.ones(heads))
        self.norm = nn.RMSNorm(inner)
        self.out = nn.Linear(inner, width, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        gate, rest, dt = self.new(tokens).split([self.sizes[0], sum(self.sizes), self.heads], -1)
        x, B, C = F.silu(self.short(rest)).split(self.sizes, -1)
        x = x.unflatten(-1, (self.heads, -1))  # (B, T, H, P)
        dt = F.softplus(dt + self.dt_bias)  # (B, T, H)
        y = in_chunks(x * dt[..., None], -dt * self.A_log.exp(), B, C, CHUNK) + self.D[:, None] * x
        return self.out(self.norm(y.flatten(2) * F.silu(gate)))


def fading(log_a: Tensor) -> Tensor:
    """L, the decay from j to i: (B, T, H) -> (B, H, T, T), 0 above the diagonal"""
    upto = log_a.cumsum(1).transpose(1, 2)  # (B, H, T)
    T = upto.shape[-1]
    later = torch.ones(T, T, dtype=torch.bool, device=log_a.device).triu(1)
    return (upto[..., :, None] - upto[..., None, :]).masked_fill(later, -torch.inf).exp()


def dual(x: Tensor, log_a: Tensor, B: Tensor, C: Tensor) -> Tensor:
    """As attention.  (B, T, H, P), (B, T, H), (B, T, N) twice -> (B, T, H, P)"""
    scores = (C @ B.transpose(1, 2))[:, None] * fading(log_a)  # (B, H, T, T)
    return (scores @ x.transpose(1, 2)).transpose(1, 2)


def recur(x: Tensor, log_a: Tensor, B: Tensor, C: Tensor) -> Tensor:
    """As a recurrence, with a state (B, H, P, N)."""
    h = x.new_zeros(*x[:, 0].shape, B.shape[-1])
    outputs = []
    for t in range(x.shape[1]):
        h = log_a[:, t, :, None, None].exp() * h + x[:, t, ..., None] * B[:, t, None, None]
        outputs.append((h * C[:, t, None, None]).sum(-1))
    return torch.stack(outputs, 1)


def in_chunks(x: Tensor, log_a: Tensor, B: Tensor, C: Tensor, size: int) -> Tensor:
    """As attention inside each chunk and as a recurrence between chunks: the size does not change the result."""
    outputs: list[Tensor] = []
    h: Tensor | None = None  # (B, H, P, N)
    for x_c, log_c, B_c, C_c in zip(*(part.split(size, 1) for part in (x, log_a, B, C)), strict=True):
        y = dual(x_c, log_c, B_c, C_c)
        upto = log_c.cumsum(1)  # (B, n, H)
        outputs.append(y if h is None else y + torch.einsum("btn,bhpn,bth->bthp", C_c, h, upto.exp()))
        if len(outputs) * size < x.shape[1]:  # another chunk follows
            decay = (upto[:, -1:] - upto).exp()  # from each point to the end
            new = torch.einsum("bthp,btn,bth->bhpn", x_c, B_c, decay)
            h = new if h is None else upto[:, -1, :, None, None].exp() * h + new
    return torch.cat(outputs, 1)
