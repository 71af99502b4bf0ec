"""A planned learning rate, as users give it, at any step of a run: what a forecast is told of the schedule.

By name (constant, linear, cosine: to zero at the horizon), by the steps at which it changes (from the value that is logged
at this step on), epoch by epoch (one is the usual gap between two values), or as a function. The unit of the rate means
nothing: the network sees shares of the highest one that is planned.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from curvecast.forecasting.epochs import Axis
from curvecast.forecasting.network import LEAST_RATE
from curvecast.forecasting.user_input import is_run, number
from curvecast.ground.errors import UserError, demand

Array = np.ndarray
PROBES = 101  # steps at which a function is asked for its highest rate
NAMED: dict[str, Callable[[float], float]] = {  # of the share of the run
    "constant": lambda _: 1.0,
    "linear": lambda share: 1 - share,
    "cosine": lambda share: (1 + math.cos(math.pi * share)) / 2,
}
FORMS = f"one of {', '.join(NAMED)}, pairs such as [(1, 0.1), (81, 0.01)], a rate for each epoch, or a function of the step"


@dataclass(frozen=True)
class Schedule:
    name: str = ""
    changes: tuple[tuple[float, float], ...] = ()  # from this step on, this rate
    epochs: tuple[float, ...] = ()
    function: Callable[[float], float] | None = None

    def shares(self, steps: Array, ahead: Array, axis: Axis, where: str) -> tuple[Array, Array]:
        """At the steps seen, and at those ahead, the last of which is the horizon; relative to the highest rate up to it."""
        end = float(ahead[-1])
        if self.epochs:
            epochs = _epoch(end, axis)
            given = f"the schedule has {len(self.epochs)} rates"
            way = "give one for each epoch up to the horizon, or the steps at which the rate changes"
            told = f"and the horizon {end:g} is epoch {epochs} (one is {axis.unit:g} steps)"
            demand(epochs == len(self.epochs), f"{where}: {given}, {told}: {way}")
        return self.at(steps, end, axis, where), self.at(ahead, end, axis, where)

    def at(self, steps: Array, end: float, axis: Axis, where: str) -> Array:
        """At these steps of a run that goes to this end."""
        rates = np.array([self._rate_at(float(step), axis, end, where) for step in steps])
        peak = self._peak(axis, end, where)
        demand(peak > 0, f"{where}: the schedule is zero at all steps: give the planned learning rates")
        # a rate of nothing is a low one: to the network, zero is a rate that nobody told
        return np.maximum(rates / peak, LEAST_RATE)

    def _peak(self, axis: Axis, end: float, where: str) -> float:
        """The highest rate up to the end; of a function, of a hundred steps, whole ones where the run's are whole."""
        if self.function is None:
            return max([rate for begins, rate in self.changes if begins <= end] or self.epochs or (1.0,))
        probes = np.linspace(axis.unit - axis.shift, end, PROBES)
        if axis.unit.is_integer() and axis.shift.is_integer():
            probes = probes.round()
        return max(self._rate_at(float(step), axis, end, where) for step in probes)

    def _rate_at(self, step: float, axis: Axis, end: float, where: str) -> float:
        if self.name:
            passed = (step + axis.shift - axis.unit) / (end + axis.shift)
            return NAMED[self.name](min(max(passed, 0.0), 1.0))
        if self.changes:
            first = self.changes[0][0]
            late = f"the schedule begins at step {first:g}, after step {step:g}"
            # the first of steps that count from 0 may be called 1
            demand(step + axis.shift >= first * (1 - 1e-9), f"{where}: {late}: give all of it")
            there = [rate for begins, rate in self.changes if begins <= step * (1 + 1e-9)]
            return there[-1] if there else self.changes[0][1]
        if self.epochs:
            return self.epochs[min(_epoch(step, axis), len(self.epochs)) - 1]
        assert self.function is not None
        at = int(step) if step.is_integer() else step  # so that it may be an index
        try:
            rate = self.function(at)
        except Exception as error:
            failed = f"the schedule, a function of yours, failed at step {step:g}"
            raise UserError(f"{failed} ({type(error).__name__}: {error})") from error
        return _rate(rate, f"the schedule at step {step:g}")


def _epoch(step: float, axis: Axis) -> int:
    """Which one it is, counted from 1."""
    return max(math.ceil((step + axis.shift) / axis.unit - 1e-6), 1)


def schedule_of(given: Any) -> Schedule | None:
    """What a user gives; or one sentence on what is wrong with it."""
    if given is None or isinstance(given, Schedule):
        return given
    if isinstance(given, str):
        return _of_text(given)
    if callable(given):
        return Schedule(function=given)
    if isinstance(given, Mapping):
        given = list(given.items())
    demand(is_run(given) and len(given) > 0, f"schedule is {given!r:.60}: give {FORMS}")
    if all(is_run(one) and len(one) == 2 for one in given):
        return _of_changes([(one[0], one[1]) for one in given])
    return Schedule(epochs=tuple(_rate(rate, f"rate {i}") for i, rate in enumerate(given, 1)))


def given(schedule: Schedule | None) -> Any:
    """As JSON, of which `schedule_of` makes the same one again; None where it is a function."""
    if schedule is None:
        return None
    return schedule.name or [list(pair) for pair in schedule.changes] or list(schedule.epochs) or None


def _of_text(text: str) -> Schedule:
    """A name, or changes such as 1:0.1,81:0.01."""
    if text in NAMED:
        return Schedule(name=text)
    try:
        changes = [(float(step), float(rate)) for step, rate in (part.split(":") for part in text.split(","))]
    except ValueError:  # of a number, or of how many
        way = f"give one of {', '.join(NAMED)}, or steps and rates such as 1:0.1,81:0.01"
        raise UserError(f"schedule {text!r:.60}: {way}") from None
    return _of_changes(changes)


def _of_changes(pairs: list[tuple[Any, Any]]) -> Schedule:
    changes: list[tuple[float, float]] = []
    for i, (at, rate) in enumerate(pairs, 1):
        changes.append((number(at, f"step {i} of the schedule"), _rate(rate, f"rate {i}")))
    rise = all(before < after for (before, _), (after, _) in itertools.pairwise(changes))
    demand(rise, "the steps of the schedule must rise: sort them")
    return Schedule(changes=tuple(changes))


def _rate(value: Any, what: str) -> float:
    rate = number(value, what)
    demand(rate >= 0, f"{what} is {rate:g}: a learning rate is not negative")
    return rate
