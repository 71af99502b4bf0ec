"""Runs while they train: who will probably win, who could stop now, and what that would save.

A run could stop when no later step has a chance of more than delta to beat the best value of all runs so far. The run
that holds this best value is never among them: what it has reached would be lost with it.
"""

import math
from typing import NamedTuple

import numpy as np

from curvecast.command.terminal import with_holes
from curvecast.forecasting.api import forecast
from curvecast.forecasting.epochs import axis, default_horizon
from curvecast.forecasting.forecast import RARE, Forecast
from curvecast.forecasting.forecasts import Forecasts
from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Run

AT_ONCE = 100  # runs in one call
DRAWS = 4_000_000  # numbers that the chances to win are counted from, in all
Metric = tuple[str, tuple[float, float] | None, bool | None]  # name, bounds, minimise


class Standing(NamedTuple):
    run: Forecast
    wins: float  # the chance to be the best of all at the horizon
    beats: float  # the chance to beat the best value so far, at the later step where it is largest
    hopeless: bool
    left: float  # from its last step to the horizon


class Ranking:
    """Keeps forecasts from one look to the next: only runs that have grown are forecast again."""

    def __init__(self, metric: Metric, horizon: float | None, delta: float, least: int):
        self._metric, self._horizon = metric, horizon
        self._delta, self._least = delta, least
        self._known: dict[str, tuple[Run, float, Forecast]] = {}  # by name: what it was made of
        self.left_out: dict[str, str] = {}  # runs that cannot be forecast, and why

    def of(self, runs: list[Run]) -> list[Standing]:
        """The run that will probably win first."""
        self.left_out = {}
        end = self._horizon if self._horizon is not None else _horizon(runs)
        self._known = {run.name: self._known[run.name] for run in runs if self._same(run, end)}
        new = [run for run in runs if run.name not in self._known]
        for start in range(0, len(new), AT_ONCE):
            self._forecast(new[start : start + AT_ONCE], end)
        every = Forecasts(self._known[run.name][2] for run in runs if run.name in self._known)
        return self._ranked(every) if every else []

    def _same(self, run: Run, end: float) -> bool:
        before, its_end, _ = self._known.get(run.name, (None, 0, None))
        return before == run and its_end == end

    def _forecast(self, some: list[Run], end: float) -> None:
        """All at once; where one of them is wrong, one by one, so that the others do not suffer."""
        try:
            found = self._asked(some, end)
        except UserError as error:
            if len(some) == 1:
                self.left_out[some[0].name] = str(error)
                return
            for run in some:
                self._forecast([run], end)
            return
        self._known |= {run.name: (run, end, one) for run, one in zip(some, found, strict=True)}

    def _asked(self, some: list[Run], end: float) -> Forecasts:
        name, bounds, minimise = self._metric
        steps, values = zip(*map(with_holes, some), strict=True)
        names = [run.name for run in some]
        found: Forecasts = forecast(
            values, steps, end, name, bounds=bounds, minimise=minimise, names=names, check=False
        )
        return found

    def _ranked(self, every: Forecasts) -> list[Standing]:
        wins = every.wins(n=max(200, min(4000, DRAWS // len(every))))
        best = every.best
        found = [self._standing(run, float(win), best) for run, win in zip(every, wins, strict=True)]
        Forecasts(
            one.run for one in found if one.hopeless
        ).judge()  # a verdict wants to know whether it can be trusted
        return sorted(
            found, key=lambda one: -one.wins
        )  # those of equal chance stay in the order of their names

    def _standing(self, run: Forecast, wins: float, best: float) -> Standing:
        going = len(run.steps) > 0
        beats = run.prob_beats(best)
        hopeless = going and len(run.observed) >= self._least and beats <= self._delta and run.best != best
        left = float(run.steps[-1] - run.observed_steps[-1]) if going else 0.0
        return Standing(run, wins, beats, hopeless, left)


def unlike(run: Forecast) -> bool:
    """Of a run whose oddness was judged."""
    odd = run.__dict__.get("in_prior")
    return odd is not None and odd < RARE


def _horizon(runs: list[Run]) -> float:
    every = [np.array(with_holes(run)[0]) for run in runs]
    return max((default_horizon(steps, axis(steps)) for steps in every), default=math.nan)
