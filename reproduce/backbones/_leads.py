"""Differences between networks that were trained with the same seeds on the same curves.

A seed shifts all rows alike; this shift is removed first. The remaining variation between runs is assumed equal for all rows
and estimated from all of them together, so that three seeds suffice.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.stats

from presswork import Interval, where
from presswork.intervals import named


class Contest(NamedTuple):
    name: str
    ahead: str
    of: str
    asks: str
    one_idea: bool = False  # of equal depth, with one difference; else two designs are compared
    budget: str = "time"  # at which it is asked


class Scatter(NamedTuple):
    sd: float  # of one training, without the shift that the seed gives to all rows
    freedom: int


def by_seed(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Mean log-likelihood over cutoffs, a row for each value of column `name`, a column for each seed; whole rows only."""
    return rows.pivot_table(index=name, columns="seed", values="ll", dropna=False).dropna()


def at_equal(budget: str, rows: pd.DataFrame) -> pd.DataFrame:
    """By backbone, of trainings with this budget alone."""
    return by_seed(where(rows, budget=budget), "backbone")


def scatter(table: pd.DataFrame) -> Scatter | None:
    """The residual variation, which rows and seeds together do not explain."""
    if min(table.shape) < 2:
        return None
    freedom = (len(table) - 1) * (table.shape[1] - 1)
    values = table.to_numpy()
    left = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    return Scatter(float(np.sqrt((left**2).sum() / freedom)), freedom)


def lead(table: pd.DataFrame, name: str, over: str, among: int = 1) -> Interval | None:
    """The difference in nats, with an interval for `among` comparisons at once (Bonferroni)."""
    spread = scatter(table)
    if spread is None or name not in table.index or over not in table.index:
        return None
    value = float((table.loc[name] - table.loc[over]).mean())
    se = spread.sd * np.sqrt(2 / table.shape[1])
    half = float(scipy.stats.t.ppf(1 - 0.025 / among, spread.freedom)) * se
    return Interval.around(value, half, named(table.columns.name, table.shape[1])).against(among)


def of_the_best(table: pd.DataFrame, over: str) -> Interval | None:
    """With an interval that covers all others together, since the best was chosen among them."""
    others = table.drop(index=over, errors="ignore").mean(axis=1)
    return lead(table, others.idxmax(), over, len(others)) if len(others) else None
