"""How much higher one network scores than another; the interval counts test curves and seed-to-seed variation.

The variation between seeds is known at the shortest length alone, and only roughly (Student's t); longer trainings are taken
to vary as much. With fewer than three seeds the ends of an interval are unknown.
"""

import math

import pandas as pd

from reproduce._press.intervals import Interval, student
from reproduce._press.where import where

Signs = dict[tuple[str, int], int]  # of a cell and its curves: added or taken away


def numbered(each: pd.DataFrame) -> pd.DataFrame:
    """What was lost on each curve, with the number of the curve, by which trainings are paired."""
    return each.assign(curve=each.groupby(["cell", "curves", "seed"]).cumcount())


def lead(each: pd.DataFrame, above: str, below: str, n: int) -> Interval | None:
    """Nats per point after equally many training curves."""
    return contrast(each, {(above, n): 1, (below, n): -1})


def contrast(each: pd.DataFrame, signs: Signs) -> Interval | None:
    """Scores of some cells at some lengths, the mean of their seeds, added with these signs."""
    total, variance = pd.Series(0.0, index=sorted(set(each["curve"]))), 0.0
    for (cell, n), sign in signs.items():
        mine = where(each, cell=cell, curves=n).pivot_table(index="curve", columns="seed", values="lost")
        if not mine.size:
            return None
        total = total - sign * mine.mean(axis=1)  # a smaller loss is a higher score
        variance += _between_seeds(each, cell) ** 2 / mine.shape[1]
    return Interval.around(total.mean(), math.hypot(1.96 * total.sem(), math.sqrt(variance)))


def _between_seeds(each: pd.DataFrame, cell: str) -> float:
    """Half width of 95 % for one training of this cell."""
    mine = where(each, cell=cell)
    seeds = where(mine, curves=mine["curves"].min()).groupby("seed")["lost"].mean()
    return student(len(seeds)) * float(seeds.std()) if len(seeds) > 2 else math.nan
