"""Points of runs as they come out of a log: numbers are finite, there are not too many of them, and steps rise.

Where steps go back, the training was restarted, and values from there on replace those that were logged before: of a run that
was resumed from a checkpoint all that still counts, of one that began anew its last start. The run says so among its doubts.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from curvecast.ground.errors import UserError, demand, printable

MOST_RUNS = 1_000
MOST_VALUES = 500_000


@dataclass(frozen=True)
class Run:
    name: str
    steps: list[float]  # strictly rising, finite, as the file has them
    values: list[float]  # as many, finite
    # steps of the file, also those without its value
    rows: list[float] = field(default_factory=list, compare=False)
    what: str = field(default="", compare=False)  # the column, key or tag of its values
    planned: float | None = field(default=None, compare=False)  # the last step, where the log tells it
    doubts: list[str] = field(default_factory=list, compare=False)  # what its forecast should say
    pace: float | None = field(default=None, compare=False)  # seconds a step, where the log tells times


class Diverged(UserError):
    """A run whose value is not finite."""


class NoLog(UserError):
    """A file that has no line yet, or that may never be a log, such as the settings of a training."""


class Back(NamedTuple):
    """A restart: the log goes back from its last step so far to an earlier one, or has it again."""

    last: float
    step: float
    line: int | None
    anew: bool  # to the first step, or before it


class Points:
    """Gathers the points of one source by run; the first that cannot be right is a complaint."""

    def __init__(self, where: str, fewer: str, most_runs: int | None = None):
        self.where = where
        self.fewer = fewer  # what to do if there are too many values
        self.most_runs = MOST_RUNS if most_runs is None else most_runs
        self.unit = "line"  # what the source is counted in
        self.runs: dict[str, Run] = {}
        self.count = 0
        self.backs: dict[str, list[Back]] = {}  # by run, where its steps go back
        self.times: dict[str, list[tuple[float, float]]] = {}  # (step, seconds) by run

    def place(self, line: int | None) -> str:
        return self.where if line is None else f"{self.where}, {self.unit} {line}"

    def declare(self, name: str, rows: list[float] | None = None, what: str = "") -> Run:
        """The run of this name; a new one has no points yet. `rows`: shared by all runs of a wide table.

        what    the column, key or tag of its values, where that is not the name of the run
        """
        if name not in self.runs:
            if len(self.runs) == self.most_runs:
                self.expect(self.most_runs + 1, f"more than {self.most_runs:,}")
            steps: list[float] = []
            self.runs[name] = Run(name, steps, [], steps if rows is None else rows, what or name)
        return self.runs[name]

    def expect(self, runs: int, said: str = "") -> None:
        """So many runs are coming: too many are refused before they are read."""
        most = f"at most {self.most_runs:,} at once; keep those that you need"
        demand(runs <= self.most_runs, f"{self.where} has {said or f'{runs:,}'} runs: {most}")

    def add(self, name: str, step: float, value: float, line: int | None = None) -> None:
        run = self.runs.get(name) or self.declare(name)
        if not (step >= 0 and isfinite(step) and isfinite(value)):
            kind = Diverged if step >= 0 and isfinite(step) else UserError
            raise kind(f"{self.place(line)}: run '{printable(name)}' {_wrong(step, value)}")
        if run.steps and step <= run.steps[-1]:
            kept = bisect_left(run.steps, step)
            self.backs.setdefault(name, []).append(Back(run.steps[-1], step, line, kept == 0))
            del run.steps[kept:], run.values[kept:]
        run.steps.append(step)
        run.values.append(value)
        self.count += 1
        if self.count > MOST_VALUES:
            raise UserError(f"{self.where} has more than {MOST_VALUES:,} values: {self.fewer}")

    def fill(self, name: str, values: dict[float, float | None], what: str) -> None:
        """All values of a run by their steps, None where it has none; one without any value has nothing to forecast."""
        if any(value is not None for value in values.values()):
            self.declare(name, list(values), what)
            for step, value in values.items():
                if value is not None:
                    self.add(name, step, value)

    def all(self) -> list[Run]:
        """The runs in the order of the source; one without a single value is a complaint."""
        demand(self.runs, f"{self.where} has no values: write at least one row with a step and a number")
        for run in self.runs.values():
            empty = f"run '{printable(run.name)}' has no value at all: fill it or take it away"
            demand(run.values, f"{self.where}: {empty}")
            if backs := self.backs.get(run.name):
                run.doubts.append(self._restarted(run, backs))
        return [replace(run, pace=_pace(self.times.get(name, []))) for name, run in self.runs.items()]

    def _restarted(self, run: Run, backs: list[Back]) -> str:
        """What the forecast says. Rows out of order, or of several runs, go back at every other step: these are refused."""
        first, last = backs[0], backs[-1]
        wrong = f"goes back from step {short(first.last)} to step {short(first.step)}"
        if first.step == first.last:
            wrong = f"has step {short(first.step)} twice"
        way = "sort the rows; those of several runs need a column 'run' with their names"
        few = 2 * len(backs) < len(run.steps)
        demand(few, f"{self.place(first.line)}: run '{printable(run.name)}' {wrong}: {way}")
        often = "" if len(backs) == 1 else f"{len(backs):,} times, at last "
        place = "" if last.line is None else f" ({self.unit} {last.line})"
        anew = any(back.anew for back in backs)
        counts = "only its last start is read" if anew else "its later values replace the earlier ones"
        at = f"at step {short(last.step)} after step {short(last.last)}{place}"
        return f"was restarted {often}{at}: {counts}"


def _pace(times: list[tuple[float, float]]) -> float | None:
    """The usual seconds a step: the median takes no night between two sessions for a slow step."""
    pairs = ((one, other) for one, other in pairwise(sorted(times)) if other[0] > one[0])
    paces = sorted((other[1] - one[1]) / (other[0] - one[0]) for one, other in pairs)
    usual = paces[len(paces) // 2] if paces else 0.0
    return usual if usual > 0 and isfinite(usual) else None


def apart(names: dict[str, str]) -> dict[str, str]:
    """The names of runs by their ids; those of one name are told apart by how their ids begin, or by all of them."""
    often = Counter(names.values())
    begins = Counter((name, str(key)[:8]) for key, name in names.items())

    def told(key: str, name: str) -> str:
        own = key[:8] if begins[name, key[:8]] == 1 else key
        return name if often[name] == 1 else f"{name} ({own})"

    return {key: told(str(key), name) for key, name in names.items()}


def _wrong(step: float, value: float) -> str:
    """What is wrong with a point, and what to do."""
    if not isfinite(step):
        return f"has a step that is {_named(step)}: write the number of the step, counted from 0"
    if step < 0:
        return f"has step {short(step)}: steps count from 0"
    here = f"{_named(value)} at step {short(step)}"
    return f"is {here}: a run that diverged? leave the value out, or cut the run before it"


def _named(number: float) -> str:
    return "NaN" if number != number else "infinite"


def short(number: float) -> str:
    """A number as it stands in a complaint: all of its digits, and no .0."""
    return str(int(number)) if number % 1 == 0 and abs(number) < 1e15 else repr(float(number))
