"""Which runs of a file have finished? Those that have come to the largest step that was planned, by --ends-at or by the log.

A run that stopped early was stopped for a reason, and bands that are calibrated on it would be those of stopped runs.
"""

from typing import NamedTuple

from curvecast.forecasting.epochs import default_horizon
from curvecast.forecasting.finished_runs import has_come_to
from curvecast.forecasting.user_input import Seen
from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.checked_points import Run


class Plan(NamedTuple):
    horizon: float
    finished: list[int]  # places of the runs that calibrate the bands of the others
    ended: list[int]  # of all that have come to the planned end: that of all or, by its log, of this one


def plan(
    found: list[Run], seen: list[Seen], horizon: float | None, ends_at: float | None, calibrate: bool
) -> Plan:
    """How far all runs go, and which of them have."""
    end = _end(found, ends_at, horizon)
    if end is None:
        until = max(default_horizon(run.steps, run.axis) for run in seen) if horizon is None else horizon
        return Plan(until, [], [])
    finished = [i for i, run in enumerate(seen) if has_come_to(run, end)]
    furthest = max(float(run.steps[-1]) for run in seen) if finished else end
    until = furthest if horizon is None else horizon
    reached = [i for i in finished if has_come_to(seen[i], until)]
    ends = [end if run.planned is None else min(end, run.planned) for run in found]
    ended = [i for i, run in enumerate(seen) if has_come_to(run, ends[i])]
    return Plan(until, reached if calibrate else [], ended)


def _end(runs: list[Run], ends_at: float | None, horizon: float | None) -> float | None:
    """The largest step that was planned, if that is known."""
    planned = [run.planned for run in runs if run.planned is not None]
    if ends_at is None:
        return max([*planned, *(run.steps[-1] for run in runs)]) if planned else None
    check(ends_at, horizon)
    for run in runs:
        wrong = beyond(run, ends_at)
        demand(not wrong, wrong)
    return ends_at


def check(ends_at: float, horizon: float | None) -> None:
    """What can be said of --ends-at before a log is read."""
    told = f"--ends-at {ends_at:.12g}"
    demand(0 < ends_at < float("inf"), f"{told}: give the last planned step, such as 100")
    if horizon is not None and horizon > ends_at:
        raise UserError(f"--horizon {horizon:.12g} is after {told}, where runs end: leave one of them out")


def beyond(run: Run, ends_at: float) -> str:
    """What is wrong with a run that has gone on after the planned end; nothing where it has not."""
    if run.steps[-1] <= ends_at * (1 + 1e-9):
        return ""
    where = f"run '{printable(run.name)}' has reached step {run.steps[-1]:.12g}"
    return f"{where}, after --ends-at {ends_at:.12g}: give the largest planned step"
