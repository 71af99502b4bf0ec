"""Scores of curves -> the CRPS of a variant over that of the new prior's network, and its cost on the paper's curves.

Ratios are made curve by curve, since curves differ in their units; then the mean of the logarithm is taken.
"""

import math

import numpy as np
import pandas as pd

from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows, where
from reproduce.new_data._factors import log_ratio, over_groups
from reproduce.new_data._scores_by_benchmark import EARLY
from reproduce.new_data.prior_features.variants import SEEDS, TITLES, WITHOUT
from reproduce.protocols.benchmarks import ROWS

BASE = "new"
EXCLUDED = "pythia"  # shown, not counted


def each(rows: Rows) -> pd.DataFrame:
    """A line for each variant, benchmark and curve: the logarithm of its CRPS over the new prior's, all shares together."""
    mean = rows["rows"].groupby(["method", "row", "curve"], as_index=False)["crps"].mean()
    than = where(mean, method=BASE).rename(columns={"crps": "base"})[["row", "curve", "base"]]
    both = mean.merge(than, on=["row", "curve"]).merge(
        rows["curves"][["row", "curve", "group"]], on=["row", "curve"]
    )
    return both.assign(log=log_ratio(both["crps"], both["base"]))


def there(found: pd.DataFrame) -> list[str]:
    return [name for name in TITLES if (found["method"] == name).any()]


def ratios(found: pd.DataFrame) -> Estimates:
    """By variant and benchmark, whose groups of curves vary; without ends where all of its curves are of one group."""
    return grouped(found, ["method", "row"], lambda own: over_groups(own["log"], own["group"]).exp())


def over_rows(found: pd.DataFrame) -> Estimates:
    """By variant: benchmarks weigh the same, and vary."""
    means = found.groupby(["method", "row"], as_index=False)["log"].mean()
    logs = grouped(means, ["method"], lambda own: Interval.of_mean(own["log"]))
    return {name: one.exp() for name, one in logs.items()}


def over_seeds(found: pd.DataFrame) -> Estimates:
    """As above, beside the mean over seeds of the new prior; the interval also counts another seed of either network."""
    told = over_rows(found)
    if not {BASE, *SEEDS} <= set(told):
        return {}
    logs = pd.Series([math.log(told[name].value) for name in (BASE, *SEEDS)])
    other = another_seed(logs)

    def beside_seeds(one: Interval) -> Interval:
        of_rows = (math.log(one.high) - math.log(one.low)) / 2
        return Interval.around(math.log(one.value) - float(logs.mean()), math.hypot(of_rows, other)).exp()

    return {name: beside_seeds(one) for name, one in told.items()}


def another_seed(values: pd.Series) -> float:
    """Half of the interval of one training minus the mean of these, where all of them vary alike."""
    return student(len(values)) * float(values.std()) * math.sqrt(1 + 1 / len(values))


def luck(found: pd.DataFrame) -> float | None:
    """The largest factor, up or down, between seeds of the same training; None without another seed."""
    own = found[found["method"].isin(SEEDS)]
    by_seed = own.groupby(["method", "row"])["log"].mean().groupby("method").mean()
    return float(np.exp(by_seed.abs().max())) if len(own) else None


def prices(own: pd.DataFrame, rival: str = "old") -> Estimates:
    """By variant and epochs observed: how far the rival scores above, on the paper's curves, which vary; seeds do not."""
    some = where(own, rival=rival)
    return grouped(
        some, ["method", "cutoff"], lambda one: Interval.with_error(-one["gain"].iloc[0], one["se"].iloc[0])
    )


def of_seeds(price: Estimates, cutoff: int) -> Interval | None:
    """Over curves and seeds: all seeds are scored on the same curves, so their mean keeps the sampling error."""
    found = [price.get((name, cutoff)) for name in (BASE, *SEEDS)]
    known = [one for one in found if one]
    if len(known) < len(found):
        return None
    values, of_curves = pd.Series([one.value for one in known]), max(one.half for one in known)
    return Interval.around(
        float(values.mean()), math.hypot(of_curves, student(len(known)) * float(values.sem()))
    )


def units(price: Estimates, cutoff: int = 20) -> Interval | None:
    """One training each: how much another seed moves is known of the new prior's network."""
    told, seeds = price.get(("old-epochs", cutoff)), [price.get((name, cutoff)) for name in (BASE, *SEEDS)]
    values = pd.Series([one.value for one in seeds if one])
    if told is None or len(values) < len(seeds):
        return None
    of_seed = math.sqrt(2) * student(len(values)) * float(values.std())
    return Interval.around(told.value, math.hypot(told.half, of_seed))


def held(rows: Rows) -> pd.Series:
    """Coverage of the 90 % interval, by variant, benchmark and share observed."""
    return rows["rows"].groupby(["method", "row", "seen"])["in90"].mean()


def held_on_average(covered: pd.Series, method: str) -> Interval | None:
    """None unless all cells were measured."""
    own = covered[covered.index.get_level_values("method") == method].drop(
        EXCLUDED, level="row", errors="ignore"
    )
    return Interval.exactly(float(own.mean())) if len(own) == len(EARLY) * (len(ROWS) - 1) else None


def rows_won(found: pd.DataFrame, method: str) -> Interval | None:
    """On how many benchmarks the CRPS is above the new prior's; None unless on all both were measured."""
    by_row = where(found, method=method).groupby("row")["log"].mean()
    return Interval.exactly(float((by_row > 0).sum())) if len(by_row) == len(ROWS) else None


def paying(found: pd.DataFrame) -> Interval | None:
    """How many properties cost more than another seed moves; None unless each was left out, and seeds were trained."""
    moved, told = luck(found), over_rows(found)
    costs = [told[name].value for name in WITHOUT if name in told]
    return (
        Interval.exactly(float(sum(cost > moved for cost in costs)))
        if moved and len(costs) == len(WITHOUT)
        else None
    )
