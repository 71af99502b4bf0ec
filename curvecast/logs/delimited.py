"""Comma, tab or semicolon separated text: a column a run (wide), or a column of names of runs (long).

wide    step,a,b     one row a step; an empty cell: this run has no value there
long    run,step,value
single  one column of numbers, with a name on top or without: steps are 1, 2, 3, ...

Of Stable-Baselines3 the mean reward is read from `progress.csv`, and from `monitor.csv` that of each episode. A table of the
runs of Weights & Biases holds final values, a row a run, and is refused.
"""

import csv
import re
from collections.abc import Iterator
from itertools import chain

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs import columns
from curvecast.logs.checked_points import Points
from curvecast.logs.columns import SEPARATORS, STEPS, TIMESTEPS, Options, Rows, listed, shown

DOWNLOAD = {"wall time", "step", "value"}  # columns of TensorBoard's own CSV: one run, and no name of it
EPISODES = ["r", "l", "t"]  # of monitor.csv: reward, length, time
MEAN_REWARDS = ("rollout/ep_rew_mean", "eval/mean_reward")  # of progress.csv
OF_RUNS = {"state", "created", "runtime", "user", "sweep"}  # of a table of runs, beside their names
OF_ITS_API = {"name", "summary", "config"}  # the same, as its documentation makes one
# of a row: its line, how many cells, those with text by place
Parts = Iterator[tuple[int, int, dict[int, str]]]
PROSE = re.compile(r"\d:\s|[:=]\s+[-+]?\d|\d:\d\d:\d\d")  # as `step 1: loss 0.5`, or a time of day
TO_CSV = "take its numbers out into a CSV with a header such as step,loss"
MISSING = ("na", "n/a", "none", "null", "nan")  # what other programs write where there is no number


def read(lines: Iterator[str], first: str, start: int, points: Points, stem: str, options: Options) -> None:
    """All points of a delimited text whose first line with anything on it is `first`, on line `start`."""
    table = Table(points, options)
    if first.startswith("#{"):  # the settings above monitor.csv
        table.monitor = True
        next(lines)
        start, first = start + 1, next(lines, "")
        lines = chain([first], lines)
    if columns.bare(first, points.place(start), options):
        table.single(table.rows(lines, start), stem, start)
        return
    table.sep = options.sep or columns.separator(first, options, points.where)
    rows = table.rows(lines, start)
    line, width, cells = next(rows, (0, 0, {}))
    demand(line == start, f"{points.place(start)} has no names: write a header such as step,a there")
    names = [cells.get(place, "") for place in range(width)]
    _demand_steps(names, options, points.where)
    table.names = table.header = columns.header(names, points.place(line))
    table.arrange(rows, line, stem)


def _demand_steps(names: list[str], options: Options, where: str) -> None:
    """Final values of runs are no learning curves, however many there are."""
    lower = {name.strip().lower() for name in names}
    of_runs = "name" in lower and (lower & OF_RUNS or not lower & {*STEPS, TIMESTEPS})
    way = "export a chart of them in its place (in Weights & Biases: the menu of the chart, Export, CSV)"
    final = f"is a table of runs with their final values, without a value for each step: {way}"
    told = options.run or options.step or lower >= {"run", "step", "value"}
    demand(told or not (of_runs or lower >= OF_ITS_API), f"{where} {final}, or pass --run and --step")


