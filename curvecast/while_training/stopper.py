"""One run, value by value: where will it end, and could it stop?

stopper = Stopper(horizon=100, best=0.78)
for epoch in range(1, 101):
    ...
    stopper.observe(epoch, accuracy)
    if stopper.should_stop():   # reports "will end at 0.71 ± 0.03, 4 % to beat 0.78"; True only with act=True
        break
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from curvecast.forecasting.api import forecast as forecast_runs
from curvecast.forecasting.doubts import other_way
from curvecast.forecasting.finished_runs import FinishedRuns, given
from curvecast.forecasting.first_passage import target_within
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.normalise import metric_of
from curvecast.forecasting.schedule import schedule_of
from curvecast.forecasting.user_input import number
from curvecast.ground.errors import UserError, demand
from curvecast.while_training.check import BEST, Check, Telling, best_of, check_run, finite, never_harm, whole

LEAST = 5  # values before the first check


class Stopper:
    """Watches one run, and advises. Where a method meets a fault, it reports the fault, and the training goes on.

    horizon   the last step of the run; default as in `forecast`
    metric    "accuracy" (the default), "percent", "error", "loss", or the lowest and highest value, such as (0, 500)
    bounds    the lowest and highest value, in place of those of the named metric; one of them may be infinite
    minimise  True where lower is better; default as for the metric
    best      the best value of all other runs so far; may be set again at any time. A run that is at least as good leads,
              and is never hopeless. Without best and others the run is alone: as with early stopping, it is hopeless when
              it is unlikely to improve on its own best value
    others    values of other runs, a list for each; the best of them counts; [] before there are any
    delta     a chance, 0.05 by default: a run is hopeless when no later step has a chance above it to beat the best so far
    target    a value: each line says too when the run will reach it
    least     how many values are observed before the first check; default 5
    every     after how many further values the next check follows; default 1
    act       True: should_stop() returns True for a hopeless run; False, the default: it only reports
    doubtful  True: a hopeless run may stop even where its forecast should not be trusted, as when it has hardly moved
              yet; False, the default: its line says why it should go on
    finished  finished runs of the same kind, a list of values for each; the intervals are calibrated on them
    finished_steps  their steps, a list for each or once for all; default 1, 2, 3, ...
    schedule  the planned learning rate, as in `forecast`
    name      of the run, for its lines
    tell      a function that takes a string, and gets each line in place of standard error
    """

    def __init__(
        self,
        horizon: float | None = None,
        metric: str | tuple[float, float] = "accuracy",
        *,
        bounds: tuple[float, float] | None = None,
        minimise: bool | None = None,
        best: float | None = None,
        others: Iterable[Sequence[float]] | None = None,
        delta: float = 0.05,
        target: float | None = None,
        least: int = LEAST,
        every: int = 1,
        act: bool = False,
        doubtful: bool = False,
        finished: Sequence[Sequence[float]] | FinishedRuns = (),
        finished_steps: Sequence[Any] | None = None,
        schedule: Any = None,
        name: str = "",
        tell: Callable[[str], object] | Telling | None = None,
    ):
        self.metric = metric_of(metric, bounds, minimise)
        self.horizon = None if horizon is None else number(horizon, "the horizon")
        self.alone = others is None
        runs = [*([] if others is None else others), *([] if best is None else [[best]])]
        self.best = best_of(runs, self.metric.minimise)
        self.delta = number(delta, "delta")
        low, high = self.metric.low, self.metric.high
        if self.best is not None:
            target_within(self.best, low, high, BEST)
        self.target = None if target is None else target_within(target, low, high)
        self.least, self.every = whole(least, "least"), whole(every, "every")
        demand(0 < self.delta < 1, f"delta is {delta}: give a probability between 0 and 1, such as 0.05")
        self.act, self.doubtful, self.name = bool(act), bool(doubtful), name
        self.finished = given(finished, finished_steps, False)
        self.schedule = schedule_of(schedule)
        self.telling = tell if isinstance(tell, Telling) else Telling(tell)
        self.steps: list[float] = []
        self.values: list[float] = []
        self.missing = 0  # values that were none: NaN, infinite, absent, out of bounds
        self._checked_after = 0  # how many values the last check had seen
        self._check: Check | None = None

    @property
    def minimise(self) -> bool:
        """True where lower is better."""
        return self.metric.minimise

    def observe(self, step: Any, value: Any) -> None:
        """Takes a value. One that is no finite number within the bounds is left out, and the first such one is reported.

        A first value outside the bounds raises an error: the metric is wrong. Where a step comes again, as in a resumed
        training, it replaces the old values from this step on.
        """
        if not self.values and not self.missing:
            self.refuse(value)
        self.take(step, value)

    def refuse(self, value: Any) -> None:
        """Raises an error if a first value shows that the metric is wrong."""
        m, first = self.metric, finite(value)
        if first is not None and not m.low <= first <= m.high:
            outside = f"outside {m.low:g} to {m.high:g}: set metric, or bounds"
            raise UserError(f"{self._of()}the first value is {first:g}, {outside}")

    @never_harm(otherwise=None)
    def take(self, step: Any, value: Any) -> None:
        """As `observe`, and raises nothing."""
        at, measured = finite(step), finite(value)
        if at is None or at < 0:
            self.telling.once("step", f"{self._of()}{step!r} is not a step from 0 on: it is ignored")
            return
        wrong = self._wrong(value, measured)
        if not wrong or (self.steps and at < self.steps[-1]):
            self._forget_from(at)
        if wrong or measured is None:
            self.missing += 1
            ignored = f"step {at:g} has {wrong}: it is ignored, as are further ones"
            self.telling.once("value", f"{self._of()}{ignored}")
            return
        self.steps.append(at)
        self.values.append(measured)

    @never_harm(otherwise=False)
    def should_stop(self) -> bool:
        """Checks, and reports in one line; True if `act` is set, and the run is hopeless beyond doubt."""
        check = self.check()
        return self.act and check is not None and check.hopeless and not self._doubted(check)

    @never_harm(otherwise=None)
    def forecast(self) -> Forecast | None:
        """The forecast; None before there is a value, at the horizon, and past it, which is reported once."""
        if not self.values or self.steps[-1] == self.horizon:
            return None
        m = self.metric
        run: Forecast = forecast_runs(
            self.values, self.steps, self.horizon, bounds=(m.low, m.high), minimise=m.minimise, check=False,
            finished=self.finished, schedule=self.schedule, names=[self.name or "run 1"],
        )  # fmt: skip
        return run

    @never_harm(otherwise=None)
    def check(self) -> Check | None:
        """A new check if at least `every` values have come since the last check; else the last check again.

        None while there are fewer than `least` values, and when the run has reached its horizon.
        """
        seen = len(self.values)
        if seen < self.least or (self._checked_after and seen - self._checked_after < self.every):
            return self._check
        self._checked_after = seen
        run = self.forecast()
        if run is None:
            self._check = None
            return None
        self._check = check_run(run, self.best, self.delta, self.alone)
        if self.target is not None:
            self._check = self._check._replace(when=run.when(self.target))
        self.telling.check(self.name, self.line(), self._verdict())
        if other_way(run):
            way = f"if {'higher' if run.minimise else 'lower'} is better, set minimise={not run.minimise}"
            self.telling.once("direction", f"{self._of()}gets worse and worse: {way}")
        return self._check

    def line(self) -> str:
        """The last check as one line of text."""
        if self._check is None:
            return f"{self._of()}no forecast yet after {len(self.values)} values"
        verdict = f": {said}" if (said := self._verdict()) else ""
        return f"{self._of()}step {self._check.step:g}: {self._check.line(self.horizon is not None)}{verdict}"

    def _verdict(self) -> str:
        """On the run of the last check, if it is hopeless."""
        if self._check is None or not self._check.hopeless:
            return ""
        if self._doubted(self._check):
            return "should go on"
        return "stopped" if self.act else "could stop now"

    def _doubted(self, check: Check) -> bool:
        return bool(check.doubts) and not self.doubtful

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint: plain numbers, which JSON can hold."""
        return {
            "steps": list(self.steps), "values": list(self.values), "missing": self.missing,
            "best": self.best, "minimise": self.minimise, "bounds": self._bounds,
        }  # fmt: skip

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where the run was saved; raises an error if it was saved with another metric."""
        if [state["minimise"], *state["bounds"]] != [self.minimise, *self._bounds]:
            less = "lower" if state["minimise"] else "higher"
            raise UserError(
                f"the saved run had a metric from {state['bounds'][0]} to {state['bounds'][1]}, {less} is better: "
                "use the same metric, or start again"
            )
        self.steps, self.values = list(state["steps"]), list(state["values"])
        self.missing, self._checked_after, self._check = int(state["missing"]), 0, None
        self.best = best_of([[b] for b in (self.best, state["best"]) if b is not None], self.minimise)

    @property
    def _bounds(self) -> list[float | str]:
        """JSON has no infinity."""
        m = self.metric
        return [bound if math.isfinite(bound) else str(bound) for bound in (m.low, m.high)]

    def _forget_from(self, step: float) -> None:
        """A training that was resumed comes through the same steps again."""
        if self.steps and step <= self.steps[-1]:
            if step < self.steps[-1]:
                back = f"step {step:.12g} comes after step {self.steps[-1]:.12g}"
                told = f"{back}: treated as a resumed run, whose new values count"
                self.telling.once("back", f"{self._of()}{told}")
            keep = sum(at < step for at in self.steps)
            del self.steps[keep:], self.values[keep:]
            self._checked_after, self._check = 0, None

    def _wrong(self, value: Any, measured: float | None) -> str:
        m = self.metric
        if value is None:
            return "no value"
        if measured is None:
            return f"the value {value!r:.60}, which is not a finite number"
        if not m.low <= measured <= m.high:
            return f"the value {measured:g}, outside {m.low:g} to {m.high:g} (set metric, or bounds)"
        return ""

    def _of(self) -> str:
        return f"{self.name}, " if self.name else ""
