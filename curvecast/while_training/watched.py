"""One value of a training, by its name, on its way to a Stopper: what the callbacks share."""

import json
import os
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from curvecast.forecasting.finished_runs import MOST, EndedRun, FinishedRuns
from curvecast.forecasting.user_input import clean
from curvecast.ground import whole_file
from curvecast.ground.errors import UserError, demand
from curvecast.logs.columns import listed
from curvecast.logs.direction import less_is_better
from curvecast.while_training.check import Out, Telling, beside_a_log, never_harm
from curvecast.while_training.stopper import Stopper


class Watching:
    """Whoever watches a value, and tells where that does."""

    watched: "Watched"

    @property
    def telling(self) -> Telling:
        return self.watched.telling


def says_metric(how: dict[str, Any]) -> bool:
    return any(how.get(name) is not None for name in ("metric", "bounds", "minimise"))


class Watched:
    """how: the Stopper's settings; its horizon, if it is not among them, is that of the training.

    log   where a line goes when the run could stop, and trouble: a complaint; with `tell` among the settings, that gets
          both and a line of every check
    """

    def __init__(self, monitor: str, how: dict[str, Any], log: Out | None = None, trouble: Out | None = None):
        if not isinstance(monitor, str) or not monitor:
            raise UserError(f"monitor is {monitor!r}: name one value; for two values use two callbacks")
        way = "set metric='loss' or metric='error', or minimise=False"
        clear = says_metric(how) or not less_is_better(monitor)
        demand(clear, f"'{monitor}' sounds as if lower were better: {way}")
        self.monitor, self._how, self._logs = monitor, how, (log, trouble)
        self.begin()

    @property
    def act(self) -> bool:
        return self.stopper.act

    def begin(self) -> None:
        """A new run; one that goes on is fed or loaded afterwards."""
        self.stopper = Stopper(**self._how | {"tell": beside_a_log(self._how.get("tell"), *self._logs)})
        self.telling = self.stopper.telling
        self._right = False  # was there a value that the settings fit?

    def refuse(self, values: Mapping[str, Any], complete: bool = True) -> None:
        """Raises an error if the first values say that a setting is wrong; complete: no others are still to come."""
        if self._right or self.stopper.values:
            return
        if self.monitor in values:
            self.stopper.refuse(values[self.monitor])
            self._right = True
        elif complete:
            raise UserError(f"{self._absent(values)}: set monitor to one of these")

    @never_harm(otherwise=None)
    def take(
        self, step: Callable[[], float], horizon: Callable[[], float | None], values: Mapping[str, Any]
    ) -> None:
        """Step and horizon are asked for in here, where a fault does no harm."""
        if self.monitor not in values:
            self.telling.once("monitor", f"{self._absent(values)}: nothing to forecast")
            return
        if self._how.get("horizon") is None:
            end = horizon()
            self.stopper.horizon = end if end and 0 < end < float("inf") else None
        self.stopper.take(step(), values[self.monitor])

    def decide(
        self, step: Callable[[], float], horizon: Callable[[], float | None], values: Mapping[str, Any]
    ) -> bool:
        """True where the training should stop, and was to be stopped."""
        self.take(step, horizon, values)
        return self.stopper.should_stop()

    def _absent(self, values: Mapping[str, Any]) -> str:
        there = listed(sorted(map(str, values))) or "nothing"
        return f"'{self.monitor}' is not among the logged values ({there})"


# -----------------------------------------------------------------------------------------------------------
# What stoppers know, in a file with a JSON object a line, for trainings whose library keeps no state of a callback.


class Kept:
    """path: of the file, which may not be there yet; None keeps nothing."""

    def __init__(self, path: str | Path | None):
        self.path = None if path is None else Path(path)

    def read(self) -> dict[str, Any]:
        """By run; empty where nothing was kept. A further line that a kill cut off is left out."""
        if self.path is None or not self.path.exists():
            return {}
        first, *more = self.path.read_text(encoding="utf-8").split("\n")
        try:
            states = dict(json.loads(first).items())
        except (ValueError, AttributeError):
            way = "remove it, or name another file"
            raise UserError(f"{self.path} was not written by this callback: {way}") from None
        for line in more:
            with suppress(ValueError, AttributeError):
                ((name, state),) = json.loads(line).items()
                states[name] = _gone_on(states[name], state) if name in states else state
        return states

    def write(self, states: dict[str, Any]) -> None:
        """All runs anew."""
        if self.path is not None:
            whole_file.write(self.path, json.dumps(states, allow_nan=False).encode())

    def add(self, name: str, state: dict[str, Any]) -> None:
        """The last value of a run, in a line of its own: what a search keeps grows with its values, not with their square."""
        if self.path is None:
            return
        last = {name: state | {key: state[key][-1:] for key in ("steps", "values")}}
        if not self.path.exists():
            self.write(last)
            return
        try:
            with open(self.path, "ab") as file:
                file.write(b"\n" + json.dumps(last, allow_nan=False).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {error.strerror}; free some space") from error


def _gone_on(run: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    """A run and its last value, which takes the place of all from its step on; without one nothing is left."""
    steps, values = run["steps"], run["values"]
    while steps and (not last["steps"] or steps[-1] >= last["steps"][0]):
        steps.pop(), values.pop()
    steps.extend(last["steps"]), values.extend(last["values"])
    return last | {"steps": steps, "values": values}


# -----------------------------------------------------------------------------------------------------------
# Runs of a search that have come to the horizon: the bands of those that still train are calibrated on them.

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
        self._latest = [*self._latest, ended][-MOST:]
        count = len(self._known)
        if count >= LEAST and count % max(1, min(count, MOST) // SHARE) == 0:
            self.calibrating = FinishedRuns(self._latest)
