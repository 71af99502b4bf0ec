"""Runs of a search that have come to the horizon: the bands of those that still train are calibrated on them."""

from collections.abc import Hashable

from curvecast.forecasting.finished_runs import MOST, EndedRun, FinishedRuns
from curvecast.forecasting.user_input import clean
from curvecast.ground.errors import UserError
from curvecast.while_training.stopper import Stopper

LEAST = 2  # runs: one of them says nothing of its kind
SHARE = 10  # from twenty runs on they are taken in tenths, since what is new costs every step some time once


class WholeRuns:
    """A run that ended before the horizon was stopped, for a reason, and is no evidence.

    calibrating   the latest of them, for a search moves on; none while there are few
    """

    def __init__(self) -> None:
        self.calibrating = FinishedRuns()
        self._latest: list[EndedRun] = []
        self._known: dict[Hashable, object] = {}
        self._count = 0

    def add(self, name: Hashable, run: Stopper) -> None:
        """A run that has ended, or goes on; once it is taken it is known."""
        if name in self._known or not run.values or run.horizon is None:
            return
        try:
            ended = EndedRun(clean(run.values, run.steps, False, "a finished run"))
            ended.until(run.metric, run.horizon, None, "a finished run")
        except UserError:  # it has not come to the horizon, or has no scale
            return
        here = object()
        if self._known.setdefault(name, here) is not here:
            return  # another thread was quicker
        self._count += 1
        self._latest = [*self._latest, ended][-MOST:]
        if self._count >= LEAST and self._count % max(1, min(self._count, MOST) // SHARE) == 0:
            self.calibrating = FinishedRuns(self._latest)
