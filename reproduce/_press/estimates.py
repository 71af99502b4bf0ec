"""Numbers with their intervals by name: made once from rows, read by figures, tables and claims alike.

An entry of `Estimates` is found by a value of a column, or by a tuple of values of several. What was not measured is not
there: `.get` gives None, of which a table makes a dash and a figure nothing, and a claim that has it is not tested.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reproduce._press.intervals import Interval, in_cell

Estimates = Mapping[Any, Interval]


def by(
    rows: pd.DataFrame, columns: Iterable[str], estimate: Callable[[pd.DataFrame], Interval | None]
) -> Estimates:
    """What `estimate` makes of the rows that have the same values in these columns; absent where it makes nothing."""
    if rows.empty:
        return {}
    first, *more = columns
    groups = rows.groupby([first, *more] if more else first, sort=False)
    made = {key: estimate(own) for key, own in groups}
    return {key: one for key, one in made.items() if one is not None}


def means(rows: pd.DataFrame, value: str, *columns: str) -> Estimates:
    """Of few values that are independent of one another: Student's t."""
    return by(rows, columns, lambda own: Interval.of_mean(own[value]))


def with_errors(rows: pd.DataFrame, value: str, *columns: str, times: float = 1.0) -> Estimates:
    """Of rows that are means already, beside a column of their standard errors: `times` changes the unit."""
    return by(
        rows,
        columns,
        lambda own: Interval.with_error(*(times * own.iloc[0][[value, f"{value}_se"]].astype(float))),
    )


def table(
    found: Estimates,
    name: str,
    lines: Mapping[str, Any],
    columns: Mapping[str, Any],
    form: str,
    missing: str = "–",
) -> pd.DataFrame:
    """A line for each of `lines` and a column for each of `columns`, by their titles; `found` has keys (line, column)."""
    cells = [
        {name: title}
        | {head: in_cell(found.get((line, column)), form, missing) for head, column in columns.items()}
        for title, line in lines.items()
    ]
    return pd.DataFrame(cells, columns=[name, *columns])


def line(axis: Axes, found: Mapping[float, Interval], **line_style: Any) -> None:
    """A line with error bars through what is found at each place; `line_style` is errorbar's."""
    values, halves = [one.value for one in found.values()], [one.half for one in found.values()]
    axis.errorbar([*found], values, yerr=halves, **line_style)


def of(found: Estimates, first: Any) -> dict[Any, Interval]:
    """Those whose key begins with this value, by the rest of the key: a line of a table, or of a figure."""
    return {key[1] if len(key) == 2 else key[1:]: one for key, one in found.items() if key[0] == first}
