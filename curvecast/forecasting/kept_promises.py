"""Which of its promises does the network keep? From where finished runs fell in what it had said of them.

The score z of a later value is the normal score of its place in the network's forecast: standard normal if the bands fit.
The mean of z over finished runs tells which way the network errs, their spread by how much its bands are too narrow. Both
are drawn towards the network's own, 0 and 1, as if some more runs had been just as it said. From nine runs on the shape is
theirs too: how many of them lay within a band that the others had set (conformal prediction, leaving one out).
Shapes: n = finished runs, D = distances ahead, G = promised scores, Q = steps ahead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from curvecast.forecasting import normal_law

Array = np.ndarray

# of the way from the last value seen to the horizon, at which scores are taken
DISTANCES = np.arange(1, 11) / 10
FARTHEST = 6.0  # score: a run that broke counts no more than that
GRID = np.linspace(-FARTHEST, FARTHEST, 121)  # promised scores, for each of which the network's is kept
LEVEL = 1e-7  # as near to 0 and 1 as levels go that the network is asked for: float32 has no more digits


@dataclass(frozen=True)
class Draw:
    """How strongly few runs are drawn to what the network says: as by so many further runs that are just as it says.

    Chosen on the side *look* of real curves, by the question finished_bands.
    """

    mean: float = 6.0
    spread: float = 5.0
    shape: float = 10.0
    least: int = 9  # runs from which on the shape is theirs: fewer cannot promise nine in ten
    beside: int = 1  # distances on either side that are taken together with each


class Levels:
    """At each step ahead, the network's score for every promised one: a rising line. Levels are shares, 0 to 1."""

    def __init__(self, lines: Array, place: Array):
        self.lines, self.place = lines, place  # (D, G) at DISTANCES, (Q,) of each step among them, 0 .. D - 1

    def __getitem__(self, steps: Any) -> "Levels":
        return Levels(self.lines, self.place[steps])

    @cached_property
    def network(self) -> Array:
        """A step between two of DISTANCES has what lies between their lines.  (Q, G)"""
        before = np.minimum(self.place.astype(int), len(self.lines) - 2)
        part = (self.place - before)[:, None]  # (Q, 1)
        return (1 - part) * self.lines[before] + part * self.lines[before + 1]

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle holds the ten lines, and not one for each step."""
        return Levels, (self.lines, self.place)

    def asked(self, promised: Array) -> Array:
        """The levels to ask the network for, so that promised ones (..., Q) are kept.  -> (..., Q)"""
        promised = np.clip(promised, LEVEL, 1 - LEVEL)
        scores = self._through(score(promised, 1 - promised), lambda z, line: np.interp(z, GRID, line))
        return np.clip(normal_law.below(scores), LEVEL, 1 - LEVEL)

    def above(self, below: Array, above: Array) -> Array:
        """The chances to lie above something, of the network's to lie below and above it (..., Q).  -> (..., Q)"""
        return normal_law.below(-self._through(score(below, above), lambda z, line: np.interp(z, line, GRID)))

    def _through(self, z: Array, line: Callable[[Array, Array], Array]) -> Array:
        return np.stack([line(z[..., i], own) for i, own in enumerate(self.network)], -1)


def levels(scores: Array, ahead: Array, draw: Draw = Draw()) -> Levels:
    """From scores of finished runs (n, D), those at steps so far on the way to the horizon (Q,)."""
    places = np.arange(len(DISTANCES))
    near = [scores[:, max(0, d - draw.beside) : d + draw.beside + 1] for d in places]
    return Levels(np.stack([_line(z, draw) for z in near]), np.interp(ahead, DISTANCES, places))


def _line(z: Array, draw: Draw) -> Array:
    """From the scores z (n, m), m of each run, which counts once.  -> (G,) the network's scores"""
    n, first, second = len(z), z.mean(1), (z**2).mean(1)  # (n,)
    mean, spread = _drawn(n, first.sum(), second.sum(), draw)
    if n < draw.least:
        return mean + spread * GRID
    other_mean, other_spread = _drawn(n - 1, first.sum() - first, second.sum() - second, draw)  # (n,)
    away = np.abs(z - other_mean[:, None]) / other_spread[:, None]  # (n, m)
    return mean + spread * _shape(away, draw.shape)


def _drawn(n: int, first: Array, second: Array, draw: Draw) -> tuple[Array, Array]:
    """Mean and spread, of n runs whose scores and their squares have these sums."""
    mean = first / (n + draw.mean)
    return mean, np.sqrt((draw.spread + second - 2 * mean * first + n * mean**2) / (draw.spread + n))


def _shape(away: Array, weight: float) -> Array:
    """How far out each promised score is, when runs lay so far away (n, m) and `weight` more as promised.  -> (G,)"""
    out = GRID[len(GRID) // 2 :]
    promised = 1 - 2 * normal_law.below(-out)  # the share of a normal law that is no further out
    held = (away[:, :, None] <= out).mean(1).sum(0)
    further = np.interp(promised, (held + weight * promised) / (len(away) + weight), out)
    return np.concatenate([-further[:0:-1], further])


def score(below: Array, above: Array) -> Array:
    """The normal score of a place with these shares below and above it: of both, for the small one has the digits."""
    low, high = (normal_law.quantile(side) for side in (below, above))
    return np.clip(np.where(low < high, low, -high), -FARTHEST, FARTHEST)
