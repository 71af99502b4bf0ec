"""The ratio of the scores of two methods on the same forecasts: the geometric mean, which does not depend on units.

`found` has a line for each forecast: row, curve, seen, method, group and scores.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where

FAR = 100.0  # ratios are clipped here: on a flat curve a score may be zero
NOTHING = 1e-6  # added to a score: a flat curve may be forecast without any error


def forecasts(rows: Rows) -> pd.DataFrame:
    """A line for each: scores, and what is known of the curve."""
    curves = rows["curves"].drop(columns="part", errors="ignore")
    return rows["rows"].merge(curves, on=["row", "curve"])


def factor(found: pd.DataFrame, method: str, rival: str, score: str = "crps") -> Interval | None:
    """Below 1 the method is better than its rival; whole groups of curves are resampled."""
    both = pairs(found, method, rival, score)
    if both.empty:
        return None
    return over_groups(log_ratio(both["own"], both["rival"]), both["group"]).exp()


def pairs(found: pd.DataFrame, method: str, rival: str, score: str) -> pd.DataFrame:
    """A line for each forecast that both gave: group, own, rival."""
    keys = ["row", "curve", "seen", "group"]
    columns = {"own": method, "rival": rival}
    one, other = (
        where(found, method=name)[[*keys, score]].rename(columns={score: column})
        for column, name in columns.items()
    )
    return one.merge(other, on=keys)


def mean(found: pd.DataFrame, method: str, score: str) -> Interval | None:
    own = where(found, method=method)
    return over_groups(own[score], own["group"]) if len(own) else None


def by_share(found: pd.DataFrame, method: str, score: str, shares: Iterable[int]) -> str:
    """A cell: by share observed, the score divided by the last value's; of an interval, its coverage."""
    cells = []
    for seen in shares:
        some = where(found, seen=seen)
        one = mean(some, method, score) if score == "in90" else factor(some, method, "last", score)
        cells.append(f"{one.value:.2f}" if one else "–")
    return " / ".join(cells)


def log_ratio(own: pd.Series, rival: pd.Series) -> pd.Series:
    return np.log((own + NOTHING) / (rival + NOTHING)).clip(-np.log(FAR), np.log(FAR))


def over_groups(values: pd.Series, groups: pd.Series, what: str = "mean") -> Interval:
    """Their mean or median; without ends where all are of one group."""
    lone = Interval(float(getattr(values, what)()), np.nan, np.nan)
    return Interval.over_clusters(values, groups, what) or lone
