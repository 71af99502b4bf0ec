"""What a header says: how its cells are separated, which column holds runs, steps and values; and from rows to points."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.checked_points import Points, Run, short
from curvecast.logs.restarts import Back, Timeline

STEPS = (
    "step", "steps", "epoch", "epochs", "iteration", "iterations", "iter", "global_step", "training_iteration", "_step",
)  # fmt: skip
TIMESTEPS = "time/total_timesteps"  # what Stable-Baselines3 calls its steps
TIMES = ("time", "timestamp", "_timestamp", "wall time", "wall_time", "_runtime")  # they are no curve
RATES = ("lr", "learning_rate", "train/lr", "train/learning_rate")  # nor are learning rates
SEPARATORS = (",", "\t", ";")
STEPS_OF_RUNS = (" - _step", " - _step__MIN", " - _step__MAX")  # columns of Weights & Biases
NUMERIC = re.compile(r"[-+]?(nan|inf|infinity)|[-+.\d][-+.,_'e\d]*%?", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    """Names of columns or keys where they are not obvious, and how cells and numbers are written.

    growing    the log is being written, so that a last line without its end is no line yet
    """

    run: str | None = None
    step: str | None = None
    value: str | None = None
    sep: str | None = None
    decimal: str = "."
    growing: bool = False

    def __post_init__(self) -> None:
        decimal, sep = self.decimal, self.sep
        demand(decimal in (".", ","), f"--decimal '{printable(decimal)}' is not known: take . or ,")
        if sep is not None and (len(sep) != 1 or sep.isalnum() or sep in '"\r\n\0.+-' or sep == decimal):
            cannot = "cannot separate numbers: take one character such as , or ; or tab"
            raise UserError(f"--sep '{printable(sep)}' {cannot}")


def the_one(names: list[str], told: str | None, where: str, what: str) -> str:
    """Of several values that a log holds the one that is read: it was told, or there is no other."""
    demand(names, f"{where} holds no {what}s: log some, or name another file or folder")
    choose = f"pass --value with one of {listed(names)}"
    demand(told is not None or len(names) == 1, f"{where} holds {len(names)} {what}s: {choose}")
    if told is None:
        return names[0]
    demand(told in names, f"{where} has no {what} '{printable(told)}': {choose}")
    return told


def exact(names: list[str], taken: tuple[str, str, str], options: Options, where: str) -> None:
    """Further columns are left out only if there is no doubt about the three that are read."""
    demand(len(set(taken)) == 3, f"{where}: run, step and value must be three columns: choose others")
    rest = listed([name for name in names if name not in taken])
    for option, name in zip(("run", "step", "value"), taken, strict=True):
        clear = not rest or name.lower() == option or getattr(options, option)
        way = f"pass --{option} {printable(name)} to leave them out"
        demand(clear, f"{where} has further columns ({rest}): {way}")


def without_spread(names: list[str]) -> list[str]:
    """Weights & Biases writes a__MIN and a__MAX beside a, and the steps of each run: they are no runs of their own."""
    beside = {f"{name}__{end}" for name in names for end in ("MIN", "MAX")}
    return [name for name in names if name not in beside and not name.endswith(STEPS_OF_RUNS)]


def header(cells: list[str], place: str) -> list[str]:
    """The names of the columns without white space around them: all there, and different in more than their case."""
    names = [cell.strip() for cell in cells]
    seen: dict[str, str] = {}
    for i, name in enumerate(names, 1):
        demand(name, f"{place}: column {i} has no name: give it one (in pandas: index_label='step')")
        if name.lower() in seen:
            both = dict.fromkeys([seen[name.lower()], name])
            called = " and ".join(f"'{printable(one)}'" for one in both)
            raise UserError(f"{place}: two columns are called {called}: rename one of them")
        seen[name.lower()] = name
    return names


def bare(first: str, place: str, options: Options) -> bool:
    """Is this the first number of a column without a header? Several numbers would be a table without one."""
    text = first.replace('"', "").strip()
    cells = re.split(r"[;|\s]+" if options.decimal == "," else r"[,;|\s]+", text)
    if not any(cells) or not all(NUMERIC.fullmatch(cell) for cell in cells if cell):
        return False
    if len(cells) > 1:
        raise UserError(
            f"{place}: '{printable(text)}' has numbers where names of columns should be: write a header such as "
            f"step,a above it, and decimals with a point (or pass --decimal ,)"
        )
    if chosen := options.run or options.step or options.value:
        no_column = f"so that no column is called '{printable(chosen)}'"
        raise UserError(f"{place} is a number, {no_column}: write a header")
    return True


def separator(first: str, options: Options, where: str) -> str:
    """The character that separates the cells, by the header: text in quotes does not count."""
    text = re.sub(r'"[^"]*("|$)', "", first)
    seps = [sep for sep in SEPARATORS if sep in text]
    if len(seps) > 1:
        wanted = {options.step.lower()} if options.step else set(STEPS)
        seps = [sep for sep in seps if wanted & {cell.strip(' "\r\n').lower() for cell in first.split(sep)}]
        several = "has several separators in its header: pass --sep with the one that counts"
        demand(len(seps) == 1, f"{where} {several}")
    commas = "is separated by commas, so that numbers cannot have one: leave --decimal away, or pass --sep"
    demand(options.decimal == "." or seps != [","], f"{where} {commas}")
    return seps[0] if seps else ";"  # a single column: not the comma, which may be a decimal one


def listed(names: list[str]) -> str:
    """At most twelve names for a complaint."""
    more = f" and {len(names) - 12:,} more" if len(names) > 12 else ""
    return ", ".join(printable(name) for name in names[:12]) + more


def shown(sep: str) -> str:
    return {",": "','", ";": "';'", "\t": "tabs", " ": "spaces"}.get(sep, repr(sep))


# -----------------------------------------------------------------------------------------------------------
# From rows to points. A row is its line, or the number of its entry, and its cells by name; an empty one is None or left out.
#
# wide    a column a run, and a row a step, whose steps may be counted
# long    a row a point, perhaps with the name of its run

MOST_ROWS = 1_000_000  # of a table whose cells may be empty
Rows = Iterator[tuple[int, dict[str, Any]]]
Number = Callable[[Any, str, int], float]  # of a cell, its name and its line


def known(
    names: list[str], chosen: str | None, option: str, where: str, fault: type[UserError] = UserError
) -> None:
    """What was chosen has to be there."""
    if chosen is not None and chosen not in names:
        raise fault(f"{where} has no '{printable(chosen)}': pass --{option} with one of {listed(names)}")


def all_known(names: list[str], options: Options, where: str) -> None:
    for option in ("run", "step", "value"):
        known(names, getattr(options, option), option, where)


def step_name(names: list[str], chosen: str | None, where: str) -> str:
    """Chosen, or 'step' (so written, or else in large letters), or the only name that means a step."""
    steps = [name for name in names if name.lower() in STEPS] or [name for name in names if name == TIMESTEPS]
    if chosen is not None:
        return chosen
    for name in sorted(steps, key=lambda name: name != "step"):
        if name.lower() == "step" or len(steps) == 1:
            return name
    demand(not steps, f"{where} has several kinds of steps ({listed(steps)}): pass --step with one of them")
    choose = f"pass --step NAME with one of {listed(without_spread(names))}"
    raise UserError(f"{where} has no 'step': {choose}; if none of them counts steps, add one that does")


def wanted(names: list[str], step: str | None, options: Options, where: str) -> list[str]:
    """Of a wide table the names of the runs: other steps are none, unless --value asks for them."""
    runs = [options.value] if options.value else [name for name in names if name != step]
    called = f"'{printable(str(step))}'"
    demand(runs not in ([], [step]), f"{where} has nothing beside {called}: add a column a run")
    further = [name for name in runs if name.lower() in STEPS]
    if further and not options.value:
        both = f"{called} and '{printable(further[0])}'"
        choose = "--value NAME" if options.step else "--step NAME and --value NAME"
        raise UserError(f"{where} has two kinds of steps, {both}: pass {choose}")
    for what, kind in (("times", TIMES), ("learning rates", RATES)):
        others = [name for name in runs if name.lower() in kind]
        if others and len(runs) > len(others) and not options.value:
            rest = listed([name for name in runs if name.lower() not in (*TIMES, *RATES)])
            also = f"also has {what}, '{printable(others[0])}'"
            raise UserError(f"{where} {also}: pass --value NAME with one of {rest}")
    return runs


def wide(points: Points, rows: Rows, number: Number, step: str | None, runs: list[str]) -> None:
    points.expect(len(runs))
    every: list[float] = []  # shared by all runs
    table = Together(points, {name: points.declare(name, every) for name in runs}, every)
    points.timelines |= dict.fromkeys(runs, table.timeline)
    for count, (line, cells) in enumerate(rows, 1):
        at = float(count) if step is None else number(cells.get(step), step, line)
        filled = [name for name, cell in cells.items() if cell is not None and name != step]
        table.row(count, at, line, filled)
        if count > MOST_ROWS:
            raise UserError(f"{points.where} has more than {MOST_ROWS:,} rows: {points.fewer}")
        for name in filled:
            if name in table.runs:
                points.add(name, at, number(cells[name], name, line), line)
                if len(runs) == 1:
                    _note(points, name, line, cells, (step, name))


@dataclass
class Together:
    """The columns of a wide table. Where one goes back, all do: one without a value since the restart must not keep those
    from before it. Tables one below the other, each with columns of its own, go back as well, and nothing is replaced.
    """

    points: Points
    runs: dict[str, Run]
    every: list[float]  # steps of the rows that count
    timeline: Timeline = field(default_factory=Timeline)
    # by column, the last row with a value and its step
    latest: dict[str, tuple[int, float]] = field(default_factory=dict)
    # where steps went back, as long as no column has a step once more: the row, its place in `every`, its line
    begun: tuple[int, int, int] | None = None

    def row(self, count: int, at: float, line: int, filled: list[str]) -> None:
        if self.every and at < self.every[-1]:
            self.begun = count, len(self.every), line
        self.every.append(at)
        if self.begun and any(self.again(name, at, self.begun[0]) for name in filled):
            self.go_back(*self.begun)
            self.begun = None
        self.timeline.row(at)
        self.latest |= dict.fromkeys(filled, (count, at))

    def again(self, name: str, at: float, begun: int) -> bool:
        """Has a column a step once more that it had before steps went back?"""
        row, last = self.latest.get(name, (begun, at))
        return row < begun and last >= at and (name in self.runs or _varies(name))

    def go_back(self, begun: int, start: int, line: int) -> None:
        step, before = self.every[start], self.every[:start]
        dropped = [one for one in before if one >= step]
        self.every[:start] = [one for one in before if one < step]
        for name, (row, last) in self.latest.items():
            if row < begun:
                self.latest[name] = row, min(last, step)
        for name, run in self.runs.items():
            if self.latest.get(name, (0, 0.0))[0] < begun:
                self.points.cut(run, step)
        went = Back(before[-1], step, line, len(dropped) == len(before), len(dropped))
        self.points.back(self.timeline, next(iter(self.runs)), went, dropped)


def _varies(name: str) -> bool:
    return name.lower() not in (*STEPS, *TIMES)


def long(
    points: Points, rows: Rows, number: Number, run: str | None, step: str, value: str, stem: str
) -> None:
    """Without a name of runs all rows are one, called `stem`; a row without a value only says that there is a run."""
    points.named = run or ""
    for line, cells in rows:
        name = stem if run is None else cells.get(run)
        if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
            way = "write a name (a text), or take the row away"
            raise UserError(f"{points.place(line)} does not name its run: {way}")
        points.declare(str(name), what=value)
        if cells.get(value) is not None:
            at, measured = number(cells.get(step), step, line), number(cells[value], value, line)
            points.add(str(name), at, measured, line)
            _note(points, str(name), line, cells, (run, step, value))


def _note(points: Points, name: str, line: int, cells: dict[str, Any], taken: tuple[str | None, ...]) -> None:
    """Of a row that was added; a step that is there twice, as another metric, is no second evaluation."""
    timeline, twice = points.timelines[name], points.twice.get(name)
    if twice and twice[-1][1] == line and (column := timeline.renamed(cells, taken)):
        both = f"'{printable(timeline.last[column])}' and as '{printable(cells[column])}'"
        wrong = f"has step {short(twice[-1][0])} twice, in '{printable(column)}' as {both}"
        way = f"{points.apart_by(column)}, or keep one of them"
        raise UserError(f"{points.place(line)}: run '{printable(name)}' {wrong}: {way}")
    timeline.note(cells, taken)
