"""Comma, tab or semicolon separated text: a column a run (wide), or a column of names of runs (long).

wide    step,a,b     one row a step; an empty cell: this run has no value there
long    run,step,value
single  one column of numbers, with a name on top or without: steps are 1, 2, 3, ...
"""

import csv
import re
from collections.abc import Iterator

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Points, printable
from curvecast.logs.columns import (
    DOWNLOAD,
    SEPARATORS,
    STEPS,
    Options,
    bare,
    exact,
    header,
    known,
    listed,
    separator,
    shown,
    step_name,
    two_steps,
    without_spread,
)

MISSING = ("na", "n/a", "none", "null", "nan")  # what other programs write where there is no number
MOST_ROWS = 1_000_000  # of a table whose cells may be empty
Rows = Iterator[tuple[int, list[str]]]  # line, cells


class Table:
    """The cells of one file on their way to points."""

    def __init__(self, points: Points, options: Options):
        self.points = points
        self.decimal = options.decimal
        self.sep = options.sep or ""
        self.names: list[str] = []

    def complain(self, line: int, text: str) -> UserError:
        return UserError(f"{self.points.place(line)}{text}")

    def rows(self, lines: Iterator[str], start: int) -> Rows:
        """Rows that hold anything, with the line on which each begins."""
        if self.sep == " ":
            lines = (" ".join(line.split()) for line in lines)
        reader = csv.reader(lines, delimiter=self.sep, strict=True, skipinitialspace=self.sep != " ")
        while True:
            line = start + reader.line_num
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                why = printable(str(error), 80)
                raise self.complain(line, f" cannot be split into cells ({why}): mend its quotes") from None
            if "".join(row).strip():
                yield line, row

    def number(self, cell: str, line: int, column: str) -> float:
        """A number in plain digits: float() alone would also take 1_000 and the digits of other scripts."""
        try:
            if not cell.isascii() or "_" in cell or (self.decimal == "," and "." in cell):
                raise ValueError
            return float(cell.replace(",", ".") if self.decimal == "," else cell)
        except ValueError:
            wrong = f"'{printable(cell)}' is not a number: {self.hint(cell)}"
            if self.names_runs(cell, column):
                wrong += f"; if this column names the runs, pass --run {printable(column)} and --value NAME"
            raise self.complain(line, f", column '{printable(column)}': {wrong}") from None

    def names_runs(self, cell: str, column: str) -> bool:
        """May the user have meant a long file?"""
        cell = cell.strip()
        named = cell[:1].isalpha() and cell.lower() not in MISSING
        return named and len(self.names) > 2 and column.lower() not in STEPS

    def hint(self, cell: str) -> str:
        """What to write instead of a cell that is not a number."""
        cell = cell.strip()[:100]  # an example needs no more
        if cell.endswith("%"):
            return "write 0.93 or 93 instead of 93%, the same way in the whole column"
        if self.decimal == "." and re.fullmatch(r"[-+]?\d*,\d+", cell):
            point = f"write {cell.replace(',', '.')}"
            return point if self.sep == "," else f"{point}, or pass --decimal ,"
        if self.decimal == "," and re.fullmatch(r"[-+]?\d*\.\d+", cell):
            return f"write {cell.replace('.', ',')}, or leave --decimal away"
        for other in SEPARATORS:
            if other in cell and other != self.sep:
                return f"separate the cells of all rows and of the header by one character, not also by {shown(other)}"
        if re.fullmatch(r"[-+]?[\d.,_'\s]*\d[\d.,_'\s]*", cell):
            return "write the digits 0 to 9 with nothing between them"
        return "write a number, or leave the cell empty"

    def check(self, line: int, row: list[str]) -> None:
        """Every row has a cell for each column."""
        n = len(self.names)
        if len(row) == n:
            return
        for other in (*SEPARATORS, " "):
            if len(row) == 1 and len(row[0].strip().split(other)) == n:
                apart = f"{shown(other)} and the header by {shown(self.sep)}"
                raise self.complain(line, f" is separated by {apart}: take one of them for the whole file")
        cells = f"{len(row)} cell{'s' * (len(row) != 1)} and the header {n}"
        raise self.complain(line, f" has {cells}: each row needs one cell a column, empty or not")

    def single(self, rows: Rows, name: str, line: int) -> None:
        """One column: the rows are steps 1, 2, 3, ..., so that none may be missing."""
        self.names = [name]
        self.points.declare(name)
        for step, (found, row) in enumerate(rows, 1):
            if found != line + step:
                raise self.complain(
                    line + step, " is empty: without a column of steps every line is one step"
                )
            self.check(found, row)
            self.points.add(name, float(step), self.number(row[0], found, name), found)

    def wide(self, rows: Rows, step: str, names: list[str]) -> None:
        self.points.expect(len(names))
        every: list[float] = []
        for name in names:
            self.points.declare(name, every)
        s = self.names.index(step)
        columns = [(self.names.index(name), name) for name in names]
        for line, row in rows:
            self.check(line, row)
            at = self.step(row[s], line, step)
            every.append(at)
            if len(every) > MOST_ROWS:
                raise UserError(f"{self.points.where} has more than {MOST_ROWS:,} rows: {self.points.fewer}")
            for i, name in columns:
                cell = row[i].strip()
                if cell:
                    self.points.add(name, at, self.number(cell, line, name), line)

    def long(self, rows: Rows, run: str | None, step: str, value: str, stem: str) -> None:
        """One row a point; without a column of runs all rows are one run."""
        s, v = self.names.index(step), self.names.index(value)
        r = None if run is None else self.names.index(run)
        for line, row in rows:
            self.check(line, row)
            name = stem if r is None else row[r].strip()
            if not name:
                raise self.complain(line, " does not name its run: write a name, or take the row away")
            self.points.declare(name, what=value)
            cell = row[v].strip()
            if cell:
                self.points.add(name, self.step(row[s], line, step), self.number(cell, line, value), line)

    def step(self, cell: str, line: int, column: str) -> float:
        if not cell.strip():
            raise self.complain(line, f" has no step: fill the column '{printable(column)}'")
        return self.number(cell, line, column)


