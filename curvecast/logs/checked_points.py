"""Points of runs as they come out of a log: numbers are finite, there are not too many of them, and steps rise.

Where steps go back, the training was restarted, and values from there on replace those that were logged before: of a run that
was resumed from a checkpoint all that still counts, of one that began anew its last start. The run says so among its doubts.
A restart is rare, and logs the same steps again: else rows may be out of order, or of several runs, and are refused. So are
starts that a further column tells apart, and three or more that all end at the same step.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.restarts import MOST_RESTARTS, Back, Timeline

MOST_RUNS = 1_000
MOST_VALUES = 500_000
MEND = "cut the run before it if it diverged, or leave the value empty (null in JSON) if there was none"
SORT = "sort the rows; those of several runs need a column 'run' with their names"


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
    """A file that may never be a log, such as the settings of a training."""


class Points:
    """Gathers the points of one source by run; the first that cannot be right is a complaint."""

    def __init__(self, where: str, fewer: str, most_runs: int | None = None):
        self.where = where
        self.fewer = fewer  # what to do if there are too many values
        self.most_runs = MOST_RUNS if most_runs is None else most_runs
        self.unit = "line"  # what the source is counted in
        self.runs: dict[str, Run] = {}
        self.count = 0
        self.timelines: dict[str, Timeline] = {}  # by run
        self.twice: dict[str, list[tuple[float, int | None]]] = {}  # by run, steps that it has twice in a row
        self.infinite: dict[tuple[str, float], int | None] = {}  # lines of values that are not finite
        self.times: dict[str, list[tuple[float, float]]] = {}  # (step, seconds) by run
        self.named = ""  # the column that names the runs
        self.stepless: dict[str, str] = {}  # what is said of runs that were logged without steps

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

    def add(
        self, name: str, step: float, value: float, line: int | None = None, seconds: float | None = None
    ) -> None:
        run = self.runs.get(name) or self.declare(name)
        if not (step >= 0 and isfinite(step)):
            raise UserError(f"{self.place(line)}: run '{printable(name)}' {_wrong(step)}")
        if not isfinite(value):
            self.infinite[name, step] = line  # which is forgotten if the run goes back to or before it
        timeline = self.timelines.get(name) or self.timelines.setdefault(name, Timeline())
        if run.rows is run.steps:  # otherwise a table goes back with all its columns
            if run.steps and step < run.steps[-1]:
                last, dropped = run.steps[-1], self.cut(run, step)
                self.back(timeline, name, Back(last, step, line, not run.steps, len(dropped)), dropped)
            timeline.row(step)
        if run.steps and step == run.steps[-1]:
            self.cut(run, step)
            self.twice.setdefault(name, []).append((step, line))
        run.steps.append(step)
        run.values.append(value)
        if seconds is not None:
            self.times.setdefault(name, []).append((step, seconds))
        self.count += 1
        if self.count > MOST_VALUES:
            raise UserError(f"{self.where} has more than {MOST_VALUES:,} values: {self.fewer}")

    def cut(self, run: Run, step: float) -> list[float]:
        """Forgets the points of a run from this step on.  -> their steps"""
        kept = bisect_left(run.steps, step)
        dropped = run.steps[kept:]
        del run.steps[kept:], run.values[kept:]
        for pairs in (self.times.get(run.name, []), self.twice.get(run.name, [])):
            while pairs and pairs[-1][0] >= step:
                pairs.pop()
        return dropped

    def back(self, timeline: Timeline, name: str, back: Back, dropped: list[float]) -> None:
        timeline.back(back, dropped)
        if len(timeline.backs) > MOST_RESTARTS:
            self._demand_restart(timeline, name)

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
            timeline = self.timelines.get(run.name)
            again = " since the restart" if timeline and timeline.backs else ""
            empty = f"run '{printable(run.name)}' has no value at all{again}: fill it or take it away"
            others = again and any(other.values for other in self.runs.values())
            demand(run.values or others, f"{self.where}: {empty}")
        self._leave_diverged()
        for run in self.runs.values():
            run.doubts.extend([*self._restarted(run), *self._twice(run)])
        left_out = [name for name, run in self.runs.items() if not run.values]
        for name in left_out:
            del self.runs[name]
        told = f"left out, without a value since the restart: {', '.join(map(printable, left_out))}"
        for run in self.runs.values() if left_out else ():
            run.doubts.append(told)
        return [replace(run, pace=_pace(self.times.get(name, []))) for name, run in self.runs.items()]

    def _leave_diverged(self) -> None:
        """In a text a value can be mended, and is a complaint; in event files it cannot, and the other runs are read."""
        first = dict[str, str]()
        for name, run in self.runs.items():
            at = next((i for i, value in enumerate(run.values) if not isfinite(value)), None)
            if at is not None:
                line = self.infinite[name, run.steps[at]]
                first[name] = f"{_named(run.values[at])} at step {short(run.steps[at])}"
                if line is not None:
                    raise Diverged(f"{self.place(line)}: run '{printable(name)}' is {first[name]}: {MEND}")
        named = ", ".join(f"'{printable(name)}' is {said}" for name, said in first.items())
        if len(first) == len(self.runs):
            raise Diverged(f"{self.where}: run {named}: a run that diverged is not forecast")
        self.runs = {name: run for name, run in self.runs.items() if name not in first}
        if first:
            next(iter(self.runs.values())).doubts.append(f"left out are runs that diverged: {named}")

    def _restarted(self, run: Run) -> list[str]:
        """What the forecast says."""
        timeline = self.timelines.get(run.name)
        if not timeline or not timeline.backs:
            return []
        self._demand_restart(timeline, run.name)
        last, n = timeline.backs[-1], len(timeline.backs)
        often = "" if n == 1 else f"{n:,} times, at last "
        anew = any(back.anew for back in timeline.backs)
        counts = "its later values replace the earlier ones"
        if anew:
            if last.line is not None and all(back.anew for back in timeline.backs):
                self._demand_one(run, timeline)
            way = "give each a folder of its own" if last.line is None else "name them in a column 'run'"
            counts = f"only its last start is read; if these are several runs, {way}"
        at = f"at step {short(last.step)} after step {short(last.last)}{self._bracketed(last.line)}"
        return [f"was restarted {often}{at}: {counts}"]

    def _demand_one(self, run: Run, timeline: Timeline) -> None:
        """Are these starts of one run, or several runs? Of event files, which are often run again, the last start counts."""
        begins, last, way = len(timeline.backs) + 1, run.rows[-1], ""
        if column := timeline.column_of_starts():
            wrong = f"begins anew with another '{printable(column)}'"
            way = self.apart_by(column)
        elif begins > 2 and {back.last for back in timeline.backs} == {last}:
            wrong = f"begins {begins} times and ends at step {short(last)} each time"
            way = "name several runs in a column 'run'"
        if way:
            where = f"{self.place(timeline.backs[0].line)}: run '{printable(run.name)}'"
            raise UserError(f"{where} {wrong}: {way}, or keep the last start alone")

    def apart_by(self, column: str) -> str:
        told = f"write it into '{printable(self.named)}' too"
        into = told if self.named else f"pass --run {printable(column)}"
        return f"{into} if it tells runs apart"

    def _demand_restart(self, timeline: Timeline, name: str) -> None:
        first = timeline.backs[0]
        wrong = f"goes back from step {short(first.last)} to step {short(first.step)}"
        self._demand(timeline.restarted(), name, wrong, first.line)

    def _demand(self, right: bool, name: str, wrong: str, line: int | None) -> None:
        way = "give each run a folder of its own" if line is None else SORT
        demand(right, f"{self.place(line)}: run '{printable(name)}' {wrong}: {way}")

    def _twice(self, run: Run) -> list[str]:
        """What the forecast says of a last step that was evaluated once more; at every step these are several runs."""
        twice = self.twice.get(run.name, [])
        if not twice:
            return []
        step, line = twice[0]
        wrong = f"has step {short(step)} twice"
        self._demand(2 * len(twice) < len(run.steps), run.name, wrong, line)
        step, line = twice[-1]
        has = "has" if len(twice) == 1 else f"has {len(twice):,} steps twice, at last"
        end = " twice" if len(twice) == 1 else ""
        return [f"{has} step {short(step)}{end}{self._bracketed(line)}: the later value counts"]

    def _bracketed(self, line: int | None) -> str:
        return "" if line is None else f" ({self.unit} {line})"


def _pace(times: list[tuple[float, float]]) -> float | None:
    """The usual seconds a step: the median takes no night between two sessions for a slow step."""
    pairs = pairwise(sorted(dict(times).items()))  # of a step that was logged twice the later time counts
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


def _wrong(step: float) -> str:
    """What is wrong with the step of a point, and what to do."""
    if not isfinite(step):
        return f"has a step that is {_named(step)}: write the number of the step, counted from 0"
    return f"has step {short(step)}: steps count from 0"


def _named(number: float) -> str:
    return "NaN" if number != number else "infinite"


def short(number: float) -> str:
    """A number as it stands in a complaint: all of its digits, and no .0."""
    return str(int(number)) if number % 1 == 0 and abs(number) < 1e15 else repr(float(number))
