"""Differences of two methods on the same curves."""

import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    return minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll")


def lead(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> Interval | None:
    """Their mean, paired by curve, or None."""
    return Interval.of_many(gaps(rows, ours, theirs, cutoff))
