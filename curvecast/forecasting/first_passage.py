"""When will a run reach a target? From futures that are drawn whole. And is it better now than before, or is that noise?

The chance at each step alone cannot say it: a run that lies low at one step lies low at the next. Drawn apart, step by step,
an uncertain run would reach nearly any target at one step or another. So each future keeps its rank among all futures, and
has noise of its own at each step. The spread at the first step ahead tells how large the noise is: the more points were seen,
the less else is unknown there. What remains of the spread at a later step is that of the ranks.

Shapes: n = futures, Q = steps ahead.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.user_input import number
from curvecast.ground.errors import demand
from curvecast.ground.progress import percent

Array = np.ndarray
# noise as a share of the spread at the first step ahead, by the logarithm of the points seen: chosen on curves of the prior
# that no test set has
NOISE = (0.26, 0.18)
RANKS = 100  # that are told apart
TOLD = (0.1, 0.5, 0.9)  # chances


@dataclass(frozen=True)
class When:
    """When a measured value is at least as good as a target for the first time.

    target    the value, in the unit of the run
    reached   the observed step that reached it already; None if none did
    horizon   the last step of the forecast: of what comes later nothing is said
    steps     of each future, the first step that reaches it, in rising order; infinite where none does up to the horizon
    """

    target: float
    reached: float | None
    horizon: float
    steps: Array  # (n,)

    @property
    def chance(self) -> float:
        """That the target is reached by the horizon."""
        return float(np.isfinite(self.steps).mean())

    def by(self, chance: float = 0.5) -> float | None:
        """The step by which it is reached with this chance; None: not up to the horizon."""
        demand(
            0 < (chance := number(chance, "chance")) < 1, f"chance is {chance}: give a share between 0 and 1"
        )
        step = float(self.steps[math.ceil(chance * len(self.steps)) - 1])
        return step if math.isfinite(step) else None

    def to_dict(self) -> dict[str, Any]:
        by = {f"{100 * chance:.0f}": self.by(chance) for chance in TOLD}
        return {"target": self.target, "reached": self.reached, "chance": self.chance, "by": by}

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        if self.reached is not None:
            return f"{self.target:.4g} was reached at step {self.reached:g}"
        steps = ", ".join("never" if (step := self.by(chance)) is None else f"{step:g}" for chance in TOLD)
        chance = f"{percent(self.chance)} by step {self.horizon:g}"
        return f"{self.target:.4g}: {chance}; with 10, 50, 90 % by step {steps}"


def when(run: Any, target: float, n: int, seed: int) -> When:
    """Of a Forecast."""
    target = target_within(target, *run.bounds)
    demand(isinstance(n, int | np.integer) and n >= 1, f"n is {n!r}: give a whole number, 1 or more")
    better = np.less_equal if run.minimise else np.greater_equal
    there = better(run.observed, target)
    if there.any():
        reached = float(run.observed_steps[there.argmax()])
        return When(target, reached, reached, np.full(n, reached))
    if run.row is None:
        return When(target, None, float(run.observed_steps[-1]), np.full(n, np.inf))
    reaches = better(whole_futures(run, n, seed), target)  # (n, Q)
    first = np.where(reaches.any(1), run.steps[reaches.argmax(1)], np.inf)
    return When(target, None, float(run.steps[-1]), np.sort(first))


def target_within(target: float, low: float, high: float, what: str = "the target") -> float:
    target = number(target, what)
    way = f"give one from {low:g} to {high:g}, the bounds of the metric"
    demand(low <= target <= high, f"{what} is {target:g}: {way}")
    return target


def whole_futures(run: Any, n: int, seed: int) -> Array:
    """Values of n futures of a run with steps ahead, at all of them, in its own unit.  -> (n, Q)"""
    sides, ranks = normal_law.below(np.array([-1.0, 0.0, 1.0])), (np.arange(RANKS) + 0.5) / RANKS
    levels = run._asked(np.concatenate([sides, ranks])[:, None])  # (3 + RANKS, Q)
    low, median, high, *kept = run.row.density.quantile(levels).astype(float)
    spread = np.maximum((high - low) / 2, 1e-9)  # (Q,)
    noise = np.minimum(min(NOISE[0] + NOISE[1] * math.log(len(run._beginning.x)), 1) * spread[0], spread)
    narrower = np.sqrt(1 - (noise / spread) ** 2)  # without the noise
    of_rank = np.stack(kept)[np.arange(n) * RANKS // n]  # (n, Q)
    drawn = np.random.default_rng(seed).normal(size=of_rank.shape)
    return run._scale.back(median + narrower * (of_rank - median) + noise * drawn)


# -----------------------------------------------------------------------------------------------------------
# Is a run better now than it was before, or is that noise? A smooth curve is laid through its points.
#
# The curve is a Gaussian process over the logarithm of epochs; lengths and sizes of the noise count as they fit the points.
# That process may as well fall as rise, and most runs rise: so its odds are multiplied by those of curves of the prior.
#
# Shapes: T = points, n = curves that are drawn.

LENGTHS = (0.3, 0.6, 1.2, 2.4, 5.0)  # of what changes, in logarithms of epochs
NOISES = np.geomspace(0.003, 3, 9)  # relative to what changes
LEVEL = 25.0  # variance of the level, relative to what changes: nearly nothing is known of it
LIGHT = 0.01  # of the weight of the best fit: what has less plays no part
MOST = 200  # points; of a longer run every second one counts, or every third, ...
RISES = 5.0  # odds, chosen on curves of the prior that no test set has


def improved(steps: Array, values: Array, since: float, n: int, seed: int) -> float:
    """The chance that, noise apart, the last of the values (T,) is above the highest one up to the step `since`.

    0 where all are the same: nothing has improved.
    """
    if np.ptp(values) == 0:
        return 0.0
    stride = -(-len(steps) // MOST)
    steps, values = steps[::-1][::stride][::-1], values[::-1][::stride][::-1]  # the last one is kept
    before = max(1, int((steps <= since).sum()))
    x = 1 + (steps - steps[0]) / np.median(np.diff(steps))  # epochs, about
    y = values - values.mean()
    distance = np.log(x)[:, None] - np.log(x)
    fits = []
    for length in LENGTHS:
        # in the directions of its eigenvectors, a Gaussian process and its noise are independent numbers
        variance, directions = np.linalg.eigh(np.exp(-((distance / length) ** 2) / 2) + LEVEL)
        variance, seen = np.maximum(variance, 0), directions.T @ y
        for noise in NOISES:
            whole = variance + noise**2
            scale = float((seen**2 / whole).mean())  # of all variances: the most likely one
            fit = -(len(y) * math.log(scale) + np.log(whole).sum()) / 2
            mean, spread = variance / whole * seen, np.sqrt(scale * variance * noise**2 / whole)
            fits.append((fit, directions, mean, spread))
    best = max(fit for fit, *_ in fits)
    weights = np.exp([fit - best for fit, *_ in fits])
    weights *= weights > LIGHT
    drawn, better = np.random.default_rng(seed).normal(size=(n, len(y))), 0.0
    for weight, (_, directions, mean, spread) in zip(weights / weights.sum(), fits, strict=True):
        if weight:
            curves = (mean + spread * drawn) @ directions.T  # (n, T)
            better += weight * float((curves[:, -1] > curves[:, :before].max(1)).sum())
    odds = RISES * (better + 0.5) / (n - better + 0.5)
    return float(odds / (1 + odds))
