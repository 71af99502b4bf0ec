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
from curvecast.networks.backbones.backbone import handed
from curvecast.networks.backbones.recurrent import scan
from curvecast.networks.backbones.stack import ShortConvolution, Stack

SHORT = 4  # points of the convolution
Scan = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class MambaConfig:
    layers: int = 3
    states: int = 8  # N
    expand: int = 2  # e = expand * d
    hands: str = "all"

    behaviour = 1
    causal = True

    @property
    def label(self) -> str:
        return f"mamba-{self.layers}{'' if self.hands == 'all' else '-last'}"

    def state_size(self, width: int, length: int) -> int:
        inner = self.expand * width
        return self.layers * inner * (self.states + SHORT - 1) + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        told = f"MambaConfig.states {self.states}, expand {self.expand}"
        demand(self.states >= 1 and self.expand >= 1, f"{told}: take at least 1 of each")
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
