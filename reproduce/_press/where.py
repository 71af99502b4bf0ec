"""Rows by what their columns say: where(rows, method="exact", cutoff=10)."""

from collections.abc import Mapping

import pandas as pd

Rows = dict[str, pd.DataFrame]  # the tables of an answer, by name


def where(rows: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Those that have each of these values in the column of that name."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def measured(
    rows: Mapping[str, pd.DataFrame], name: str, columns: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    """One table of an answer; where no part of it has been measured, its columns (of TABLES) without rows."""
    return rows[name] if name in rows else pd.DataFrame(columns=list(columns[name]))
