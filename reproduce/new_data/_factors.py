"""The ratio of the scores of two methods on the same forecasts: the geometric mean, which does not depend on units.

`found` has a line for each forecast: row, curve, seen, method, group and scores.
"""

import numpy as np
import pandas as pd

from presswork import Estimates, Interval, Rows, there, where
from presswork.estimates import grouped

FAR = 100.0  # ratios are clipped here: on a flat curve a score may be zero
NOTHING = 1e-6  # added to a score: a flat curve may be forecast without any error


def forecasts(rows: Rows, scores: str = "rows", about: str = "curves") -> pd.DataFrame:
    """A line for each: scores, and what is known of the curve; from these two tables."""
    scored, curves = (rows[name].drop(columns="part", errors="ignore") for name in (scores, about))
    return scored.merge(curves, on=["row", "curve"])


def factor(found: pd.DataFrame, method: str, rival: str, score: str = "crps") -> Interval | None:
    """Below 1 the method is better than its rival; whole groups of curves are resampled."""
    both = pairs(found, method, rival, score)
    if both.empty:
        return None
    return over_groups(log_ratio(both["own"], both["rival"]), both["group"]).exp()


def pairs(found: pd.DataFrame, method: str, rival: str, score: str) -> pd.DataFrame:
    """A line for each forecast that both gave: group, own, rival."""
    keys = ["row", "curve", "seen", "group"]
    own, other = (where(found, method=name)[[*keys, score]] for name in (method, rival))
    return own.rename(columns={score: "own"}).merge(other.rename(columns={score: "rival"}), on=keys)


def over(found: pd.DataFrame, rival: str, *columns: str) -> Estimates:
    """The factor of each method by these columns."""
    return there({
        (method, *key): factor(own, method, rival, "crps")
        for key, own in found.groupby([*columns])
        for method in own["method"].unique()
    })  # fmt: skip


def means(found: pd.DataFrame, score: str, *columns: str) -> Estimates:
    """The mean score of each method by these columns."""
    return grouped(found, ["method", *columns], lambda own: over_groups(own[score], own["group"]))


def log_ratio(own: pd.Series, rival: pd.Series) -> pd.Series:
    return np.log((own + NOTHING) / (rival + NOTHING)).clip(-np.log(FAR), np.log(FAR))


def over_groups(values: pd.Series, groups: pd.Series, what: str = "mean") -> Interval:
    """Their mean or median; without ends where all are of one group."""
    return Interval.over_clusters(values, groups, what) or Interval.without_ends(getattr(values, what)())
