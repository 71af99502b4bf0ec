"""Scaling curves, `scale="log"`: the distance from the best value against steps, data or parameters, over decades of them.

The network of weights/scaling.safetensors sees logarithms of both. It is told neither decades nor units, so steps may be
tokens and values losses of any size. It also tells the law, the limit and the exponent of the last power law, in the units
of what it sees; here they become those of the metric and of the steps.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from curvecast.forecasting import doubts
from curvecast.forecasting.epochs import Axis, Epochs
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.normalise import LARGEST, Metric, within
from curvecast.forecasting.passes import Beginning, ask
from curvecast.forecasting.user_input import number
from curvecast.ground import log_axes
from curvecast.ground.errors import demand
from curvecast.ground.log_axes import LogScale

Array = np.ndarray
FEWEST, MOST = 3, 120  # points that the network was trained on
AHEAD = 24  # steps to forecast, evenly in their logarithm
FARTHEST = 2.0  # times the decades seen, to the horizon


def default_horizon(steps: Array, axis: Axis | None = None) -> float:
    """Twice as far as the curve has come, or twice as many decades where that is nearer."""
    first, last = float(steps[0]), float(steps[-1])
    return min(2 * last, first * (last / first) ** FARTHEST) if first > 0 else 2 * last


def epochs(steps: Array, axis: Axis | None, horizon: float, where: str) -> Epochs:
    """The steps at which there are values, and where they lie on the network's axis: as in epochs.py, by logarithms."""
    first, last = float(steps[0]), float(steps[-1])
    way = "leave it out, or count from 1"
    demand(first > 0, f"{where}: step {first:g} has no logarithm: {way}")
    before = f"is before the last step {last:.12g}: give it in the unit of the steps"
    demand(not horizon < last, f"{where}: the horizon {horizon:.12g} {before}")
    demand(last > first, f"{where} has one point: scale='log' needs two, at two steps")
    reach = math.log(horizon / first) / math.log(last / first)
    most = f"{first * (last / first) ** FARTHEST:g}, and {FARTHEST:g} times the decades of the points can be told"
    beyond = f"the horizon {horizon:g} is beyond step {most}"
    demand(reach <= FARTHEST * (1 + 1e-9), f"{where}: {beyond}: give a nearer one")
    kept = thinned(steps)
    ahead = np.geomspace(last, horizon, AHEAD + 1)[1:] if horizon > last else np.empty(0)
    ahead[-1:] = horizon
    x, x_ahead = (np.atleast_1d(place(some, first, horizon)) for some in (steps[kept], ahead))
    return Epochs(kept, x, x_ahead, ahead, len(kept) < len(steps))


