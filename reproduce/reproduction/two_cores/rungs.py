"""What longer training buys: nats lost to the exact posterior by curves of the training."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval, means_again
from reproduce._press.where import where
from reproduce.reproduction._slope import slope

LEAST = 1e-3  # nats: a mean loss drawn anew may fall below 0, which has no logarithm


def ten_times(rows: pd.DataFrame, names: list[str], cutoff: int) -> Interval | None:
    """By what ten times the curves divide the loss: a straight line through the logarithms; test curves are drawn anew, the
    same for all, and the interval counts seeds as well."""
    mine = where(rows, cutoff=cutoff)
    table = mine.pivot_table(index="curve", columns="network", values="lost").dropna(axis=1)
    curves = mine.groupby("network")["curves"].first()
    names = sorted((n for n in names if n in table), key=curves.__getitem__)
    if len(names) < 4:
        return None
    means = means_again(table[names].to_numpy())  # (1 + resamples, rungs)
    x = np.log10([curves[n] for n in names])
    return Interval(*(10**end for end in slope(x, np.log10(means.clip(min=LEAST))).negated()))
