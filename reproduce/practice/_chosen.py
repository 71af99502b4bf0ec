"""For each source: the patience one would choose, when each rule has the final regret of never stopping, and who is faster.

Rows of the test set are reported. Patience is tuned on the tuning set, on other tasks than the one it is used for. Each
task has its own goal, so the size of its regret plays no part. Units of a source weigh the same, and so do sources, which
vary where there are several.
"""

import numpy as np
import pandas as pd

from curvecast.curves.real_table import TEST, TUNING
from curvecast.scores.pools_of_runs import PATIENCE
from curvecast.scores.regret import NONE, times_by_task
from presswork import Interval, where
from reproduce.protocols.stopping_rules import SPENT
from reproduce.protocols.times_sooner import cell

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
        for task in own["task"].unique():
            if len(others := look[look["task"] != task]):
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
    return {rule: _named(when, own) for rule, when in times_by_task(own).items()}


def _named(by_task: pd.Series, rows: pd.DataFrame) -> pd.Series:
    """With the source and the unit of each task."""
    about = rows.drop_duplicates("task")[["source", "unit", "task"]]
    return by_task[about["task"]].set_axis(pd.MultiIndex.from_frame(about))


def in_cell(found: Interval | None) -> str:
    """As in running text: 1.9 [1.4, 2.4], or never."""
    return cell(found, "{} [{}, {}]")


def faster(found: dict[str, pd.Series], method: str, rival: str = NONE) -> Interval | None:
    """How many times as fast as a rival: the geometric mean."""
    lead = over_units(_lead(found, method, rival)) if {method, rival} <= set(found) else None
    return lead and lead.exp()


def over_units(values: pd.Series) -> Interval | None:
    """The mean over sources of means over units, by Student's t: of several sources, these are what varies."""
    units = values.groupby(["source", "unit"]).mean()
    sources = units.groupby("source").mean()
    return Interval.of_mean(sources if len(sources) > 1 else units.droplevel("source").rename_axis("task"))


def _lead(spent: dict[str, pd.Series], method: str, rival: str) -> pd.Series:
    return np.log(_spent(spent, rival) / _spent(spent, method))


def _spent(spent: dict[str, pd.Series], method: str) -> pd.Series:
    """A search that never gets there was made in vain: what one that never stops spends is added."""
    return spent[method].where(np.isfinite(spent[method]), SPENT[-1] + spent[NONE])
