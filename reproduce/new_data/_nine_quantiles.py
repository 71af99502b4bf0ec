"""The released model beside Fracast-0, which gives nine quantiles: both, and quick methods, scored by these nine alone.

Kept are the forecasts that Fracast-0 gives. All are in the unit of the metric, and its quantiles end at the metric's bounds.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from curvecast.forecasting import shipped, torch_network
from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import where
from reproduce._press.intervals import Interval
from reproduce.protocols import forecasters
from reproduce.protocols.benchmarks import ROWS, TITLES
from reproduce.protocols.forecasters import Ask
from reproduce.protocols.real_curve import SHARES, Trial
from reproduce.protocols.scores_by_share import answered, portions
from reproduce.rival import time_series
from reproduce.rival.time_series import LEVELS

Array = np.ndarray
Told = Iterator[
    tuple[int, Array]
]  # numbers of curves, and quantiles (9, hidden points) in the unit of the metric
OURS, OTHER = "shipped", "fracast"
METHODS = (OURS, "old", OTHER, "last", "best", "steps", "pow3", "pow4", "mmf4")
SCORES = ("row", "curve", "seen", "method", "crps", "in80")


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
    keys = ["row", "curve", "seen"]
    return made.merge(where(made, method=OTHER)[keys], on=keys)


def worth(trial: Trial, quantiles: Array) -> tuple[float, float]:
    """Twice the mean pinball loss of the nine, and how many points lie between the outer two."""
    y = trial.values[len(trial.values) - quantiles.shape[1] :]
    below = y - quantiles
    loss = 2 * np.maximum(LEVELS[:, None] * below, (LEVELS[:, None] - 1) * below).mean()
    return float(f"{loss:.3g}"), round(float(((quantiles[0] <= y) & (y <= quantiles[-1])).mean()), 2)


def _fracast(trials: Sequence[Trial], share: int) -> Told:
    for number, trial in enumerate(trials):
        cut, metric = trial.cutoff(share), trial.scale.metric
        told = time_series.quantiles(trial.values[:cut], len(trial.values) - cut)
        if told is not None:
            yield number, told.clip(metric.low, metric.high)


def _densities(ask: Ask, trials: Sequence[Trial], share: int) -> Told:
    for shown in portions(trials, share):
        for which, density in answered(ask, shown):
            quantiles = np.stack([density.quantile(float(level)).double().numpy() for level in LEVELS])
            for place, row in enumerate(which.tolist()):
                trial = trials[shown.numbers[row]]
                hidden = len(trial.values) - shown.y.shape[1]
                own = trial.scale.back(quantiles[:, place, :hidden])
                yield shown.numbers[row], own[::-1] if trial.scale.metric.minimise else own


# ------------------------------------------------------------------------------------------------- estimates


def means(nine: pd.DataFrame) -> pd.DataFrame:
    """By method and benchmark, over all shares observed; NaN where nothing was measured."""
    by_row = nine.groupby(["method", "row"])["crps"].mean().unstack("row")
    return by_row.astype(float).reindex(columns=list(ROWS))


def lead(nine: pd.DataFrame) -> Interval | None:
    """How many times as large the other's CRPS is: geometric mean over sources, whatever their metrics."""
    by_row = means(nine).reindex([OURS, OTHER])
    if by_row.isna().any(axis=None):
        return None
    ratio = np.log(by_row.loc[OTHER] / by_row.loc[OURS])
    by_source = ratio.groupby([ROWS[row].source for row in ratio.index]).mean()
    found = Interval.of_mean(by_source.rename_axis("source"))
    return found and found.exp()


def table(nine: pd.DataFrame) -> pd.DataFrame:
    """Relative to the last value's CRPS by the same quantiles, and what lies between the outer two."""
    by_row = means(nine)
    covered = nine.groupby(["method", "row"])["in80"].mean().groupby("method").mean()
    return pd.DataFrame([
        {"mean CRPS by nine quantiles / last value’s": style.name(method)}
        | {title: f"{by_row.loc[method, row] / by_row.loc['last', row]:.2f}" for row, title in TITLES.items()}
        | {"coverage of the 80 % interval": f"{100 * covered[method]:.0f} %"}
        for method in METHODS if method in by_row.index
    ])  # fmt: skip


def claims(nine: pd.DataFrame) -> list[Claim]:
    return [
        Claim("beats_fracast", "Is the CRPS of Fracast-0, a general forecaster of time series, higher than the released "
              "model’s, on average over the seven sources?", lead(nine), Above(1), "×"),
    ]  # fmt: skip
