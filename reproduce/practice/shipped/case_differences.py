"""The lead of one forecaster over another on the same curves, case by case."""

import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where


def gap(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> Interval | None:
    """Paired by curve."""
    return Interval.of_mean(minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll"))
