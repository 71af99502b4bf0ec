"""Searches with one pruner compared with the same searches with another, repeat by repeat."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import RESAMPLES, Interval
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
    """Of totals, with repeats resampled. None where a total is 0."""
    drawn = np.random.default_rng(0).integers(max(len(above), 1), size=(RESAMPLES, len(above)))
    totals = np.array([below.sum(), *below.to_numpy()[drawn].sum(1)])
    if len(above) < 2 or not totals.all():
        return None
    return Interval.of_resamples(np.array([above.sum(), *above.to_numpy()[drawn].sum(1)]) / totals)
