"""Searches with one pruner beside the same searches with another, repeat by repeat."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import RESAMPLES, Interval
from reproduce._press.where import where

OURS, PLAIN = "ours", "ours, not calibrated"
NEVER = -1  # the score was never seen


def paired(found: pd.DataFrame, pruner: str, what: str) -> pd.Series:
    """By repeat."""
    return where(found, pruner=pruner).set_index("repeat")[what].sort_index()


def against(found: pd.DataFrame, mine: str, other: str, what: str) -> Interval | None:
    """What one pruner takes over what another does."""
    return ratio(paired(found, mine, what), paired(found, other, what))


def cost_of_the_same(found: pd.DataFrame, mine: str) -> Interval | None:
    """Epochs until the score of the whole search is seen, over those of the whole search.

    A search that never sees it has been made for nothing: after it the whole one is made too.
    """
    own, whole = paired(found, mine, "same"), paired(found, "none", "same")
    cost = own.where(own != NEVER, paired(found, mine, "epochs") + whole)
    return ratio(cost, whole)


def ratio(above: pd.Series, below: pd.Series) -> Interval | None:
    """Of totals; the repeats are drawn anew. None where a total is nothing to divide by."""
    drawn = np.random.default_rng(0).integers(max(len(above), 1), size=(RESAMPLES, len(above)))
    totals = np.array([below.sum(), *below.to_numpy()[drawn].sum(1)])
    if len(above) < 2 or not totals.all():
        return None
    return Interval.of_resamples(np.array([above.sum(), *above.to_numpy()[drawn].sum(1)]) / totals)
