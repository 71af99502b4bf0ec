"""By which factor the scores of two methods differ on the same forecasts: the geometric mean, so that no unit counts.

`found` has a line for each forecast: row, curve, seen, method, group and scores.
"""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import where

FAR = 100.0  # beyond this a ratio says no more: on a flat curve a score may be nothing at all
NOTHING = 1e-6


def factor(found: pd.DataFrame, method: str, rival: str, score: str = "crps") -> Interval | None:
    """Below 1 the method is better than its rival; groups of curves are drawn anew as a whole."""
    both = pairs(found, method, rival, score)
    if both.empty:
        return None
    logs = np.log((both["own"] + NOTHING) / (both["rival"] + NOTHING)).clip(-np.log(FAR), np.log(FAR))
    told = Interval.over_clusters(logs, both["group"]) or Interval(logs.mean(), np.nan, np.nan)
    return Interval(*np.exp(told).tolist())


def pairs(found: pd.DataFrame, method: str, rival: str, score: str) -> pd.DataFrame:
    """A line for each forecast that both gave: group, own, rival."""
    if found.empty:
        return found
    keys = ["row", "curve", "seen", "group"]
    columns = {"own": method, "rival": rival}
    one, other = (
        where(found, method=name)[[*keys, score]].rename(columns={score: column})
        for column, name in columns.items()
    )
    return one.merge(other, on=keys)


def mean(found: pd.DataFrame, method: str, score: str) -> Interval | None:
    if found.empty or (own := where(found, method=method)).empty:
        return None
    return Interval.over_clusters(own[score], own["group"]) or Interval(own[score].mean(), np.nan, np.nan)