def read(lines: Iterator[str], first: str, start: int, points: Points, stem: str, options: Options) -> None:
    """All points of a delimited text whose first line with anything on it is `first`, on line `start`."""
    table = Table(points, options)
    if bare(first, points.place(start), options):
        table.sep = table.sep or ";"  # never met: there is one cell a line
        table.single(table.rows(lines, start), stem, start - 1)
        return
    table.sep = table.sep or separator(first, options, points.where)
    rows = table.rows(lines, start)
    line, cells = next(rows, (0, []))
    if line != start:
        raise UserError(f"{points.place(start)} has no names: write a header such as step,a there")
    table.names = header(cells, points.place(line))
    arrange(table, rows, line, stem, options)


def arrange(table: Table, rows: Rows, line: int, stem: str, options: Options) -> None:
    """Single, long or wide, by the names of the columns."""
    names, where = table.names, table.points.where
    for option in ("run", "step", "value"):
        known(names, getattr(options, option), option, where)
    if len(names) == 1 and not (options.step or options.run) and names[0].lower() not in STEPS:
        table.single(rows, names[0], line)
        return
    lower = {name.lower(): name for name in names}
    run, step = options.run or lower.get("run"), step_name(names, options.step, where)
    if run or (set(lower) == DOWNLOAD and not options.value):
        value = options.value or lower.get("value")
        if value is None:
            others = listed([name for name in names if name not in (run, step)])
            raise UserError(f"{where} has no column 'value': pass --value NAME with one of {others}")
        if run:
            exact(names, (run, step, value), options, where)
        table.long(rows, run, step, value, stem)
        return
    wanted = [options.value] if options.value else without_spread([name for name in names if name != step])
    if not wanted or wanted == [step]:
        raise UserError(f"{where} has no column beside '{printable(step)}': add one a run")
    twice = [name for name in wanted if name.lower() in STEPS]
    if twice and options.value is None:
        raise UserError(f"{where} has {two_steps(step, twice[0], options)}")
    table.wide(rows, step, wanted)
