"""Runs while they train: who will probably win, who could stop now, and what that would save.

A run could stop when no later step has a chance of more than delta to beat the best value of all runs so far. The run
that holds this best value is never among them: what it has reached would be lost with it. Nor, unless asked for, is a run
whose forecast should not be trusted. Nor are runs that have come to the end that was planned: they have finished, and the
bands of those that go on are calibrated on them.
"""

import warnings
from typing import NamedTuple

from curvecast.command import planned
from curvecast.command.terminal import as_seen
from curvecast.forecasting.api import Unlike, forecast
from curvecast.forecasting.finished_runs import EndedRun, FinishedRuns
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.forecasts import Forecasts
from curvecast.forecasting.user_input import Seen
from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Run

AT_ONCE = 100  # runs in one call
NONE = FinishedRuns()
DRAWS = 4_000_000  # numbers that the chances to win are counted from, in all
Metric = tuple[str, tuple[float, float] | None, bool | None]  # name, bounds, minimise


class Standing(NamedTuple):
    run: Forecast
    wins: float  # the chance to be the best of all at the horizon
    beats: float  # the chance to beat the best value so far, at the later step where it is largest
    hopeless: bool  # unless asked for, not where its forecast should not be trusted
    left: float  # from its last step to the horizon
    finished: bool  # has it come to the end that was planned?
    pace: float | None  # seconds a step, where its log tells times


class Known(NamedTuple):
    """A forecast, and what it was made of."""

    run: Run
    end: float
    evidence: FinishedRuns
    forecast: Forecast


class Ranking:
    """Keeps forecasts from one look to the next: runs are forecast again that have grown, and all when one has finished."""

    def __init__(
        self, metric: Metric, horizon: float | None, delta: float, least: int, *, ends_at: float | None = None,
        calibrate: bool = True, doubtful: bool = False,
    ):  # fmt: skip
        self._metric, self._horizon, self._ends_at = metric, horizon, ends_at
        self._delta, self._least, self._calibrate, self._doubtful = delta, least, calibrate, doubtful
        self._known: dict[str, Known] = {}  # by name
        self._ended: dict[str, tuple[Run, EndedRun]] = {}  # by name, those that calibrate
        self._evidence = FinishedRuns()
        self.left_out: dict[str, str] = {}  # runs that cannot be forecast, and why

    def of(self, runs: list[Run]) -> list[Standing]:
        """The run that will probably win first."""
        self.left_out = {}
        if self._ends_at is not None:
            wrong = {run.name: planned.beyond(run, self._ends_at) for run in runs}
            self.left_out = {name: complaint for name, complaint in wrong.items() if complaint}
        runs = [run for run in runs if run.name not in self.left_out]
        if not runs:
            return []
        seen = as_seen(runs)
        plan = planned.plan(runs, seen, self._horizon, self._ends_at, self._calibrate)
        finished = {runs[i].name for i in plan.ended}
        before, self._known = self._known, {}
        for run in runs:
            if run.name in finished:
                self._keep(before, [run], run.steps[-1], NONE)
        self._take([(runs[i], seen[i]) for i in plan.finished if runs[i].name in self._known])
        going = [run for run in runs if run.name not in finished]
        self._keep(before, going, plan.horizon, self._evidence)
        every = Forecasts(self._known[run.name].forecast for run in runs if run.name in self._known)
        return self._ranked(every, finished) if every else []

    def _take(self, ended: list[tuple[Run, Seen]]) -> None:
        """Those that have finished as evidence, which stays the same where they do; what was found of a run is kept."""
        known, self._ended = self._ended, {}
        for run, seen in ended:
            before = known.get(run.name)
            self._ended[run.name] = before if before and before[0] == run else (run, EndedRun(seen))
        if self._ended != known:
            self._evidence = FinishedRuns([one for _, one in self._ended.values()])

    def _keep(self, before: dict[str, Known], runs: list[Run], end: float, evidence: FinishedRuns) -> None:
        """Forecasts of these runs to this end: those that were made of the same, and new ones."""
        same = [run for run in runs if run.name in before and before[run.name][:3] == (run, end, evidence)]
        self._known |= {run.name: before[run.name] for run in same}
        new = [run for run in runs if run.name not in self._known]
        for start in range(0, len(new), AT_ONCE):
            self._forecast(new[start : start + AT_ONCE], end, evidence)

    def _forecast(self, some: list[Run], end: float, evidence: FinishedRuns) -> None:
        """All at once; where one of them is wrong, one by one, so that the others do not suffer."""
        name, bounds, minimise = self._metric
        names = [run.name for run in some]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Unlike)  # the table says it
                forecasts: Forecasts = forecast(
                    as_seen(some), None, end, name, bounds=bounds, minimise=minimise, names=names,
                    finished=evidence,
                )  # fmt: skip
        except UserError as error:
            if len(some) == 1:
                self.left_out[some[0].name] = str(error)
                return
            for run in some:
                self._forecast([run], end, evidence)
            return
        pairs = zip(some, forecasts, strict=True)
        self._known |= {run.name: Known(run, end, evidence, one) for run, one in pairs}

    def _ranked(self, every: Forecasts, finished: set[str]) -> list[Standing]:
        wins = every.wins(n=max(200, min(4000, DRAWS // len(every)))).tolist()
        best, standings = every.best, list[Standing]()
        for run, win in zip(every, wins, strict=True):
            going = len(run.steps) > 0
            beats = run.prob_beats(best)
            watched = going and len(run.observed) >= self._least
            behind = watched and beats <= self._delta and run.best != best
            hopeless = behind and (self._doubtful or not run.warnings)
            left = float(run.steps[-1] - run.observed_steps[-1]) if going else 0.0
            pace = self._known[run.name].run.pace
            standings.append(Standing(run, win, beats, hopeless, left, run.name in finished, pace))
        return sorted(standings, key=lambda one: -one.wins)  # of equal chance: in the order of their names
