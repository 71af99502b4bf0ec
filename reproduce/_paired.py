"""Differences on the same curves, as intervals that claims can rest on."""

from typing import NamedTuple

import pandas as pd
import torch

from curvecast import metrics
from reproduce._contract import Claim


class Interval(NamedTuple):
    value: float
    low: float  # 95 %
    high: float


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    mine = rows[rows["cutoff"] == cutoff].pivot(index="curve", columns="method", values="ll")
    return (mine[ours] - mine[theirs]).dropna() if {ours, theirs} <= set(mine) else pd.Series(dtype=float)


def lead(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> metrics.Estimate | None:
    """Their mean, paired by curve, or None."""
    found = gaps(rows, ours, theirs, cutoff)
    return metrics.estimate(torch.tensor(found.to_numpy())) if len(found) else None


def interval(values: pd.Series) -> Interval | None:
    """The mean of values that are independent of one another, by Student's t, which matters where they are few."""
    if len(values) < 2:
        return None
    middle, half = values.mean(), student(len(values)) * values.sem()
    return Interval(middle, middle - half, middle + half)


def student(n: int) -> float:
    """How many standard errors of n values lie between their mean and an end of its interval."""
    import scipy.special  # half a second, which jobs that only measure need not wait

    return float(scipy.special.stdtrit(n - 1, 0.975))


def claim(name: str, sentence: str, found: Interval | None, condition: str) -> Claim:
    value, low, high = found or (None, None, None)
    return Claim(name, sentence, value, low, high, condition)
