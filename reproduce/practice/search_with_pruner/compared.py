"""Searches with one pruner compared with the same searches with another, repeat by repeat."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval, student
from reproduce._press.where import where

OURS, PLAIN = "ours", "ours, not calibrated"
NEVER = -1  # the score was not reached


def paired(found: pd.DataFrame, pruner: str, what: str) -> pd.Series:
    """By repeat."""
    return where(found, pruner=pruner).set_index("repeat")[what].sort_index()


def against(found: pd.DataFrame, mine: str, other: str, what: str) -> Interval | None:
    """What one pruner takes, over what another takes."""
    return ratio(paired(found, mine, what), paired(found, other, what))


def cost_of_the_same(found: pd.DataFrame, mine: str) -> Interval | None:
    """Epochs until the final score of the search without a pruner is reached, over those of that search.

    A search that never reaches it was made in vain, so the epochs of the search without a pruner are added.
    """
    own, whole = paired(found, mine, "same"), paired(found, "none", "same")
    cost = own.where(own != NEVER, paired(found, mine, "epochs") + whole)
    return ratio(cost, whole)


def ratio(above: pd.Series, below: pd.Series) -> Interval | None:
    """Of totals, by Fieller's theorem: all r for which above - r * below may be 0 on average. None where below may be."""
    if (n := len(above)) < 2:
        return None
    (a, both), (_, b) = np.cov(above, below) * student(n) ** 2 / n
    x, y = above.mean(), below.mean()
    if y**2 <= b:
        return None
    middle = (x * y - both) / (y**2 - b)
    return Interval.around(middle, max(0, middle**2 - (x**2 - a) / (y**2 - b)) ** 0.5)._replace(value=x / y)
