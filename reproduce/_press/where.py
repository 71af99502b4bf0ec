"""Rows by what their columns say: where(rows, method="exact", cutoff=10)."""

import pandas as pd

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


def over(rows: pd.DataFrame, column: str, one: str, other: str, value: str) -> list[float]:
    """Of two things that a column names, one's over the other's, round by round."""
    both = sides(rows, column, one, other, value, "round")
    return (both[one] / both[other]).tolist()


def sides(rows: pd.DataFrame, column: str, one: str, other: str, value: str, by: str) -> pd.DataFrame:
    """Both side by side, without those that only one of them has."""
    table = rows.pivot_table(index=by, columns=column, values=value)
    there = {one, other} <= set(table)
    return table[[one, other]].dropna() if there else pd.DataFrame(columns=[one, other], dtype=float)