class Table:
    """The cells of one file on their way to points."""

    def __init__(self, points: Points, options: Options):
        self.points, self.options = points, options
        self.comma = options.decimal == ","
        self.sep = options.sep or ";"  # of a column without a name, where it is never met
        self.names: list[str] = []
        self.header: list[str] = []  # as it stands in the file, empty if there is none
        self.monitor = False

    def arrange(self, rows: Parts, line: int, stem: str) -> None:
        """Single, long or wide, by the names of the columns."""
        names, where, told = self.names, self.points.where, self.options
        columns.all_known(names, told, where)
        if len(names) == 1 and not (told.step or told.run) and names[0].lower() not in STEPS:
            self.single(rows, names[0], line + 1)
            return
        stepless = self.monitor or not any(name.lower() in STEPS for name in names)
        if names[:3] == EPISODES and stepless and not (told.step or told.run):
            self.header = []
            self.names = ["reward", "length", "time", *names[3:]]
            columns.wide(self.points, self.cells(rows), self.number, None, ["reward"])
            return
        lower = {name.lower(): name for name in names}
        prose = not (told.step or lower.keys() & set(STEPS)) and any(map(PROSE.search, names))
        demand(not prose, f"{where} begins with a text, not with names of columns: {TO_CSV}")
        run, step = told.run or lower.get("run"), columns.step_name(names, told.step, where)
        if not run and "name" in lower and told.value != lower["name"]:
            rows = self.of_one_name(rows, lower["name"])
        if not run and (set(lower) != DOWNLOAD or told.value):
            without = columns.without_spread([name for name in names if name != step])
            reward = next((name for name in MEAN_REWARDS if step == TIMESTEPS and name in names), None)
            runs = [reward] if reward and not told.value else columns.wanted(without, step, told, where)
            columns.wide(self.points, self.cells(rows), self.number, step, runs)
            return
        value = told.value or lower.get("value")
        if value is None:
            others = listed([name for name in names if name not in (run, step)])
            raise UserError(f"{where} has no column 'value': pass --value NAME with one of {others}")
        if run:
            columns.exact(names, (run, step, value), told, where)
        columns.long(self.points, self.cells(rows), self.number, run, step, value, stem)

    def single(self, rows: Parts, name: str, first: int) -> None:
        """One column from this line on: every line is one step, so that none may be missing."""
        header, self.header, self.names = self.header, [], [name]
        every = "without a column of steps every line is one step"

        def unbroken() -> Rows:
            for expected, (line, cells) in enumerate(self.cells(rows), first):
                demand(line == expected, f"{self.points.place(expected)} is empty: {every}")
                again = f"{self.points.place(line)} has the header once more: after a restart write one, for {every}"
                demand([*cells.values()] != header, again)
                yield line, cells

        columns.wide(self.points, unbroken(), self.number, None, [name])

    def rows(self, lines: Iterator[str], line: int) -> Parts:
        """Rows that hold anything; the first begins on this line. Empty cells are passed over: most of a wide table's are."""
        if self.sep == " ":
            lines = (" ".join(line.split()) for line in lines)
        sep = re.escape(self.sep)
        apart = re.compile(rf"({sep}*)([^{sep}\r\n]*)")  # separators, and the cell behind them
        for text in lines:
            place, count, cells = 0, 1, dict[int, str]()
            if '"' in text or len(text) > csv.field_size_limit():
                row, count = self.quoted(chain([text], lines), line)
                place, cells = len(row) - 1, dict(enumerate(row))
            else:
                for passed, cell in apart.findall(text):
                    place += len(passed)
                    if cell:
                        cells[place] = cell
            if filled := {at: stripped for at, cell in cells.items() if (stripped := cell.strip())}:
                yield line, place + 1, filled
            line += count

    def quoted(self, lines: Iterator[str], line: int) -> tuple[list[str], int]:
        """The next row, and how many lines it takes: a cell in quotes may hold a separator or the end of a line."""
        reader = csv.reader(lines, delimiter=self.sep, strict=True, skipinitialspace=self.sep != " ")
        try:
            return next(reader), reader.line_num
        except csv.Error as error:
            why = f"cannot be split into cells ({printable(str(error), 80)}): mend its quotes"
            raise UserError(f"{self.points.place(line)} {why}") from None

    def cells(self, rows: Parts) -> Rows:
        """Those that hold anything, by the names of the columns; every row has one for each."""
        names = self.names
        for line, width, row in rows:
            if width != len(names):
                raise UserError(f"{self.points.place(line)} {self.torn(width, row)}")
            if list(row.values()) == self.header:
                continue  # the header once more, after a restart
            yield line, {names[place]: text for place, text in row.items()}

    def of_one_name(self, rows: Parts, name: str) -> Parts:
        """Rows without a column of runs, whose column of names does not name several."""
        place, first = self.names.index(name), ""
        for line, width, row in rows:
            cell = row.get(place, "")
            text = cell and cell != name and not self.options.value and not columns.NUMERIC.fullmatch(cell)
            if text or (first and cell not in ("", name, first)):
                way = f"pass --run {printable(name)} and --value NAME if each is a run"
                each = f"has '{printable(cell)}' in its column '{printable(name)}', and no column 'run'"
                raise UserError(f"{self.points.place(line)} {each}: {way}")
            first = first or cell
            yield line, width, row

    def torn(self, width: int, row: dict[int, str]) -> str:
        """What is wrong with a row that has too many cells or too few."""
        n = len(self.names)
        for other in (*SEPARATORS, " "):
            if width == 1 and len(row[0].split(other)) == n:
                apart = f"{shown(other)} and the header by {shown(self.sep)}"
                return f"is separated by {apart}: take one of them for the whole file"
        cells = f"{width} cell{'s' * (width != 1)} and the header {n}"
        return f"has {cells}: each row needs one cell a column, empty or not"

    def number(self, cell: str | None, column: str, line: int) -> float:
        """A number in plain digits: float() alone would also take 1_000 and the digits of other scripts."""
        if cell is None:
            raise UserError(f"{self.points.place(line)} has no step: fill the column '{printable(column)}'")
        try:
            if not cell.isascii() or "_" in cell or (self.comma and "." in cell):
                raise ValueError
            return float(cell.replace(",", ".") if self.comma else cell)
        except ValueError:
            place, named = self.points.place(line), printable(column)
            hint = self.hint(cell[:100])  # an example needs no more
            wrong = f"'{printable(cell)}' is not a number: {hint}"
            is_name = cell[0].isalpha() and cell.lower() not in MISSING
            if is_name and len(self.names) > 2 and column.lower() not in STEPS:  # may a long file be meant?
                wrong += f"; if this column names the runs, pass --run {named} and --value NAME"
            elif len(self.names) > 2 and not self.options.value:
                wrong += "; or choose another column with --value NAME"
            raise UserError(f"{place}, column '{named}': {wrong}") from None

    def hint(self, cell: str) -> str:
        """What to write instead of a cell that is not a number."""
        if cell.endswith("%"):
            return "write 0.93 or 93 instead of 93%, the same way in the whole column"
        if not self.comma and re.fullmatch(r"[-+]?\d*,\d+", cell):
            point = f"write {cell.replace(',', '.')}"
            return point if self.sep == "," else f"{point}, or pass --decimal ,"
        if self.comma and re.fullmatch(r"[-+]?\d*\.\d+", cell):
            return f"write {cell.replace('.', ',')}, or leave --decimal away"
        for other in SEPARATORS:
            if other in cell and other != self.sep:
                return f"separate the cells of all rows and of the header by one character, not also by {shown(other)}"
        if re.fullmatch(r"[-+]?[\d.,_'\s]*\d[\d.,_'\s]*", cell):
            if len(self.names) == 1 and len(self.names[0].split()) == len(cell.split()) > 1:
                return "if spaces separate the columns, pass --sep space"
            return "write the digits 0 to 9 with nothing between them"
        if len(self.names) == 1 and " " in cell:
            return f"if this is a text, {TO_CSV}"
        return "write a number, or leave the cell empty"
