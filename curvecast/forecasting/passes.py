"""Many beginnings of curves, of any lengths, asked about any later epochs, in few passes of the network.

Shapes: B = beginnings in one pass, T = points seen, Q = epochs asked for.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting.network import DensityNetwork

Array = np.ndarray
Density = Any  # of numpy or of torch, which answer the same questions

TOGETHER = ((0.05, 0.5, 0.95), (0.25, 0.75))  # levels: who asks for one asks for the others
AT_ONCE = 800  # tokens of a pass: fewer waste time between the steps of the network, more leave the cache


class Beginning(NamedTuple):
    x: Array  # (T,) epochs seen
    y: Array  # (T,)
    x_ahead: Array  # (Q,) epochs asked for
    # planned learning rates there and there, relative to the highest
    rates: tuple[Array, Array] | None = None

    @property
    def points(self) -> tuple[Array, ...]:
        """What is seen: epochs, values, and the rates there if they are known."""
        return (self.x, self.y, self.rates[0]) if self.rates else (self.x, self.y)


class Pass:
    """The densities of one pass, and the levels to ask them for (None: those that are wanted); what is computed for one
    of its rows is kept for all."""

    def __init__(self, density: Density, levels: Any = None):
        self.density, self.levels = density, levels
        self._quantiles: dict[float, Array] = {}

    def quantile(self, level: float) -> Array:  # -> (B, Q)
        """Levels that are usually asked for together are found together: three cost little more than one."""
        if level not in self._quantiles:
            wanted = next((some for some in TOGETHER if level in some), (level,))
            levels = np.array(wanted)[:, None, None]  # (L, 1, 1)
            levels = levels if self.levels is None else self.levels.asked(levels)  # (L, B, 1)
            quantiles = self.density.quantile(levels).astype(float)  # (L, B, Q)
            self._quantiles |= dict(zip(wanted, quantiles, strict=True))
        return self._quantiles[level]


class Row(NamedTuple):
    """Where the answer to one beginning stands: row `i` of a pass, its first `Q` columns."""

    of: Pass
    i: int
    Q: int

    def quantile(self, level: float) -> Array:  # -> (Q,)
        """At the level that keeps this one; `density` gives the network's own."""
        return self.of.quantile(level)[self.i, : self.Q]

    @property
    def density(self) -> Density:
        """Of this row alone."""
        return self.of.density[self.i, : self.Q]

    @property
    def levels(self) -> Any:
        """Those to ask this row for, (Q,)."""
        return self.of.levels and self.of.levels[np.full(self.Q, self.i), 0]

    @property
    def last(self) -> Density:
        """Of the last epoch that was asked for: one density."""
        return self.of.density[self.i, self.Q - 1 : self.Q]

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds this row, and not the others of its pass."""
        levels = self.of.levels and self.of.levels[self.i : self.i + 1]
        return Row, (Pass(self.of.density[self.i : self.i + 1, : self.Q], levels), 0, self.Q)


def ask(network: DensityNetwork, beginnings: list[Beginning], levels: Any = None) -> list[Row]:
    """The rows come in the order of the beginnings, and so do their levels; those of like length go together."""
    rows: dict[int, Row] = {}
    for some, told in passes(network, beginnings):
        answer = Pass(told, levels and levels[some])
        rows |= {i: Row(answer, row, len(beginnings[i].x_ahead)) for row, i in enumerate(some)}
    return [rows[i] for i in range(len(beginnings))]


def passes(network: DensityNetwork, beginnings: list[Beginning]) -> Iterator[tuple[list[int], Density]]:
    """Which beginnings go together, and their densities, filled up to the one that asks most."""
    lengths = [(len(b.x), len(b.x_ahead)) for b in beginnings]
    some: list[int] = []
    T = Q = 0
    for i in sorted(range(len(beginnings)), key=lengths.__getitem__):
        T, Q = lengths[i][0], max(Q, lengths[i][1])
        if some and (len(some) + 1) * (T + Q) > AT_ONCE:
            yield some, _together(network, [beginnings[j] for j in some])
            some, Q = [], lengths[i][1]
        some.append(i)
    if some:
        yield some, _together(network, [beginnings[j] for j in some])


def _together(network: DensityNetwork, some: list[Beginning]) -> Density:
    T, Q = max(len(b.x) for b in some), max(len(b.x_ahead) for b in some)
    x, y = padded([b.x for b in some], T), padded([b.y for b in some], T)
    x_ahead = padded([b.x_ahead for b in some], Q)
    if any(b.rates for b in some):  # of the others nothing is known, which is 0
        told = [b.rates or (np.zeros(len(b.x)), np.zeros(len(b.x_ahead))) for b in some]
        seen, ahead = (padded([both[i] for both in told], width) for i, width in enumerate((T, Q)))
        x, x_ahead = np.stack([x, seen], -1), np.stack([x_ahead, ahead], -1)
    mask = None
    if any(len(b.x) < T for b in some):
        mask = np.arange(T) < np.array([len(b.x) for b in some])[:, None]  # (B, T)
    return network.density(x, y, x_ahead, mask)


def padded(some: list[Array], width: int) -> Array:
    """Rows of different lengths, filled up with ones: (B, width)"""
    rows = np.ones((len(some), width), np.float32)
    for row, values in zip(rows, some, strict=True):
        row[: len(values)] = values
    return rows
