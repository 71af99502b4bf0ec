"""A recurrent network: stacked cells that read point by point, in one or both directions.

    h_t = cell(u_t, h_{t-1})        u = tokens, or the states of the cells below

Recurrent networks differ in their cell: Elman, LSTM, GRU. A forward state summarises the points up to its own;
with both directions, the backward state at the first point summarises all points. A recurrence that is linear in the state,
with coefficients that do not depend on it, is a scan: minGRU and Mamba.

Shapes: B = curves, T = points, d = width.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.stack import Causal, Stack, States, handed, last

LONG = 128  # a curve of more points is scanned in chunks


class Cell(nn.Module):
    """`new` is the part that does not depend on the state; `step` takes that of one point (B, .) and the state so far."""

    tensors = 1  # (B, d) each, of the state; the first of them is the output


@dataclass(frozen=True)
class RecurrentConfig:
    """Of one kind of cell, which has a name."""

    layers: int = 1
    both_ways: bool = False
    hands: str = "last"

    behaviour = 1
    name: ClassVar[str]
    cell: ClassVar[type[Cell]]

    @property
    def causal(self) -> bool:
        return not self.both_ways

    @property
    def label(self) -> str:
        return f"{'bi' if self.both_ways else ''}{self.name}-{self.layers}{'-all' if self.hands == 'all' else ''}"

    def state_size(self, width: int, length: int) -> int:
        if self.both_ways:  # reads a new point only by reading all again
            return handed("all", width, length if self.hands == "all" else 2)
        cells = self.layers * self.cell.tensors * width
        return cells + (handed("all", width, length) if self.hands == "all" else 0)

    def make(self, width: int) -> "Recurrent":
        return Recurrent(self.cell, width, self.layers, self.both_ways, self.hands)


def unroll(cell: Any, u: Tensor) -> Tensor:
    """(B, T, d) -> the state after each point, (B, T, d)"""
    state, outputs = (torch.zeros_like(u[:, 0]),) * cell.tensors, []
    for u_t in cell.new(u).unbind(1):
        state = cell.step(u_t, state)
        outputs.append(state[0])
    return torch.stack(outputs, 1)


def reversed_in_time(u: Tensor, seen: Tensor | None) -> Tensor:
    """The observed points in reverse order, padding stays at the end; its own inverse."""
    if seen is None:
        return u.flip(1)
    T, n = u.shape[1], seen.sum(1, keepdim=True)  # (B, 1)
    t = torch.arange(T, device=u.device)
    place = torch.where(seen, n - 1 - t, t)  # (B, T)
    return u.gather(1, place[..., None].expand_as(u))


class Recurrent(nn.Module):
    def __init__(self, cell: type[Cell], width: int, layers: int, both_ways: bool, hands: str):
        super().__init__()
        self.hands = hands  # "last": a summary; "all": the state after each point
        self.forwards = nn.ModuleList(cell(width) for _ in range(layers))
        self.backwards = nn.ModuleList(cell(width) for _ in range(layers if both_ways else 0))
        self.join = nn.ModuleList(nn.Linear(2 * width, width) for _ in self.backwards)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        u = tokens
        for i, cell in enumerate(self.forwards):
            h = unroll(cell, u)  # (B, T, d)
            if self.backwards:
                back = unroll(self.backwards[i], reversed_in_time(u, seen))
                h = self.join[i](torch.cat([h, reversed_in_time(back, seen)], -1))
            u = h
        if self.hands == "all":
            return States(u, seen)
        if self.backwards:  # the last forward and the first backward state have read all points
            return States(torch.cat([last(u, seen), u[:, :1]], 1))
        return States(last(u, seen))


def scan(a: Tensor, b: Tensor) -> Tensor:
    """h_t = a_t h_{t-1} + b_t, the fastest way on a CPU.  (B, T, ...) twice -> each state, (B, T, ...)"""
    if b.shape[1] > LONG:
        size = math.isqrt(b.shape[1])  # as many points as chunks: the fewest steps
        states: Tensor = LongScan.apply(a, b, size)
        return states
    h, each = torch.zeros_like(b[:, 0]), []
    for a_t, b_t in zip(a.unbind(1), b.unbind(1), strict=True):
        h = torch.addcmul(b_t, a_t, h)
        each.append(h)
    return torch.stack(each, 1)


class LongScan(torch.autograd.Function):
    """Point by point in all chunks at once, then from chunk to chunk. The gradient is a scan as well, from the last point."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, size: int) -> Tensor:
        T = b.shape[1]
        full = (0, 0) * (b.dim() - 2) + (0, -T % size)
        product, h = (F.pad(part, full).unflatten(1, (-1, size)) for part in (a, b))  # copies
        for t in range(1, size):
            h[:, :, t].addcmul_(product[:, :, t], h[:, :, t - 1])
            product[:, :, t].mul_(product[:, :, t - 1])
        for c in range(1, h.shape[1]):
            h[:, c].addcmul_(product[:, c], h[:, c - 1, -1:])
        h = h.flatten(1, 2)[:, :T]
        ctx.save_for_backward(a, h)
        ctx.size = size
        return h

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        a, h = ctx.saved_tensors
        to_next = a.roll(-1, 1)  # the last has no next, and meets a zero
        grad_b = LongScan.apply(to_next.flip(1), grad.flip(1), ctx.size).flip(1)
        return torch.cat([torch.zeros_like(h[:, :1]), grad_b[:, 1:] * h[:, :-1]], 1), grad_b, None


