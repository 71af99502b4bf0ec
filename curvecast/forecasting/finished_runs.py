"""Finished runs of the same kind: each is cut off where the run in question stands, forecast, and set against what came.

How they fell in what the network said tells where the run in question will fall, and most of all those that the network
forecast as it forecasts this one. The score of a later value is the normal score of its place in the network's forecast:
standard normal if the bands fit. Scores are a Gaussian process over forecasts: one part is shared by all runs, one by runs
with like forecasts, and the rest is each run's own. How large the rest is says whether the finished runs tell anything at
all; each size counts by how well, with it, every run follows from the others.
Shapes: n = finished runs, D = distances ahead, S = sizes of the rest, Q = steps ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.epochs import epochs
from curvecast.forecasting.network import DensityNetwork
from curvecast.forecasting.normalise import Metric, Scale
from curvecast.forecasting.passes import Beginning, Row, padded, passes
from curvecast.forecasting.schedule import Schedule
from curvecast.forecasting.user_input import Seen, clean, is_run, steps_of
from curvecast.ground.errors import UserError, demand

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


# -----------------------------------------------------------------------------------------------------------
# Runs that have ended, cut off where the run in question stands.

MOST = 50  # runs: more cost time and tell little more

# the network, the metric, the horizon, the planned rate, how many points are seen
Cut = tuple[Any, Metric, float, Schedule | None, int]


class Finished(NamedTuple):
    """A run as the network sees it."""

    x: Array  # (T,) epochs, rising, up to the horizon
    y: Array  # (T,)
    rates: Array | None = None  # (T,) planned, relative to the highest


class EndedRun:
    """A run as it was given, and where it fell at the cuts that were asked about."""

    def __init__(self, seen: Seen):
        self.seen = seen
        self.fell: dict[Cut, Fell] = {}  # (D,), (2, D)
        self._until: dict[tuple[Metric, float, Schedule | None], Finished] = {}

    def until(self, metric: Metric, end: float, plan: Schedule | None, where: str) -> Finished:
        """Up to the horizon, on its own scale."""
        if (metric, end, plan) not in self._until:
            run = self.seen
            # of range(50) the end is 49, or 50 where epochs are counted
            counted = run.axis.shift > 0 and run.steps[-1] + run.axis.shift >= end * (1 - 1e-9)
            before = f"ends at step {run.steps[-1]:.12g}, before the horizon {end:.12g}"
            way = "leave it out, or give another horizon"
            demand(counted or has_come_to(run, end), f"{where} {before}: {way}")
            until = max(1, int(np.searchsorted(run.steps, end * (1 + 1e-9))))
            at = epochs(run.steps[:until], run.axis, max(end, float(run.steps[until - 1])), where)
            scale = Scale.of(metric, run.values[:until], where)
            steps = run.steps[at.kept]
            rates = plan.at(steps, end, run.axis, where) if plan else None
            self._until[metric, end, plan] = Finished(at.x, scale.to(run.values[at.kept]), rates)
        return self._until[metric, end, plan]

    def __reduce__(self) -> tuple[Any, ...]:
        return EndedRun, (self.seen,)  # who stores it finds the rest again, and has no network in the file


class FinishedRuns:
    """Runs that have ended, and their numbers among those that were given. More than MOST are thinned evenly."""

    def __init__(self, runs: Sequence[EndedRun] = ()):
        some = np.unique(np.linspace(0, len(runs) - 1, min(MOST, len(runs))).round().astype(int))
        self.runs = [runs[i] for i in some]
        self.numbers = [int(i) + 1 for i in some]

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def end(self) -> float:
        """The last step to which all of them have come."""
        return float(min(run.seen.steps[-1] for run in self.runs))

    def levels(
        self, network: DensityNetwork, metric: Metric, end: float, seen: Beginning, row: Row | None,
        plan: Schedule | None = None,
    ) -> tuple[Levels | None, int]:  # fmt: skip
        """Those of a run that stands there and is forecast so, and how many finished runs they rest on."""
        if not self.runs or row is None:
            return None, 0
        now, until = seen.x[-1], seen.x_ahead[-1]
        fell_then = self._fell(network, metric, end, plan, now / until)
        if not fell_then:
            return None, 0
        finished = Fell(*(np.stack(part) for part in zip(*fell_then, strict=True)))
        own = outline(row.density[at_distances(now, seen.x_ahead)])
        return levels(finished, own, (seen.x_ahead - now) / (until - now)), len(fell_then)

    def _fell(
        self, network: DensityNetwork, metric: Metric, end: float, plan: Schedule | None, seen: float
    ) -> list[Fell]:
        """As `fell`, of which that is computed which nobody asked for before; one for each run."""
        named = zip(self.runs, self.numbers, strict=True)
        whole = [(run, run.until(metric, end, plan, f"finished run {number}")) for run, number in named]
        cuts = [(run, told, points_seen(told, seen)) for run, told in whole]
        there = [(run, told, (network, metric, end, plan, k)) for run, told, k in cuts if k < len(told.x)]
        new = [(run, told, cut_at) for run, told, cut_at in there if cut_at not in run.fell]
        if new:
            each = zip(*fell(network, [told for _, told, _ in new], seen), strict=True)
            for (run, _, cut_at), (scores, outlines) in zip(new, each, strict=True):
                run.fell[cut_at] = Fell(scores, outlines)
        return [run.fell[cut_at] for run, _, cut_at in there]


def given(finished: Any, steps: Any, steps_needed: bool) -> FinishedRuns:
    """What a user gives as finished runs, as numbers, unless that was done before."""
    if isinstance(finished, FinishedRuns):
        return finished
    if not is_run(finished) or not all(is_run(run) for run in finished):
        raise UserError("finished is not a list of runs: give each finished run as a list of all its values")
    if steps is None and steps_needed and len(finished):
        lacking = "the runs have steps but the finished runs have none"
        raise UserError(f"{lacking}: give finished_steps, in the same unit")
    each, shared = steps_of(steps, len(finished), True)
    return FinishedRuns([
        EndedRun(clean(run, own, shared, f"finished run {i}"))
        for i, (run, own) in enumerate(zip(finished, each, strict=True), 1)
    ])  # fmt: skip


def has_come_to(run: Seen, end: float) -> bool:
    """Can no further value follow before this step, at the run's usual gap?"""
    return bool(run.steps[-1] + run.axis.unit > end * (1 + 1e-9))


