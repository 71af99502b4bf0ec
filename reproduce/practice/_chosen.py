"""For each source: the patience one would choose, when each rule has the final regret of never stopping, and who is faster.

Rows of the test set are reported. Patience is tuned on the tuning set, on other units than the one it is used for. Each
task has its own goal, so the size of its regret plays no part. Units of a source weigh the same, and so do sources, which
vary where there are several.
"""

import numpy as np
import pandas as pd

from curvecast.curves.real_table import TEST, TUNING
from curvecast.scores.pools_of_runs import NONE, PATIENCE, times_by_task
from presswork import Interval, where
from reproduce.protocols.stopping_rules import SPENT

SIDES = {TUNING: "tuning set", TEST: "test set"}
SOURCES = {"taskset": "TaskSet", "own": "our own runs", "algoperf": "AlgoPerf", "deepobs": "DeepOBS"}
ALL = "all"
TUNED_ON = {"nothing": "taskset"}  # which has the same tasks, and runs that learn
OURS = "shipped"
PATIENT = [f"patience {k}" for k in PATIENCE]
CHOSEN = "patience chosen"
FEWEST = 3  # units of a source, below which an interval would say nothing


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The test set, with one more rule: the patience that is fastest on the other tasks of the tuning set."""
    frames = [where(rows, side=TEST)]
    for source, own in frames[0].groupby("source", sort=False):
        look = where(rows, source=TUNED_ON.get(str(source), source), side=TUNING)
        for task, unit in own[["task", "unit"]].drop_duplicates().itertuples(index=False):
            if len(others := look[look["unit"] != unit]):
                frames.append(where(own, task=task, method=fastest_patience(others)).assign(method=CHOSEN))
    return pd.concat(frames, ignore_index=True)


def fastest_patience(rows: pd.DataFrame) -> str:
    """In the geometric mean of these tasks; of equally fast ones the shortest."""
    spent = times_by_task(rows[rows["method"].isin([NONE, *PATIENT])])
    return min(PATIENT, key=lambda method: float(np.log(_spent(spent, method)).mean()))


def of_source(rows: pd.DataFrame, source: str) -> pd.DataFrame:
    """Of rules that were tried on each task."""
    own = rows[rows["source"].isin(SOURCES)] if source == ALL else where(rows, source=source)
    return own[own.groupby("method")["task"].transform("nunique") == own["task"].nunique()]


def reached(rows: pd.DataFrame, source: str) -> dict[str, pd.Series]:
    """By source, unit and task: thousandths of the budget until a rule has what never stopping ends with in this task.

    Infinite where it never does; empty with too few units.
    """
    own = of_source(rows, source)
    units = own.groupby("source")["unit"].nunique()
    if not (units >= FEWEST).all() or len(units) < (len(SOURCES) if source == ALL else 1):
        return {}
    about = own.drop_duplicates("task")[["source", "unit", "task"]]
    index = pd.MultiIndex.from_frame(about)
    return {rule: when[about["task"]].set_axis(index) for rule, when in times_by_task(own).items()}


def faster(found: dict[str, pd.Series], method: str, rival: str = NONE) -> Interval | None:
    """How many times as fast as a rival: the geometric mean."""
    if not {method, rival} <= set(found):
        return None
    lead = over_units(np.log(_spent(found, rival) / _spent(found, method)))
    return lead and lead.exp()


def over_units(values: pd.Series) -> Interval | None:
    """The mean over sources of means over units, by Student's t: of several sources, these are what varies."""
    units = values.groupby(["source", "unit"]).mean()
    sources = units.groupby("source").mean()
    return Interval.of_mean(sources if len(sources) > 1 else units.droplevel("source").rename_axis("task"))


def _spent(spent: dict[str, pd.Series], method: str) -> pd.Series:
    """A search that never gets there was made in vain: what one that never stops spends is added."""
    return spent[method].where(np.isfinite(spent[method]), SPENT[-1] + spent[NONE])
