"""The lead of one forecaster over another on the same curves, case by case."""

import pandas as pd

from reproduce._press.intervals import Interval


def own(rows: pd.DataFrame, method: str, cutoff: int) -> pd.DataFrame:
    return rows[(rows["method"] == method) & (rows["cutoff"] == cutoff)]


def gap(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> Interval | None:
    """Paired by curve."""
    mine = rows[rows["cutoff"] == cutoff].pivot_table(index="curve", columns="method", values="ll")
    return Interval.of_mean((mine[ours] - mine[theirs]).dropna()) if {ours, theirs} <= set(mine) else None
