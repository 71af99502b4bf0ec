"""What a backbone is: it reads the observed beginning of a curve, and passes on one summary or a state for each point.

The config of a family is a frozen dataclass with

    label, causal     "lstm-2", for the name of the weights; whether each state depends on no later point
    hands             "all": a state for each point; "last", "pooled": a summary
    state_size(d, T)  numbers that it keeps of T points, to answer queries and, if causal, to read the next point
    make(d)           an nn.Module: tokens (B, T, d), epochs x (B, T), seen (B, T) -> States
                      seen: true for observed points, which come first; None: all

Most are blocks on a residual stream, and differ only in how they mix points:

    u = u + mix(norm u)
    u = u + feed(norm u)        if the family has a feed-forward network

Shapes: B = curves, T = observed points, S = states, d = width, f = feed-forward width.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand
from curvecast.networks.backbones.attention import Attention


class States(NamedTuple):
    states: Tensor  # (B, S, d)
    known: Tensor | None = None  # (B, S) true for states that exist; None: all


class Causal:
    """Of configs of which each state depends on no later point."""

    behaviour = 1
    causal = True


def handed(hands: str, width: int, length: int) -> int:
    """Numbers that the head reads: a state for each point, or one."""
    return width * (length if hands == "all" else 1)


def last(states: Tensor, seen: Tensor | None) -> Tensor:
    """The state after the last observed point: (B, T, d) -> (B, 1, d)"""
    if seen is None:
        return states[:, -1:]
    end = seen.sum(1) - 1  # (B,)
    return states[torch.arange(len(states)), end][:, None]


# -----------------------------------------------------------------------------------------------------------
# Feed-forward networks for single tokens, plain or gated.
#
#     gelu     W2 gelu(W1 x)                     two matrices
#     geglu    W2 (gelu(W1 x) * V x)             three, so two thirds of the width for equally many parameters
#     swiglu   W2 (swish(W1 x) * V x)            swish(z) = z sigmoid(z)

GATES: dict[str, Callable[[Tensor], Tensor]] = {"geglu": F.gelu, "swiglu": F.silu}
KINDS = ("gelu", *GATES)


def inner_width(kind: str, width: int, expand: float) -> int:
    """f, such that all kinds have as many parameters as the plain one."""
    return round(expand * width * (2 / 3 if kind in GATES else 1))


class FeedForward(nn.Module):
    def __init__(self, kind: str, width: int, expand: float = 2, bias: bool = True):
        super().__init__()
        demand(kind in KINDS, f"there is no feed-forward {kind!r}: take one of {', '.join(KINDS)}")
        f = inner_width(kind, width, expand)
        self.gate = GATES.get(kind)
        self.wide = nn.Linear(width, f if self.gate is None else 2 * f, bias=bias)  # W1, and V below it
        self.narrow = nn.Linear(f, width, bias=bias)  # W2

    def forward(self, x: Tensor) -> Tensor:
        if self.gate is None:
            return self.narrow(F.gelu(self.wide(x)))
        gate, value = self.wide(x).chunk(2, -1)  # (..., f)
        return self.narrow(self.gate(gate) * value)


class Stack(nn.Module):
    """For causal mixers, (B, T, d) -> (B, T, d): padding is at the end and does not affect observed points."""

    def __init__(self, mixers: Sequence[nn.Module], width: int, hands: str, expand: float = 0):
        super().__init__()
        self.hands = hands  # "last": a summary; "all": the state after each point
        self.mixers = nn.ModuleList(mixers)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in mixers)
        self.feeds = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), FeedForward("gelu", width, expand)) for _ in mixers if expand
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        u = tokens
        for i, mix in enumerate(self.mixers):
            u = u + mix(self.norms[i](u))
            if self.feeds:
                u = u + self.feeds[i](u)
        h = self.norm(u)
        return States(last(h, seen)) if self.hands == "last" else States(h, seen)


class CausalAttention(nn.Module):
    """A mixer for stacks that combine attention with other mixers."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attend = Attention(width, heads)

    def forward(self, u: Tensor) -> Tensor:
        x = torch.arange(u.shape[1], device=u.device).expand(u.shape[:2])
        return self.attend(u, u, x, x, causal=True)


def earlier(u: Tensor, by: int) -> Tensor:
    """The points shifted by `by` places, zero before the first: (B, T, d) -> (B, T, d)"""
    return torch.cat([u.new_zeros(len(u), min(by, u.shape[1]), u.shape[2]), u[:, :-by]], 1) if by else u


class ShortConvolution(nn.Module):
    """For each channel a weighted sum of its last few values."""

    def __init__(self, width: int, length: int):
        super().__init__()
        bound = length**-0.5
        # three axes, so that Muon does not take it for a matrix
        self.weight = nn.Parameter(torch.empty(length, 1, width).uniform_(-bound, bound))

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        return torch.stack([w * earlier(u, i) for i, w in enumerate(self.weight)]).sum(0)
