"""How a real curve is put to every forecaster: which points, in which unit, what is shown and what is hidden.

Points are thinned evenly, the last one kept, and numbered 1, 2, ...: the steps of a source mean nothing to the others.
The map to 0 .. 1 knows the bounds of the metric, and of the curve its first value alone.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from curvecast.forecasting.normalise import Metric, Scale
from curvecast.scores import quantile_scores

Array = np.ndarray

SHARES = (10, 20, 40, 70)  # per cent of the points, which a forecaster sees
POINTS = 100
FARTHEST = 10.0  # times the first loss: no quantile gets further through the map, see `NEAR` in normalise.py
LEARNT = 0.05  # of the way from the first value to the best possible one


@dataclass(frozen=True)
class Trial:
    """A curve of n points: in its own unit, and as networks see it, where more is better."""

    scale: Scale
    values: Array  # (n,)
    clipped: float  # share of its values that lay beyond what can be told

    @property
    def seen(self) -> Array:
        return self.scale.to(self.values)

    def cutoff(self, share: int) -> int:
        return max(1, round(len(self.values) * share / 100))

    def learns(self) -> bool:
        """Its last fifth is on average a twentieth of the possible way better than its first value."""
        metric, first = self.scale.metric, self.values[0]
        end = self.values[-max(1, len(self.values) // 5) :].mean()
        gain = first - end if metric.minimise else end - first
        way = first - metric.low if metric.minimise else metric.high - first
        return bool(gain > LEARNT * way)


class Worth(NamedTuple):
    """Of a forecast of one curve, means over the hidden points, in the metric's own unit."""

    crps: float
    error: float  # of the median
    in50: float
    in90: float


class Curve(Protocol):
    """A curve of our own, or one that others measured."""

    @property
    def values(self) -> Array: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def minimise(self) -> bool: ...


def trial_of(curve: Curve) -> Trial | None:
    return trial(curve.values, curve.low, curve.high, curve.minimise)


def trial(values: Array, low: float, high: float, minimise: bool) -> Trial | None:
    """None where the first value is the best possible one of a metric without another bound: there is no unit then."""
    metric = Metric(low, high, minimise)
    few = values[np.unique(np.linspace(0, len(values) - 1, POINTS).round().astype(int))]
    if not metric.line() and few[0] in (low, high):
        return None
    most = high if np.isfinite(high) else low + FARTHEST * (few[0] - low)
    kept = np.minimum(few, most)
    return Trial(Scale.of(metric, kept[:1], "the first value"), kept, float((few > most).mean()))


def worth(trial: Trial, cutoff: int, quantiles: Array) -> Worth:
    """What quantiles (levels, hidden), as a network has them, are worth in the curve's own unit."""
    y, own = trial.values[cutoff:], trial.scale.back(quantiles)
    if trial.scale.metric.minimise:
        own = own[::-1]
    off = np.abs(quantile_scores.median(own) - y)
    in50, in90 = (quantile_scores.inside(own, y, share) for share in (0.5, 0.9))
    return Worth(quantile_scores.crps(own, y).mean(), off.mean(), in50.mean(), in90.mean())
