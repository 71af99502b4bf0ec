"""One value of a training, by its name, on its way to a Stopper: what the callbacks share."""

from collections.abc import Callable, Mapping
from typing import Any

from curvecast.ground.errors import UserError, demand
from curvecast.logs.columns import less_is_better, listed
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
