"""Numbers that papers print, read from printed.csv: data, never typed into code."""

from functools import cache
from pathlib import Path

import pandas as pd


@cache
def printed() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("printed.csv"))


def log_likelihood(method: str, cutoff: int) -> float | None:
    """What is printed for a method at a cutoff in percent, or None."""
    rows = printed()
    mine = rows[
        (rows["method"] == method) & (rows["cutoff"] == cutoff) & (rows["quantity"] == "log-likelihood")
    ]
    return float(mine["value"].iloc[0]) if len(mine) else None
