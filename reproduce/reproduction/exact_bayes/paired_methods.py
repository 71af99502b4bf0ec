"""Differences of two methods on the same curves."""

import pandas as pd

from reproduce._press.estimates import Estimates, leads
from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    return minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll")


def below_exact(rows: pd.DataFrame) -> Estimates:
    """By method and cutoff: nats per point below the exact posterior, paired by curve."""
    return {
        (method, cutoff): above.negated()
        for cutoff, mine in rows.groupby("cutoff")
        for method, above in leads(mine, "method", "exact", "ll", "curve", Interval.of_many).items()
    }
