"""The released model beside Fracast-0, which gives nine quantiles: both, and quick methods, scored by these nine alone.

Kept are the forecasts that Fracast-0 gives. All are in the unit of the metric, and its quantiles end at the metric's bounds.
Shapes: 9 quantiles, Q = hidden points.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from curvecast.forecasting import shipped, torch_network
from presswork import Above, Claim, Interval, style, where
from reproduce.new_data._scores import over_sources
from reproduce.protocols import forecasters
from reproduce.protocols.benchmarks import ROWS, TITLES
from reproduce.protocols.forecasters import Ask
from reproduce.protocols.real_curve import SHARES, Trial
from reproduce.protocols.scores_by_share import answered, portions
from reproduce.rival import time_series

Array = np.ndarray
OURS, OTHER = "shipped", "fracast"
METHODS = (OURS, "old", OTHER, "last", "best", "steps", "pow3", "pow4", "mmf4")
FORECAST = ["row", "curve", "seen"]
SCORES = (*FORECAST, "method", "crps", "in80")


def scored(trials: dict[str, list[Trial]]) -> pd.DataFrame:
    """By benchmark a line for each forecast and method: CRPS by nine quantiles, and coverage of 80 %."""
    nets = {OURS: shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
    asks = {name: forecasters.network(torch_network.load(path)) for name, path in nets.items()}
    asks |= forecasters.simple() | forecasters.fits_of_one_family()
    tell = {OTHER: _fracast} | {name: partial(_densities, ask) for name, ask in asks.items()}
    lines = [
        (row, number, share, method, *worth(own[number], quantiles))
        for row, own in (trials if time_series.installed() else {}).items()
        for method, told in tell.items()
        for share in SHARES
        for number, quantiles in told(own, share)
    ]
    made = pd.DataFrame(lines, columns=list(SCORES))
    return made.merge(where(made, method=OTHER)[FORECAST], on=FORECAST)


def worth(trial: Trial, quantiles: Array) -> tuple[float, float]:
    """Twice the mean pinball loss of (9, Q), and how many points lie between the outer two."""
    y, level = trial.values[-quantiles.shape[1] :], time_series.LEVELS[:, None]
    loss = 2 * np.maximum(level * (y - quantiles), (level - 1) * (y - quantiles)).mean()
    return float(f"{loss:.3g}"), round(float(((quantiles[0] <= y) & (y <= quantiles[-1])).mean()), 2)


def _fracast(trials: list[Trial], share: int) -> Iterator[tuple[int, Array]]:
    """Number of a curve, and quantiles (9, Q)."""
    for number, trial in enumerate(trials):
        cut, metric = trial.cutoff(share), trial.scale.metric
        told = time_series.quantiles(trial.values[:cut], len(trial.values) - cut)
        if told is not None:
            yield number, told.clip(metric.low, metric.high)


def _densities(ask: Ask, trials: list[Trial], share: int) -> Iterator[tuple[int, Array]]:
    for shown in portions(trials, share):
        for some, density in answered(ask, shown):
            each = [density.quantile(float(level)).double().numpy() for level in time_series.LEVELS]
            for place, number in enumerate(some.numbers):
                trial = trials[number]
                own = np.stack(each)[:, place, : len(trial.values) - shown.y.shape[1]]
                told = trial.scale.back(own)
                yield number, told[::-1] if trial.scale.metric.minimise else told


def means(nine: pd.DataFrame) -> pd.DataFrame:
    """By method and benchmark, over all shares observed."""
    by_row = nine.groupby(["method", "row"])["crps"].mean().unstack("row")
    return by_row.astype(float).reindex(columns=list(ROWS))


def lead(nine: pd.DataFrame) -> Interval | None:
    """How many times as large the other's CRPS is: geometric mean over sources, whatever their metrics."""
    by_row = np.log(means(nine).reindex([OTHER, OURS])).diff(-1).iloc[0]
    if by_row.isna().any():
        return None
    found = over_sources(by_row)
    return found and found.exp()


def table(nine: pd.DataFrame) -> pd.DataFrame:
    """Relative to the last value's CRPS by the same quantiles, and what lies between the outer two."""
    ratio = means(nine)
    covered = 100 * nine.groupby(["method", "row"])["in80"].mean().unstack("row").mean(axis=1)
    return pd.DataFrame([
        {"mean CRPS by nine quantiles / last value’s": style.name(method)}
        | {title: f"{ratio[row][method] / ratio[row]['last']:.2f}" for row, title in TITLES.items()}
        | {"coverage of the 80 % interval": f"{covered[method]:.0f} %"}
        for method in METHODS if method in ratio.index
    ])  # fmt: skip


def claims() -> list[Claim]:
    asks = "Is the CRPS of Fracast-0, a general forecaster of time series, higher than the released model’s, on average "
    asks += "over the seven sources?"
    return [Claim("beats_fracast", asks, "beats_fracast", Above(1), "×")]
