"""Scores of curves -> the CRPS of a variant divided by that of the new prior's network, by benchmark.

Curve by curve, since curves differ in their units; then the mean of the logarithm, with groups of curves resampled.
"""

import math

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows, where
from reproduce.new_data._factors import log_ratio, over_groups
from reproduce.new_data.prior_features.variants import SEEDS, TITLES

BASE = "new"


def each(rows: Rows) -> pd.DataFrame:
    """A line for each variant, benchmark and curve: the logarithm of the ratio, over all shares observed."""
    if not {"rows", "curves"} <= set(rows):
        return pd.DataFrame(columns=["method", "row", "curve", "group", "log"])
    mean = rows["rows"].groupby(["method", "row", "curve"], as_index=False)["crps"].mean()
    than = where(mean, method=BASE).rename(columns={"crps": "base"})[["row", "curve", "base"]]
    both = mean.merge(than, on=["row", "curve"]).merge(
        rows["curves"][["row", "curve", "group"]], on=["row", "curve"]
    )
    return both.assign(log=log_ratio(both["crps"], both["base"]))


def there(found: pd.DataFrame) -> list[str]:
    return [name for name in TITLES if (found["method"] == name).any()]


def ratio(found: pd.DataFrame, method: str, row: str) -> Interval | None:
    """Of one benchmark; without ends where all of its curves are of one group."""
    own = where(found, method=method, row=row)
    return over_groups(own["log"], own["group"]).exp() if len(own) else None


def over_rows(found: pd.DataFrame, method: str) -> Interval | None:
    """Benchmarks weigh the same; the interval is over benchmarks."""
    own = where(found, method=method)
    mean = Interval.of_mean(own.groupby("row")["log"].mean())
    return mean and mean.exp()


def over_seeds(found: pd.DataFrame, method: str) -> Interval | None:
    """As above, beside the mean over seeds of the new prior; the interval also counts another seed of either network."""
    told, each = over_rows(found, method), [over_rows(found, name) for name in (BASE, *SEEDS)]
    logs = pd.Series([math.log(one.value) for one in each if one])
    if told is None or len(logs) < len(each):
        return None
    of_rows = (math.log(told.high) - math.log(told.low)) / 2
    return Interval.around(
        math.log(told.value) - float(logs.mean()), math.hypot(of_rows, another_seed(logs))
    ).exp()


def another_seed(values: pd.Series) -> float:
    """Half of the interval of one training minus the mean of these, where all of them vary alike."""
    return student(len(values)) * float(values.std()) * math.sqrt(1 + 1 / len(values))


def luck(found: pd.DataFrame, row: str | None = None) -> float | None:
    """The largest factor, up or down, between seeds of the same training; None without another seed."""
    own = found[found["method"].isin(SEEDS)]
    own = own if row is None else where(own, row=row)
    if not len(own):
        return None
    by = own.groupby(["method", "row"])["log"].mean().groupby("method").mean()
    return float(np.exp(by.abs().max()))
