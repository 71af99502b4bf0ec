"""Differences on the same curves, as intervals that claims can rest on."""

from typing import NamedTuple

import pandas as pd
import scipy.stats

from reproduce._contract import Claim
from reproduce._judged import gaps, lead

__all__ = ["Interval", "claim", "gaps", "interval", "lead"]


class Interval(NamedTuple):
    value: float
    low: float  # 95 %
    high: float


def interval(values: pd.Series) -> Interval | None:
    """The mean of values that are independent of one another, by Student's t, which matters where they are few."""
    if len(values) < 2:
        return None
    middle, half = values.mean(), scipy.stats.t.ppf(0.975, len(values) - 1) * values.sem()
    return Interval(middle, middle - half, middle + half)


def claim(name: str, sentence: str, found: Interval | None, condition: str) -> Claim:
    value, low, high = found or (None, None, None)
    return Claim(name, sentence, value, low, high, condition)
