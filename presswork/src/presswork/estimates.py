"""Numbers with their intervals, made once from rows and shown three times: in a figure, in a table and in a claim.

An estimate is found by what it is of: a value of one column, or a tuple of values of several. What was not measured is
absent, so `.get` gives None: nothing in a figure, a dash in a table, and a claim that is not tested. So does a misspelt key;
`publish` refuses a claim that is tested at no scale.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import pandas as pd
from matplotlib.axes import Axes

from presswork.claim import Needs
from presswork.intervals import UNITS, Form, Interval, fewest, in_cell, named

Estimates = dict[Any, Interval]
By = str | list[str]  # a column, or several
Measured = TypeVar("Measured")  # an interval, or several that are found together

# ----------------------------------------------------------------------------------------------- from rows


def grouped(rows: pd.DataFrame, by: By, estimate: Callable[[pd.DataFrame], Interval | None]) -> Estimates:
    """What `estimate` makes of the rows that have the same values in these columns; absent where that is None."""
    if rows.empty:
        return {}
    alone = not isinstance(by, str) and len(by) == 1  # then the value is the key, and no tuple of one
    return there({key: estimate(own) for key, own in rows.groupby(by[0] if alone else by, sort=False)})


def by_mean(
    rows: pd.DataFrame, by: By, value: str, how: Callable[[pd.Series], Interval | None] = Interval.of_mean
) -> Estimates:
    """Of values that are independent of one another: Student's t, unless `how` is another interval."""
    keys = {by} if isinstance(by, str) else {*by}
    units = [name for name in UNITS if name in rows.columns and name not in {*keys, value, "n"}]

    def of(own: pd.DataFrame) -> Interval | None:
        """The index of the values: what tells the rows from one another, the finest last."""
        vary = [name for name in units if own[name].nunique() > 1] or units[:1]
        vary.sort(key=lambda name: own[name].nunique())
        return how(own.set_index(vary)[value] if units else own[value])

    return grouped(rows, by, of)


def with_errors(rows: pd.DataFrame, by: By, value: str, error: str = "") -> Estimates:
    """Of rows that are means already, beside a column of their standard errors: `value`_se, if it has no other name."""

    def of(own: pd.DataFrame) -> Interval:
        if len(own) != 1:
            raise ValueError(f"{len(own)} rows have the same key: name a further column of {list(own)}")
        mean, se = (float(own[column].iloc[0]) for column in (value, error or f"{value}_se"))
        found = Interval.with_error(mean, se)
        return found.taken_over(named("n", int(own["n"].iloc[0]))) if "n" in own else found

    return grouped(rows, by, of)


def leads(
    rows: pd.DataFrame, of: str, over: Any, value: str, paired: By,
    how: Callable[[pd.Series], Interval | None] = Interval.of_mean,
) -> Estimates:  # fmt: skip
    """By what each name in the column `of` is above one of them, on what both have: the same curve, round or seed."""
    table = rows.pivot_table(index=paired, columns=of, values=value)
    if over not in table:
        return {}
    return there({name: how((table[name] - table[over]).dropna()) for name in table if name != over})


def there(found: Mapping[Any, Measured | None]) -> dict[Any, Measured]:
    """Those that were measured."""
    return {key: one for key, one in found.items() if one is not None}


def those_of(found: Estimates, first: Any) -> Estimates:
    """Those whose key begins with this value, by the rest of their key: a line of a table or of a figure."""
    return {key[1] if len(key) == 2 else key[1:]: one for key, one in found.items() if key[0] == first}


def of_each_end(which: Callable[..., float], some: Iterable[Interval]) -> Interval | None:
    """The smallest or largest of several, of their values and of each of their ends.

    The end that could say *no* of one among them is corrected for having picked that one (Bonferroni).
    """
    if not (intervals := list(some)):
        return None
    picked = [one.wider(len(intervals)) for one in intervals]
    value, low, high = (which(ends) for ends in zip(*intervals, strict=True))
    if which(0, 1):
        low = which(one.low for one in picked)
    else:
        high = which(one.high for one in picked)
    return Interval(value, low, high, fewest(*intervals), len(intervals))