def thinned(steps: Array) -> Array:
    """Which points the network sees: of too many one half evenly by their number, the other evenly by ln step."""
    n = len(steps)
    if n <= MOST:
        return np.arange(n)
    by_number = np.linspace(0, n - 1, MOST // 2).round().astype(int)
    by_log = np.searchsorted(steps, np.geomspace(steps[0], steps[-1], MOST // 2) * (1 - 1e-9))
    return np.unique(np.append(by_number, by_log))


def place(at: Array, first: float, horizon: float) -> Array:
    return log_axes.place(np.log(at), math.log(first), math.log(horizon))


@dataclass(frozen=True)
class LogDistance:
    """A metric in its own unit, and as the network sees it; the interface of normalise.Scale."""

    metric: Metric
    scale: LogScale
    least: float  # a distance; of a value at the bound, half of the nearest other one

    @staticmethod
    def of(metric: Metric, values: Array, where: str) -> "LogDistance":
        within(metric, values, where)
        best = metric.low if metric.minimise else metric.high
        side, way = ("lower", "low") if metric.minimise else ("upper", "high")
        counts = "scale='log' counts the distance from the best value, and the metric has"
        give = f"give bounds with the best possible value, or a {way} one"
        demand(math.isfinite(best), f"{where}: {counts} no {side} bound: {give}")
        away = np.abs(values - best)
        way = "there is nothing left to forecast"
        demand(away.max() > 0, f"{where}: all values are the best possible one, {best:g}: {way}")
        least = away[away > 0].min() / 2
        demand(away.max() < LARGEST * least, f"{where}: values differ by more than {LARGEST:g} times")
        last, unit = LogScale.of(np.log(np.maximum(away, least)))
        return LogDistance(metric, LogScale(last[0], unit[0]), least)

    def to(self, values: Array) -> Array:
        away = values - self.metric.low if self.metric.minimise else self.metric.high - values
        return self.scale.to(np.log(np.where(away > 0, away, self.least)))

    def back(self, seen: Array, clip: bool = True) -> Array:
        """What the density puts beyond the worst value is the worst value; clip=False leaves it."""
        away = np.exp(np.minimum(self.scale.back(seen), 700))
        if clip and self.metric.line():
            away = np.minimum(away, self.metric.high - self.metric.low)
        return self.metric.low + away if self.metric.minimise else self.metric.high - away


class ScalingForecast(Forecast):
    """A Forecast of a scaling curve, which estimates its law as well: the limit, and the exponent of the last power law."""

    @property
    def warnings(self) -> list[str]:
        """A sentence where it gets worse all the time, and one where it has too few points; empty otherwise."""
        few = ["it has two points, fewer than the model was trained on: do not trust the interval"]
        return doubts.of_direction(self) + (few if len(self.observed) < FEWEST else [])

    def prob_above(self, t: float) -> Array:
        """As of every Forecast; the best possible value has no logarithm, and none comes to it."""
        if self.minimise and number(t, "the value") <= self.bounds[0]:
            return np.ones(len(self.steps))
        return super().prob_above(t)

    @cached_property
    def _law(self) -> tuple[Any, float]:
        """The network's densities of floor and exponent, in its own units, and the length of the axis in ln steps.

        Asked with the default horizon, whatever the forecast's own is: a law does not depend on how far one looks ahead.
        """
        steps = self.observed_steps
        end = default_horizon(steps)
        at = epochs(steps, None, end, self.name)
        y = self._scale.to(self.observed[at.kept])
        asked = Beginning(at.x, y, np.array([log_axes.FLOOR_AT, log_axes.EXPONENT_AT]))
        return ask(self._network.network, [asked])[0], math.log(end / steps[0])

    def limit(self, q: float = 0.5) -> float:
        """The number that the limit after infinitely many steps stays below with probability q: the irreducible loss."""
        demand(0 < (q := number(q, "q")) < 1, f"q is {q}: give a share between 0 and 1, such as 0.95")
        scale, (low, high) = cast(LogDistance, self._scale).scale, self.bounds
        row, _ = self._law
        told = row.quantile(1 - q if self.minimise else q)[0]  # a floor far below is told as a large number
        away = math.exp(min(float(scale.floor(told)), 700))
        return float(np.clip(low + away if self.minimise else high - away, low, high))

    def exponent(self, q: float = 0.5) -> float:
        """The number that the exponent of the last power law stays below with probability q; below 0 it gets worse."""
        demand(0 < (q := number(q, "q")) < 1, f"q is {q}: give a share between 0 and 1, such as 0.95")
        row, length = self._law
        return float(cast(LogDistance, self._scale).scale.exponent(row.quantile(q)[1], length))

    def to_dict(self) -> dict[str, Any]:
        """As of every Forecast, with quantiles of the law."""
        quantiles = {"median": 0.5, "q05": 0.05, "q95": 0.95}
        law = {
            name: {key: getattr(self, name)(q) for key, q in quantiles.items()}
            for name in ("limit", "exponent")
        }
        return super().to_dict() | law

    def plot(self, ax: Any = None) -> Any:
        """As of every Forecast, with logarithms on both axes where the best value is 0."""
        ax = super().plot(ax)
        ax.set_xscale("log")
        if self.minimise and self.bounds[0] == 0:
            ax.set_yscale("log")
        return ax
