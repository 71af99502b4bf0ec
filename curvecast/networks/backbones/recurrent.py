"""A recurrent network: stacked cells that read point by point, in one or both directions.

    h_t = cell(u_t, h_{t-1})        u = tokens, or the states of the cells below

Recurrent networks differ in their cell: elman.py, lstm.py, gru.py. A forward state summarises the points up to its own;
with both directions, the backward state at the first point summarises all points.

Shapes: B = curves, T = points, d = width.
"""

from collections.abc import Callable
from typing import Protocol, cast

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.reader import States, last


class Cell(Protocol):
    def begin(self, like: Tensor) -> tuple[Tensor, ...]:
        """The state before the first point; its first tensor (B, d) is the output."""

    def inputs(self, u: Tensor) -> Tensor:
        """The part that does not depend on the state, for all points at once: (B, T, d) -> (B, T, .)"""

    def step(self, u: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One point, (B, .)"""


def unroll(cell: Cell, u: Tensor) -> Tensor:
    """(B, T, d) -> the state after each point, (B, T, d)"""
    state, outputs = cell.begin(u), []
    for u_t in cell.inputs(u).unbind(1):
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
    def __init__(
        self, cell: Callable[[int], nn.Module], width: int, layers: int, both_ways: bool, hands: str
    ):
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
                back = unroll(cast(Cell, self.backwards[i]), reversed_in_time(u, seen))
                h = self.join[i](torch.cat([h, reversed_in_time(back, seen)], -1))
            u = h
        if self.hands == "all":
            return States(u, seen)
        if self.backwards:  # the last forward and the first backward state have read all points
            return States(torch.cat([last(u, seen), u[:, :1]], 1))
        return States(last(u, seen))
