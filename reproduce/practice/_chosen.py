"""For each source: the patience one would choose, and when each rule reaches the final regret of never stopping.

Rows of the test set are reported. Patience is tuned on the tuning set, on other tasks than the one it is used for.
"""

import numpy as np
import pandas as pd

from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.scores.pools_of_runs import PATIENCE
from curvecast.scores.regret import NONE, times
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.protocols.times_sooner import ends

Array = np.ndarray

SIDES = {TUNING: "tuning set", TEST: "test set"}
SOURCES = {"taskset": "TaskSet", "own": "our own runs", "algoperf": "AlgoPerf", "deepobs": "DeepOBS"}
ALL = "all"
TUNED_ON = {"nothing": "taskset"}  # which has the same tasks, and runs that learn
OURS = "shipped"
PATIENT = [f"patience {k}" for k in PATIENCE]
CHOSEN = "patience chosen"
FEWEST = 3  # units, below which an interval would say nothing


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The test set, with one more rule: the patience that is fastest on the other tasks of the tuning set."""
    found = [where(rows, side=TEST)]
    for source, own in found[0].groupby("source", sort=False):
        look = where(rows, source=TUNED_ON.get(str(source), source), side=TUNING)
        for task in own["task"].unique():
            if len(others := look[look["task"] != task]):
                found.append(where(own, task=task, method=fastest_patience(others)).assign(method=CHOSEN))
    return pd.concat(found, ignore_index=True)


def fastest_patience(rows: pd.DataFrame) -> str:
    """To the final regret of never stopping, in the mean of these tasks; of equally fast ones the shortest."""
    found = times(rows[rows["method"].isin([NONE, *PATIENT])], 0)
    return min(PATIENT, key=lambda method: found[method][0])


def of_source(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    return rows[rows["source"].isin(SOURCES)] if source == ALL else where(rows, source=source)


def reached(rows: pd.DataFrame, source: str, resamples: int) -> dict[str, Array]:
    """Thousandths of the budget until a rule has the final regret of never stopping; empty with too few units.

    Tasks of one unit are resampled together.
    """
    own = of_source(rows, source)
    if source == ALL and own["source"].nunique() < len(SOURCES):
        return {}
    kept = [
        method
        for method, mine in own.groupby("method", sort=False)
        if mine["task"].nunique() == own["task"].nunique()
    ]
    own = own[own["method"].isin(kept)]
    return times(own, resamples, "unit") if own["unit"].nunique() >= FEWEST else {}


def more_regret(rows: pd.DataFrame, source: str, rival: str = NONE) -> Interval | None:
    """Regret at the end of the budget, minus the rival's."""
    own = of_source(rows, source)
    left = ends(own)
    return Interval.of_mean(left[OURS] - left[rival]) if len(own) else None
