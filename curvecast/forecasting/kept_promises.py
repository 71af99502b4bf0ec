"""Which of its promises does the network keep? From where finished runs fell in what it had said of them.

The score of a later value is the normal score of its place in the network's forecast: standard normal if the bands fit.
A run will fall like those that the network forecast alike. Scores are therefore a Gaussian process over forecasts: one part
is shared by all runs, one by runs with like forecasts, and the rest is each run's own. How large the rest is says whether
the finished runs tell anything at all; each size counts by how well, with it, every run follows from the others.
Shapes: n = finished runs, D = distances ahead, S = sizes of the rest, Q = steps ahead.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting import normal_law

Array = np.ndarray
# of the way from the last value seen to the horizon, at which scores are taken
DISTANCES = np.arange(1, 11) / 10
FARTHEST = 6.0  # score
BROKEN = 3.0  # score: a run that broke counts no more than that
LEVEL = 1e-7  # as near to 0 and 1 as levels go that the network is asked for: float32 has no more digits
NARROWEST = 1e-4  # spread of a forecast
RESTS = np.geomspace(0.1, 3.2, 16)  # standard deviations of the rest, among which the finished runs choose


@dataclass(frozen=True)
class Sharing:
    """What is believed of scores before a run has finished: variances whose sum is about 1, as the network promises.

    The first two are chosen on the tuning set of real curves, by the question finished_bands.
    """

    by_all: float = 0.05
    by_alike: float = 0.5
    # forecasts whose medians differ by much more are not alike, where the metric goes from 0 to 1
    medians: float = 0.1
    spreads: float = 0.6  # nor those whose spreads differ by a much larger factor: its logarithm
    rest: float = 0.6  # standard deviation of what no other run shares: log-normal, with this median
    rest_factor: float = 0.4  # and this standard deviation of its logarithm


class Fell(NamedTuple):
    """Where runs fell, and in what: an outline of each forecast."""

    scores: Array  # (n, D)
    outlines: Array  # (n, 2, D)


@dataclass(frozen=True)
class Levels:
    """At each step ahead, the mean and the spread of the score that will come. Levels are shares, 0 to 1."""

    mean: Array  # (Q,)
    spread: Array  # (Q,)

    def __getitem__(self, steps: Any) -> "Levels":
        return Levels(self.mean[steps], self.spread[steps])

    def asked(self, promised: Array) -> Array:
        """The levels to ask the network for, so that promised ones (..., Q) are kept.  -> (..., Q)"""
        promised = np.clip(promised, LEVEL, 1 - LEVEL)
        wanted = self.mean + self.spread * score(promised, 1 - promised)
        return np.clip(normal_law.below(wanted), LEVEL, 1 - LEVEL)

    def above(self, below: Array, above: Array) -> Array:
        """The chances to lie above something, of the network's to lie below and above it (..., Q).  -> (..., Q)"""
        return normal_law.below((self.mean - score(below, above)) / self.spread)


def levels(finished: Fell, outline: Array, ahead: Array, sharing: Sharing = Sharing()) -> Levels:
    """Of a run with such an outline (2, D), at steps so far on the way to the horizon (Q,)."""
    z = np.clip(finished.scores, -BROKEN, BROKEN)
    outlines = np.concatenate([finished.outlines, outline[None]])  # (n + 1, 2, D)
    places = outlines / np.array([[sharing.medians], [sharing.spreads]])
    apart = ((places[:, None] - places) ** 2).mean(-1).sum(-1)
    together = sharing.by_all + sharing.by_alike * np.exp(-apart / 2)  # the variance that each two runs share
    variances, directions = np.linalg.eigh(together[:-1, :-1])  # once for all sizes of the rest; (n,), (n, n)
    rest = RESTS[:, None] ** 2  # (S, 1)
    inverse = 1 / (np.maximum(variances, 0) + rest)  # (S, n) in these directions
    to_it, its = together[-1, :-1] @ directions, together[-1, -1]
    solved = inverse[..., None] * (directions.T @ z)

    given_others = 1 / (inverse @ directions.T**2)[..., None]  # (S, n, 1) variance of each run
    missed = directions @ solved * given_others  # (S, n, D) how far it lies from what follows from the others
    fit = _smooth(-(np.log(given_others) + missed**2 / given_others).sum(1) / 2)  # (S, D) log score
    fit -= np.log(RESTS / sharing.rest)[:, None] ** 2 / sharing.rest_factor**2 / 2
    weight = np.exp(fit - fit.max(0))
    weight /= weight.sum(0)

    means = _smooth(to_it @ solved)  # (S, D)
    left = rest + its - (inverse @ to_it**2)[:, None]  # (S, 1)
    mean = (weight * means).sum(0)
    spread = np.sqrt((weight * (left + (means - mean) ** 2)).sum(0))
    return Levels(np.interp(ahead, DISTANCES, mean), np.interp(ahead, DISTANCES, spread))


def _smooth(z: Array) -> Array:
    """Each distance together with its neighbours: few runs say little of one alone.  (..., D)"""
    padded = np.concatenate([z[..., :1], z, z[..., -1:]], -1)
    return (padded[..., :-2] + padded[..., 1:-1] + padded[..., 2:]) / 3


def outline(density: Any) -> Array:
    """Medians, and logarithms of spreads.  (..., D) densities -> (2, ..., D)"""
    shares = normal_law.below(np.array([-1.0, 0.0, 1.0]))
    low, median, high = (density.quantile(share).astype(float) for share in shares)
    return np.stack([median, np.log(np.maximum((high - low) / 2, NARROWEST))])


def score(below: Array, above: Array) -> Array:
    """The normal score of a place with these shares below and above it: of both, for the small one has the digits."""
    low, high = (normal_law.quantile(side) for side in (below, above))
    return np.clip(np.where(low < high, low, -high), -FARTHEST, FARTHEST)