def scan_by_doubling(a: Tensor, b: Tensor) -> Tensor:
    """The same in log2 T rounds: consecutive steps compose to one step of the same form, so segments can be joined."""
    distance = 1
    while distance < b.shape[1]:
        joined = torch.addcmul(b[:, distance:], a[:, distance:], b[:, :-distance])
        a = torch.cat([a[:, :distance], a[:, distance:] * a[:, :-distance]], 1)
        b = torch.cat([b[:, :distance], joined], 1)
        distance *= 2
    return b


# -----------------------------------------------------------------------------------------------------------
# Elman's network: a tanh of the new point and the previous state.
#
#     h_t = tanh(W u_t + R h_{t-1} + b)
#
# As `nn.RNN`. A point read k steps ago has passed k times through R, so it vanishes or explodes like a k-th power.


class Elman(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new, self.old = nn.Linear(width, width), nn.Linear(width, width, bias=False)  # W, b and R
        nn.init.orthogonal_(self.old.weight)  # at first states neither vanish nor explode

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return ((u + self.old(state[0])).tanh(),)


class ElmanConfig(RecurrentConfig):
    name, cell = "elman", Elman


# -----------------------------------------------------------------------------------------------------------
# Long short-term memory: gates control what is added to a memory c and how it is scaled.
#
#     f, i, o = sigmoid(W u_t + R h_{t-1} + b)        forget, write, show
#     c_t = f * c_{t-1} + i * tanh(W' u_t + R' h_{t-1} + b')
#     h_t = o * tanh(c_t)
#
# As `nn.LSTM`. Where f is near 1, the memory and its gradient pass unchanged.


class LSTM(Cell):
    tensors = 2

    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 4 * width)  # write, forget, candidate, show: torch's order
        self.old = nn.Linear(width, 4 * width, bias=False)
        nn.init.ones_(self.new.bias[width : 2 * width])  # forget little at first

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        h, c = state
        write, forget, candidate, show = (u + self.old(h)).chunk(4, -1)  # each (B, d)
        c = forget.sigmoid() * c + write.sigmoid() * candidate.tanh()
        return show.sigmoid() * c.tanh(), c


class LSTMConfig(RecurrentConfig):
    name, cell = "lstm", LSTM


# -----------------------------------------------------------------------------------------------------------
# Gated recurrent unit: one gate controls how much of the state is kept, another how much the candidate state reads.
#
#     r, z = sigmoid(W u_t + R h_{t-1} + b)           reset, keep
#     n    = tanh(W' u_t + b' + r * (R' h_{t-1} + c))
#     h_t  = z * h_{t-1} + (1 - z) * n
#
# As `nn.GRU`: like an LSTM whose memory is its state.


class GRU(Cell):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 3 * width)  # reset, keep, candidate: torch's order
        self.old = nn.Linear(width, 3 * width)  # its bias matters only for the candidate

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (h,) = state
        (new_r, new_z, new_n), (old_r, old_z, old_n) = u.chunk(3, -1), self.old(h).chunk(3, -1)
        reset, keep = (new_r + old_r).sigmoid(), (new_z + old_z).sigmoid()
        n = (new_n + reset * old_n).tanh()
        return (keep * h + (1 - keep) * n,)


class GRUConfig(RecurrentConfig):
    name, cell = "gru", GRU


# -----------------------------------------------------------------------------------------------------------
# minGRU: a gated recurrent unit whose gate and candidate do not read the state, so that it can be computed by a scan.
#
#     z_t = sigmoid(W u_t + b)             write
#     n_t = g(W' u_t + b')                 g(x) = x + 1/2 for x >= 0, else sigmoid(x): positive
#     h_t = (1 - z_t) h_{t-1} + z_t n_t
#
# One layer forgets by the new point alone; a layer above reads the state below, so that depth replaces the recurrence.


@dataclass(frozen=True)
class MinGRUConfig(Causal):
    layers: int = 3
    expand: float = 2  # of the feed-forward network after each
    hands: str = "last"

    @property
    def label(self) -> str:
        return f"mingru-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        return self.layers * width + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        return Stack([MinGRU(width) for _ in range(self.layers)], width, self.hands, self.expand)


class MinGRU(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.new = nn.Linear(width, 2 * width)  # write, candidate

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        write, n = self.new(u).chunk(2, -1)
        write = write.sigmoid()
        return scan(1 - write, write * positive(n))


def positive(n: Tensor) -> Tensor:
    return torch.where(n >= 0, n + 0.5, n.sigmoid())