def how_many(needs: Needs, some: Iterable[Interval]) -> Interval | None:
    """How many of several meet a need: at least those whose whole interval does, at most those of which a part does.

    One whose ends are not known may or may not."""
    if not (intervals := list(some)):
        return None
    met = [None if math.isnan(one.low) else needs.met(one.low, one.high) for one in intervals]
    values = [needs.met(one.value, one.value) for one in intervals]
    low, high = met.count(True), len(met) - met.count(False)
    return Interval(values.count(True), low, high, fewest(*intervals), len(met))


# --------------------------------------------------------------------------------------------------- shown


Lines = Mapping[Any, str] | Iterable[Any]  # {place: title}, or places that are their own titles
Columns = Mapping[Any, str | tuple[str, Form]] | Iterable[Any]  # or {place: (title, a form of its own)}


def cells(
    found: Estimates, line: Any, columns: Columns, form: Form = ".2f", missing: str = "–", times: float = 1.0
) -> dict[str, str]:
    """A line of a table: what is found at (line, column), under the title of each column; `times` changes the unit.

    The line need not come first: in the key of a column, `...` stands for it, as in {("crps", ..., 10): "CRPS"}.
    """
    line, made = line if isinstance(line, tuple) else (line,), dict[str, str]()
    for column, title in _titled(columns).items():
        title, own_form = (title, form) if isinstance(title, str) else title
        key = (*line, column)
        if isinstance(column, tuple) and ... in column:
            place = column.index(...)
            key = (*column[:place], *line, *column[place + 1 :])
        one = found.get(key)
        made[title] = in_cell(one and one.times(times), own_form, missing)
    return made


def table(
    found: Estimates, name: str, lines: Lines, columns: Columns, form: Form = ".2f",
    missing: str = "–", times: float = 1.0, only_measured: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """`cells` line by line, each below its title, or those alone of which anything was measured; `name` stands above them."""
    how = columns, form, missing, times
    nothing = cells({}, (), *how)
    made = [(title, cells(found, line, *how)) for line, title in _titled(lines).items()]
    shown = [{name: title} | own for title, own in made if own != nothing or not only_measured]
    return pd.DataFrame(shown, columns=[name, *nothing])


def _titled(places: Lines | Columns) -> Mapping[Any, Any]:
    return places if isinstance(places, Mapping) else {place: str(place) for place in places}


def line(axis: Axes, found: Estimates, to: Callable[[float], float] = float, **style: Any) -> list[float]:
    """A line with error bars through what is found at each place. `to` changes the scale; returns the heights."""
    ends = [sorted(map(to, (one.low, one.high))) for one in found.values()]
    heights = [to(one.value) for one in found.values()]
    errors = [[y - low for y, (low, _) in zip(heights, ends, strict=True)],
              [high - y for y, (_, high) in zip(heights, ends, strict=True)]]  # fmt: skip
    axis.errorbar([*found], heights, yerr=errors if found else None, **style)
    return heights


# -----------------------------------------------------------------------------------------------------------
# Rows by what their columns say: where(rows, method="exact", cutoff=10).


Rows = dict[str, pd.DataFrame]  # the tables of an answer, by name


def where(rows: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Those that have each of these values in the column of that name."""
    for column, value in values.items() if len(rows) else ():
        rows = rows[rows[column] == value]
    return rows


def minus(rows: pd.DataFrame, column: str, one: str, other: str, value: str, by: str = "curve") -> pd.Series:
    """Of two things that a column names, what one has above the other, on each curve that both have."""
    both = sides(rows, column, one, other, value, by)
    return both[one] - both[other]


def ratios(rows: pd.DataFrame, column: str, one: str, other: str, value: str) -> pd.Series:
    """Of two things that a column names, one's over the other's, round by round."""
    both = sides(rows, column, one, other, value, "round")
    return both[one] / both[other]


def sides(rows: pd.DataFrame, column: str, one: str, other: str, value: str, by: str) -> pd.DataFrame:
    """Both side by side, without those that only one of them has."""
    table = rows.pivot_table(index=by, columns=column, values=value)
    there = {one, other} <= set(table)
    return table[[one, other]].dropna() if there else pd.DataFrame(columns=[one, other], dtype=float)
