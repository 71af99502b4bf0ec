"""A recurrent network: a cell is applied point by point, cells are stacked, and may read from both ends.

    h_t = cell(u_t, h_{t-1})        u = tokens, or the states of the cells below

What differs from one recurrent network to the next is its cell: elman.py, lstm.py, gru.py. Read forwards only, a state is
a summary of what came before and of nothing else; of two directions, the backward state after the first point has read all.

Shapes: B = curves, T = points, d = width.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.reader import States, last


class Cell(nn.Module):
    new: nn.Linear  # reads a point

    def begin(self, like: Tensor) -> tuple[Tensor, ...]:
        """The state before the first point; its first tensor (B, d) is what others read."""
        return (like.new_zeros(len(like), like.shape[-1]),)

    def inputs(self, u: Tensor) -> Tensor:
        """What does not depend on the state, for all points at once: (B, T, d) -> (B, T, .)"""
        return self.new(u)

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One point, (B, .)"""
        raise NotImplementedError


@dataclass(frozen=True)
class RecurrentConfig:
    layers: int = 1
    both_ways: bool = False
    hands: str = "last"

    name: ClassVar[str]
    behaviour: ClassVar[int] = 1

    @property
    def causal(self) -> bool:
        return not self.both_ways

    @property
    def label(self) -> str:
        return f"{'bi' if self.both_ways else ''}{self.name}-{self.layers}{'-all' if self.hands == 'all' else ''}"

    def cell(self, width: int) -> Cell:
        raise NotImplementedError

    def make(self, width: int) -> "Recurrent":
        return Recurrent(self.cell, width, self.layers, self.both_ways, self.hands)


def unroll(cell: Cell, u: Tensor) -> Tensor:
    """(B, T, d) -> the state after each point, (B, T, d)"""
    state, found = cell.begin(u), []
    for one in cell.inputs(u).unbind(1):
        state = cell.step(one, state)
        found.append(state[0])
    return torch.stack(found, 1)


def from_the_end(u: Tensor, seen: Tensor | None) -> Tensor:
    """The seen points in reverse order, what is padded stays behind them; twice is nothing."""
    if seen is None:
        return u.flip(1)
    T, n = u.shape[1], seen.sum(1, keepdim=True)  # (B, 1)
    t = torch.arange(T, device=u.device)
    place = torch.where(seen, n - 1 - t, t)  # (B, T)
    return u.gather(1, place[..., None].expand_as(u))


class Recurrent(nn.Module):
    def __init__(self, cell: Callable[[int], Cell], width: int, layers: int, both_ways: bool, hands: str):
        super().__init__()
        self.hands = hands  # "last": a summary; "all": the state after each point
        self.forwards = nn.ModuleList(cell(width) for _ in range(layers))
        self.backwards = nn.ModuleList(cell(width) for _ in range(layers if both_ways else 0))
        self.join = nn.ModuleList(nn.Linear(2 * width, width) for _ in self.backwards)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        u = tokens
        for i, cell in enumerate(self.forwards):
            h = unroll(cast(Cell, cell), u)  # (B, T, d)
            if self.backwards:
                back = from_the_end(unroll(cast(Cell, self.backwards[i]), from_the_end(u, seen)), seen)
                h = self.join[i](torch.cat([h, back], -1))
            u = h
        if self.hands == "all":
            return States(u, seen)
        if self.backwards:  # forwards the last has read all, backwards the first
            return States(torch.cat([last(u, seen), u[:, :1]], 1))
        return States(last(u, seen))
