"""What is said of a run after a value: where it will end, how likely it is to win, whether it could stop.

The rule is the paper's: a run is hopeless when no later epoch has a chance of more than delta to beat the best value so
far, of all runs and its own. But a run that leads others never is: to stop it would lose what it has reached.
"""

import functools
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting.first_passage import When, target_within
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.user_input import is_run
from curvecast.ground.errors import UserError, demand, printable
from curvecast.ground.progress import interval, percent

BAND = 0.9  # the share of futures in the band that a line names
BEST = "the number to beat"  # in percent, say, of an accuracy from 0 to 1 it would make every run hopeless


class Check(NamedTuple):
    step: float  # of the last value
    horizon: float
    end: float  # the median at the horizon
    low: float  # of the band there
    high: float
    chance: float  # to beat the target, at the later step where it is largest
    target: float
    own: bool  # is the target the run's own best?
    hopeless: bool
    doubts: list[str]  # of a hopeless run: why its forecast should not be trusted
    when: When | None = None  # it reaches what it was asked for

    def line(self, horizon_told: bool = True) -> str:
        band = interval(self.low, self.end, self.high)
        where = f"will end at {band}" if horizon_told else f"will be at {band} at step {self.horizon:g}"
        target = f"its own best, {self.target:.4g}" if self.own else f"{self.target:.4g}"
        doubt = "".join(f"; but {doubt}" for doubt in self.doubts)
        reached = self.when is not None and self.when.reached is not None
        reaches = f"; {'' if reached else 'reaches '}{self.when}" if self.when else ""
        return f"{where}, {percent(self.chance)} to beat {target}{reaches}{doubt}"


def check_run(run: Forecast, best: float | None, delta: float, alone: bool = True) -> Check:
    """`run` has steps ahead.

    best    of all other runs, if there are any
    alone   without a best: will there be no others? A run that is alone leads nobody, and may be hopeless
    """
    better = min if run.minimise else max
    target = run.best if best is None else better(target_within(best, *run.bounds, BEST), run.best)
    own = bool(target == run.best)
    leads = own and not (alone and best is None)
    low, end, high = (float(value) for value in run.at_horizon((1 - BAND) / 2, 0.5, (1 + BAND) / 2))
    chance = beats(run, target)
    hopeless = chance <= delta and not leads
    return Check(
        float(run.observed_steps[-1]), float(run.steps[-1]), end, low, high,
        chance, float(target), own, hopeless, run.warnings if hopeless else [],
    )  # fmt: skip


def beats(run: Forecast, target: float) -> float:
    """A value beyond the bound cannot be beaten, and one before it always."""
    low, high = run.bounds
    return run.prob_beats(float(np.clip(target, low, high)))


# -----------------------------------------------------------------------------------------------------------
# No fault of ours ends a training: what goes wrong is reported once, and the training goes on without advice.


def never_harm(otherwise: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For methods of whoever has a `telling`: an exception becomes a sentence, and the answer `otherwise`.

    Ctrl-C and the end of the process are no faults, and pass.
    """

    def guard(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return method(self, *args, **kwargs)
            except Exception as error:
                with suppress(Exception):  # standard error may be closed
                    kind, said = type(error).__name__, f"{error} (the training goes on)"
                    if not isinstance(error, UserError):
                        on = "the training goes on without this advice; please report it"
                        said = f"a bug in curvecast ({kind}: {error}): {on}"
                    self.telling.once(f"{kind} in {method.__name__}", said)
                return otherwise

        return guarded

    return guard


# -----------------------------------------------------------------------------------------------------------
# What a training hands over, as numbers.


def best_of(runs: Sequence[Sequence[Any]], minimise: bool) -> float | None:
    """The best of other runs, if there are any. One that diverged may be among them: its NaN does not count."""
    demand(all(map(is_run, runs)), "others is not a list of runs: give each run as a list of its values")
    numbers = [finite(value) for run in runs for value in run]
    known = [number for number in numbers if number is not None]
    if not known:
        way = "give the values of the other runs, or nothing"
        demand(not any(len(run) for run in runs), f"best and others contain no finite number: {way}")
        return None
    return min(known) if minimise else max(known)


def finite(value: Any) -> float | None:
    """A finite number; arrays and tensors of one number are numbers."""
    try:
        number = float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # RuntimeError: a tensor of several
        return None
    return number if math.isfinite(number) and not isinstance(value, str) else None


def whole(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{what} is {value!r}: give a whole number, 1 or more")
    return value


# -----------------------------------------------------------------------------------------------------------
# Lines for a person, by default on standard error; a complaint is told once.

LONGEST = 500  # characters of a line
Out = Callable[[str], object]


class Telling:
    """out, trouble: where lines and complaints go instead; every_check: False: of a run, only that it could stop."""

    def __init__(self, out: Out | None = None, every_check: bool = True, trouble: Out | None = None):
        self._out = out or _to_standard_error
        self._trouble = trouble or self._out
        self._every_check = every_check
        self._told: set[str] = set()

    def line(self, text: str, out: Out | None = None) -> None:
        (out or self._out)(printable(f"curvecast: {text}", LONGEST))

    def check(self, run: str, text: str, verdict: str) -> None:
        """What a check found; where a trainer logs as well, only the first time that there is such a verdict."""
        if self._every_check:
            self.line(text)
        elif verdict:
            self.once(f"{verdict} {run}", text, self._out)

    def once(self, about: str, text: str, out: Out | None = None) -> None:
        """Of one kind of trouble the first sentence, and no more of that kind."""
        if about not in self._told:
            self._told.add(about)
            self.line(text, out or self._trouble)


def beside_a_log(tell: Out | None, log: Out | None, trouble: Out | None = None) -> Telling:
    """`tell` gets a line of every check; without it the trainer's log gets one line a verdict, and of each trouble."""
    return Telling(tell) if tell else Telling(log, False, trouble)


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# -----------------------------------------------------------------------------------------------------------
# Several processes train one network: the first decides, and all follow, so that none waits for one that has stopped.


def decides(stop: bool, device: Any = None) -> bool:
    """What the first process says. Each process has to ask, each time, whatever it thinks itself."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)  # Keras may train without torch
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return stop
    if distributed.get_world_size() == 1:
        return stop
    told = [stop]
    distributed.broadcast_object_list(told, src=0, device=device)
    return bool(told[0])
