"""Differences between networks that were trained with the same seeds on the same curves.

A seed shifts all rows alike; this shift is removed first. The remaining variation between runs is assumed equal for all rows
and estimated from all of them together, so that three seeds suffice. A row that varies far more than most is left out of
it, and its differences rest on its own seeds.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from presswork import Interval, where
from presswork.intervals import named, student

FAR = 3  # times the standard deviation of most rows


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


def residual(table: pd.DataFrame) -> pd.DataFrame:
    """What rows and seeds together do not explain."""
    return table.sub(table.mean(axis=1), axis=0) - table.mean() + table.to_numpy().mean()


def alike(table: pd.DataFrame) -> pd.DataFrame:
    """Without the rows that vary far more than most."""
    own = (residual(table) ** 2).mean(axis=1)
    return table[own <= FAR**2 * own.median()]


def scatter(table: pd.DataFrame) -> Scatter | None:
    """The residual variation of these rows."""
    if min(table.shape) < 2:
        return None
    freedom = (len(table) - 1) * (table.shape[1] - 1)
    return Scatter(float(np.sqrt((residual(table).to_numpy() ** 2).sum() / freedom)), freedom)


def lead(table: pd.DataFrame, name: str, over: str, among: int = 1) -> Interval | None:
    """The difference in nats, with an interval for `among` comparisons at once (Bonferroni)."""
    if min(table.shape) < 2 or name not in table.index or over not in table.index:
        return None
    even, apart, seeds = alike(table), table.loc[name] - table.loc[over], table.shape[1]
    if spread := scatter(even) if {name, over} <= set(even.index) else None:
        half = student(spread.freedom + 1, among) * spread.sd * np.sqrt(2 / seeds)
    else:
        half = student(seeds, among) * apart.sem()
    return Interval.around(float(apart.mean()), half, named(table.columns.name, seeds)).against(among)


def of_the_best(table: pd.DataFrame, over: str) -> Interval | None:
    """With an interval that covers all others together, since the best was chosen among them."""
    others = table.drop(index=over, errors="ignore").mean(axis=1)
    return lead(table, others.idxmax(), over, len(others)) if len(others) else None
