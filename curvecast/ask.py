"""Many beginnings of curves, of any lengths, asked about any later epochs, in few passes of the network.

Shapes: B = beginnings in one pass, T = points seen, Q = epochs asked for.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from curvecast import quick
from curvecast.bars import Bars
from curvecast.heads import MixtureHead
from curvecast.mixed import Mixed
from curvecast.train import Forecaster

Array = np.ndarray

TOGETHER = ((0.05, 0.5, 0.95), (0.25, 0.75))  # levels: who asks for one asks for the others
AT_ONCE = 5000  # tokens of a pass: fewer waste time between the steps of the network, more leave the cache


class Beginning(NamedTuple):
    x: Array  # (T,) epochs seen
    y: Array  # (T,)
    x_ahead: Array  # (Q,) epochs asked for


class Pass:
    """The densities of one pass; what is computed for one of its rows is kept for all."""

    def __init__(self, density: Mixed | Bars):
        self.density = density
        self._quantiles: dict[float, Array] = {}

    def quantile(self, level: float) -> Array:  # -> (B, Q)
        """Levels that are usually asked for together are found together: three cost little more than one."""
        if level not in self._quantiles:
            wanted = next((some for some in TOGETHER if level in some), (level,))
            found = at_levels(self.density, torch.tensor(wanted, device="cpu")).double().numpy()
            self._quantiles |= dict(zip(wanted, found, strict=True))
        return self._quantiles[level]


class Row(NamedTuple):
    """Where the answer to one beginning stands: row `i` of a pass, its first `Q` columns."""

    of: Pass
    i: int
    Q: int

    def quantile(self, level: float) -> Array:  # -> (Q,)
        return self.of.quantile(level)[self.i, : self.Q]

    @property
    def density(self) -> Mixed | Bars:
        """Of this row alone."""
        return self._some(slice(0, self.Q))

    @property
    def last(self) -> Mixed | Bars:
        """Of the last epoch that was asked for: one density."""
        return self._some(slice(self.Q - 1, self.Q))

    def _some(self, columns: slice) -> Mixed | Bars:
        every = self.of.density
        if isinstance(every, Mixed):
            return every[self.i, columns]
        return Bars(every.borders, every.log_p[self.i, columns])


@torch.inference_mode()
def ask(forecaster: Forecaster, beginnings: list[Beginning]) -> list[Row]:
    """The rows come in the order of the beginnings; those of like length go through the network together."""
    rows: dict[int, Row] = {}
    for some, told in passes(forecaster, beginnings):
        answer = Pass(told)
        rows |= {i: Row(answer, row, len(beginnings[i].x_ahead)) for row, i in enumerate(some)}
    return [rows[i] for i in range(len(beginnings))]


@torch.inference_mode()
def passes(forecaster: Forecaster, beginnings: list[Beginning]) -> Iterator[tuple[list[int], Mixed | Bars]]:
    """Which beginnings go together, and their densities, filled up to the one that asks most."""
    lengths = [(len(b.x), len(b.x_ahead)) for b in beginnings]
    some: list[int] = []
    T = Q = 0
    for i in sorted(range(len(beginnings)), key=lengths.__getitem__):
        T, Q = lengths[i][0], max(Q, lengths[i][1])
        if some and (len(some) + 1) * (T + Q) > AT_ONCE:
            yield some, _together(forecaster, [beginnings[j] for j in some])
            some, Q = [], lengths[i][1]
        some.append(i)
    if some:
        yield some, _together(forecaster, [beginnings[j] for j in some])


def density(
    forecaster: Forecaster, x: Tensor, y: Tensor, x_ahead: Tensor, mask: Tensor | None = None
) -> Mixed | Bars:
    """One pass: x, y (B, T), x_ahead (B, Q), mask (B, T) true where observed. What goes in was checked by the caller."""
    net = forecaster.model
    if not isinstance(net.head, MixtureHead):
        return Bars(net.borders, net(x, y, x_ahead, mask))
    if quick.pays(net, x.shape[1], x_ahead.shape[1]):
        return Mixed(net.borders, *net.head.mixture(*quick.read(net, x, y, x_ahead, mask)))
    return Mixed(net.borders, *net.head.mixture(*net.read(x, y, x_ahead, mask)))


def mean_within(of: Mixed | Bars, low: float, high: float) -> Tensor:
    """The mean of what is there once no value lies beyond low or high: (...)"""
    if isinstance(of, Mixed):
        return of.mean(low, high)
    centres = ((of.borders[1:] + of.borders[:-1]) / 2).clamp(low, high)
    return (of.log_p.exp() * centres).sum(-1)


def at_levels(of: Mixed | Bars, levels: Tensor) -> Tensor:
    """Quantiles (L, ...) at levels (L,), or (L, ...) with a level of its own for each density."""
    if isinstance(of, Mixed):
        return of.quantile(levels)
    return torch.stack([of.quantile(level) for level in levels])


def _together(forecaster: Forecaster, some: list[Beginning]) -> Mixed | Bars:
    T, Q = max(len(b.x) for b in some), max(len(b.x_ahead) for b in some)
    x, y, x_ahead = (padded([b[i] for b in some], width) for i, width in enumerate((T, T, Q)))
    mask = None
    if any(len(b.x) < T for b in some):
        mask = torch.from_numpy(np.arange(T) < np.array([len(b.x) for b in some])[:, None])  # (B, T)
    return density(forecaster, x, y, x_ahead, mask)


def padded(some: list[Array], width: int) -> Tensor:
    """Rows of different lengths, filled up with ones: (B, width)"""
    rows = np.ones((len(some), width), np.float32)
    for row, values in zip(rows, some, strict=True):
        row[: len(values)] = values
    return torch.from_numpy(rows)
