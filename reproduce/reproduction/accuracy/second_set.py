"""The network on a second test set, which has chosen nothing, and how much the luck of a training moves such a score.

The recipe was chosen with an eye on the first curves of THE test set; the claims about printed numbers rest on the second.
What another seed of the training would give is known of a shorter training, from the seeds of `recipe`'s base.
"""

import math
import re

import pandas as pd

from curvecast.curves import prior
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster
from reproduce._press.intervals import Interval, student
from reproduce.reproduction import _method_scores

CUTOFFS = (10, 20, 40, 80)  # those of printed numbers


def scores(method: str, forecaster: Forecaster, size: int) -> pd.DataFrame:
    """A row of means for each cutoff."""
    curves = prior.second_test_set(size)
    return pd.DataFrame(
        _method_scores.row(
            method, cutoff, curves, {"ll": evaluate.likelihood(forecaster, curves.noisy, cutoff)}
        )
        for cutoff in CUTOFFS
    )


def luck(each: pd.DataFrame) -> pd.DataFrame:
    """Of the seeds of one recipe on the same curves: how their mean likelihoods scatter, at the nearest cutoff it has."""
    names = [re.fullmatch(r"base(?:-seed\d+)?@(\d+)", column) for column in each]
    of_seeds = [(int(name[1]), each[name[0]].mean()) for name in names if name]
    found = []
    for cutoff in CUTOFFS:
        nearest = min((c for c, _ in of_seeds), key=lambda c: abs(c - cutoff))
        means = pd.Series([mean for c, mean in of_seeds if c == nearest])
        found.append({"cutoff": cutoff, "seeds": len(means), "sd": means.std()})
    return pd.DataFrame(found)


def half_width(luck: pd.DataFrame, cutoff: int) -> float:
    """95 %: how far the score of one training may lie from what such trainings score; unknown where no seeds were read."""
    mine = luck[luck["cutoff"] == cutoff]
    return student(int(mine["seeds"].iloc[0])) * float(mine["sd"].iloc[0]) if len(mine) else math.nan


def table(first: pd.DataFrame, second: pd.DataFrame, luck: pd.DataFrame, method: str) -> pd.DataFrame:
    """Both sets and their sizes, and what a seed moves."""
    found = []
    for name, rows in (("first", first), ("second", second)):
        mine = rows[rows["method"] == method].set_index("cutoff") if len(rows) else rows
        if len(mine):
            cells = {
                f"{c} %": Interval.with_error(*mine.loc[c, ["ll_even", "ll_even_se"]]).plus_minus(".3f")
                for c in CUTOFFS
                if c in mine.index
            }
            found.append({"test set": f"{name}, {mine['n'].iloc[0]:,} curves"} | cells)
    if len(luck):
        cells = {f"{c} %": f"{half_width(luck, c):.3f}" for c in luck["cutoff"]}
        found.append({"test set": "another seed of a training moves it by up to"} | cells)
    return pd.DataFrame(found)