def points_seen(run: Finished, seen: float) -> int:
    """How many of its points are known after such a share of it."""
    return max(1, int(np.searchsorted(run.x, seen * run.x[-1] + 1e-6)))


def at_distances(now: float, ahead: Array) -> Array:
    """Which of the epochs ahead (Q,) are the nearest to DISTANCES.  -> (D,)"""
    wanted = now + DISTANCES * (ahead[-1] - now)
    nearest: Array = np.abs(ahead - wanted[:, None]).argmin(1)
    return nearest


def cut(run: Finished, seen: float) -> tuple[Beginning, Array] | None:
    """What is known after such a share of it, asked about the points nearest to DISTANCES, and the values there (D,)."""
    k = points_seen(run, seen)
    if k == len(run.x):
        return None  # nothing came after it
    at = k + at_distances(float(run.x[k - 1]), run.x[k:])
    rates = None if run.rates is None else (run.rates[:k], run.rates[at])
    return Beginning(run.x[:k], run.y[:k], run.x[at], rates), run.y[at]


def fell(network: DensityNetwork, runs: Sequence[Finished], seen: float) -> Fell:
    """Where each run that goes on after such a share of it fell at DISTANCES in what the network says, and in what."""
    there = [one for one in (cut(run, seen) for run in runs) if one is not None]
    found = Fell(np.empty((len(there), len(DISTANCES))), np.empty((len(there), 2, len(DISTANCES))))
    for some, told in passes(network, [beginning for beginning, _ in there]):
        y = padded([there[i][1] for i in some], len(DISTANCES))
        found.scores[some] = score(told.cdf(y), told.exceeds(y))
        found.outlines[some] = outline(told).swapaxes(0, 1)
    return found
