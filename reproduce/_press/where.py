"""Rows by what their columns say: where(rows, method="exact", cutoff=10)."""

import pandas as pd


def where(rows: pd.DataFrame, **values: object) -> pd.DataFrame:
    """Those that have each of these values in the column of that name."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows
