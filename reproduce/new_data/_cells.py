"""Scores of curves -> scores of cells: a method on a benchmark at one share observed."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data._factors import FAR, over_groups
from reproduce.protocols.real_curve import SHARES

OURS = "shipped"  # the released model, which the claims are about
SIMPLE = ("last", "best", "steps", "pow3", "pow4", "mmf4", "sum")
OLD = "old"  # the previous release, trained on the paper's prior
METHODS = ("shipped", "old", "new", "ours", "paper", "exact", "vector", *SIMPLE)
EARLY = SHARES[:3]  # of the cells that are counted


def each(rows: Rows) -> pd.DataFrame:
    """A line for each forecast: scores, `ratio` of its error to the last value's, and the curve."""
    if not {"rows", "curves"} <= set(rows):
        return pd.DataFrame()
    last = where(rows["rows"], method="last").set_index(["row", "curve", "seen"])["error"].rename("last")
    given = rows["rows"].dropna(subset=["crps"]).join(last, on=["row", "curve", "seen"])
    found = given.merge(rows["curves"][["row", "curve", "group", "task", "learns"]], on=["row", "curve"])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (found["error"] / found["last"]).fillna(1.0)  # neither has any error
    return found.assign(ratio=ratio.clip(1 / FAR, FAR))


def methods(found: pd.DataFrame) -> list[str]:
    return [name for name in METHODS if len(found) and (found["method"] == name).any()]


def cell(found: pd.DataFrame, row: str, seen: int, score: str, method: str = OURS) -> Interval | None:
    """The mean of a score, of `ratio` the median, over curves, with the ends that groups of curves give it; or None."""
    own = found if found.empty else where(found, row=row, seen=seen, method=method)
    if own.empty:
        return None
    if score == "ratio":
        return over_groups(np.log(own[score]), own["group"], "median").exp()
    return over_groups(own[score], own["group"])


def crps_ratio(found: pd.DataFrame, row: str, method: str, rival: str) -> float:
    """Ratio of the mean CRPS of two methods, on the curves that both forecast, over all shares observed."""
    both = where(found, row=row).pivot_table(index=["curve", "seen"], columns="method", values="crps")
    if not {method, rival} <= set(both):
        return float("nan")
    means = both[[method, rival]].dropna().mean()
    return float(means.iloc[0] / means.iloc[-1]) if len(both) and means.iloc[-1] > 0 else float("nan")


def ranks(found: pd.DataFrame, row: str) -> pd.Series:
    """As in the paper: the mean rank by log-likelihood, on the curves that every method forecast; 1 is best."""
    wide = where(found, row=row).pivot_table(index=["curve", "seen"], columns="method", values="ll").dropna()
    return wide.rank(axis=1, ascending=False).mean()
