"""A metric in its own unit, and as the network sees it: 0 to 1, where more is better.

Between two finite bounds the map is a line. An unbounded side is squeezed by the paper's logistic curve, around soft
bounds: the finite bound, and the first value of the run, so that nothing of a run's future is used. Quantiles and
chances carry over (mirrored where lower is better); a mean does not, unless the map is a line.
"""

import math
from dataclasses import dataclass

import numpy as np

from curvecast.ground.errors import UserError, demand

Array = np.ndarray
LARGEST = 1e150  # whose square is still a number
NEAR = 1e-9  # how near to an infinite value a squeezed forecast may come


@dataclass(frozen=True)
class Metric:
    low: float
    high: float
    minimise: bool

    def line(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


METRICS = {
    "accuracy": Metric(0, 1, False),
    "percent": Metric(0, 100, False),
    "error": Metric(0, 1, True),
    "loss": Metric(0, math.inf, True),
}


def metric_of(
    name: str | tuple[float, float], bounds: tuple[float, float] | None, minimise: bool | None
) -> Metric:
    """From what a user says: a name, or bounds; `minimise` overrules the name's direction."""
    if not isinstance(name, str):
        demand(bounds is None, f"metric is {name!r} and bounds are {bounds!r}: give only one of them")
        return metric_of("accuracy", name, minimise)
    way = f"use one of {', '.join(METRICS)}, or give bounds and minimise"
    demand(name in METRICS, f"metric {name!r} is unknown: {way}")
    known = METRICS[name]
    try:
        low, high = (known.low, known.high) if bounds is None else map(float, bounds)
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"bounds {bounds!r} are not two numbers such as (0, 100)") from None
    demand(low < high, f"bounds {low:g} to {high:g}: the first must be below the second")
    if any(LARGEST < abs(side) < math.inf for side in (low, high)):
        raise UserError(f"bounds {low:g} to {high:g}: one is beyond {LARGEST:g}: use a larger unit")
    way = "give at least one, such as the best possible value"
    one = math.isfinite(low) or math.isfinite(high)
    demand(one, f"a metric without any bound cannot be forecast: {way}")
    return Metric(low, high, known.minimise if minimise is None else minimise)


def within(metric: Metric, values: Array, where: str) -> None:
    """Or a complaint about the first value outside the bounds, or too large for any arithmetic."""
    low, high = metric.low, metric.high
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        i = int(outside[0])
        percent = high != 100 and 0 <= values.min() <= values.max() <= 100
        fits = ["percent if these are percent"] if percent else []
        fits += ["loss if lower is better and unbounded"] if values.min() >= 0 else []
        bounds = "set bounds, the lowest and highest possible value"
        hint = f"set the metric to {', to '.join(fits)}, or {bounds}" if fits else bounds
        raise UserError(f"{where}: value {i + 1} is {values[i]:g}, outside {low:g} to {high:g}: {hint}")
    demand(np.abs(values).max() <= LARGEST, f"{where}: a value is beyond {LARGEST:g}: use a larger unit")


@dataclass(frozen=True)
class Scale:
    """The map of one run; `soft` is its first value, which matters on an unbounded side only."""

    metric: Metric
    soft: float

    @staticmethod
    def of(metric: Metric, values: Array, where: str) -> "Scale":
        within(metric, values, where)
        soft = float(values[0])
        way = f"the first value equals the bound {soft:g}: leave it out, or move the bound"
        demand(metric.line() or soft not in (metric.low, metric.high), f"{where}: {way}")
        return Scale(metric, soft)

    def to(self, values: Array) -> Array:
        m = self.metric
        if m.line():
            up = (values - m.low) / (m.high - m.low)
        elif math.isinf(m.high):
            up = self._squeeze(values - m.low, self.soft - m.low)
        else:
            up = 1 - self._squeeze(m.high - values, m.high - self.soft)
        return 1 - up if m.minimise else up

    def back(self, seen: Array, clip: bool = True) -> Array:
        """What the density puts beyond a bound is the bound, as no value lies outside; clip=False leaves it, on a line."""
        m = self.metric
        up = 1 - seen if m.minimise else seen
        if m.line():
            return m.low + (np.minimum(np.maximum(up, 0), 1) if clip else up) * (m.high - m.low)
        if math.isinf(m.high):
            return m.low + self._unsqueeze(up, self.soft - m.low)
        return m.high - self._unsqueeze(1 - up, m.high - self.soft)

    @staticmethod
    def _squeeze(away: Array, soft: float) -> Array:
        """Distances 0 .. infinity from the finite bound to 0 .. 1; `soft` is the first value's."""
        start = _logistic(np.array(-1.0))
        return (_logistic(2 * away / soft - 1) - start) / (1 - start)

    @staticmethod
    def _unsqueeze(up: Array, soft: float) -> Array:
        start = _logistic(np.array(-1.0))
        inside = np.clip(start + up * (1 - start), start, 1 - NEAR)
        return np.maximum(soft * (np.log(inside / (1 - inside)) + 1) / 2, 0.0)  # and never -0.0


def _logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))
