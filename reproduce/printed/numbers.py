"""Numbers that papers print, read from printed.csv: data, never typed into code."""

from functools import cache
from pathlib import Path

import pandas as pd

HALF = 0.0005  # of the last digit of a log-likelihood: so far may rounding have moved it


@cache
def printed() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("printed.csv"))


@cache
def value(method: str, quantity: str, cutoff: int | None = None) -> float | None:
    """What is printed for a method, at a cutoff in percent if the quantity has one; or None."""
    rows = printed()
    mine = rows[(rows["method"] == method) & (rows["quantity"] == quantity)]
    mine = mine[mine["cutoff"].isna() if cutoff is None else mine["cutoff"] == cutoff]
    return float(mine["value"].iloc[0]) if len(mine) else None


def log_likelihood(method: str, cutoff: int) -> float | None:
    return value(method, "log-likelihood", cutoff)


@cache
def read_off(method: str) -> bool:
    """Is any number of this method read off a figure, and not printed as one?"""
    mine = printed()[printed()["method"] == method]
    return bool(mine["table"].str.contains("read off").any())
