"""The network on a second test set, on which nothing was chosen, and the seed-to-seed variation of its score.

The recipe was chosen on the first curves of the first test set; claims about printed scores rest on the second.
The seed-to-seed variation comes from `training_luck`.
"""

import pandas as pd

from curvecast.curves import prior
from curvecast.training.train import Forecaster
from reproduce._press.intervals import Interval
from reproduce.reproduction import _luck_of_seeds, _method_scores
from reproduce.reproduction._grid_rows import CUTOFFS


def scores(method: str, forecaster: Forecaster, size: int) -> pd.DataFrame:
    """A row of means for each cutoff."""
    curves = prior.second_test_set(size)
    return pd.DataFrame(_method_scores.likelihoods(method, forecaster, curves, CUTOFFS))


def row(second: pd.DataFrame, method: str, name: str, columns: dict[str, int]) -> pd.DataFrame:
    """The log-likelihood on the second set as a line of a table; a dash where it was not asked."""
    mine = second[second["method"] == method].set_index("cutoff")
    cells = {
        title: Interval.with_error(*mine.loc[c, ["ll_even", "ll_even_se"]]).plus_minus(".3f")
        if c in mine.index
        else "–"
        for title, c in columns.items()
    }
    return pd.DataFrame([{"method": name} | cells])


def table(first: pd.DataFrame, second: pd.DataFrame, luck: pd.DataFrame, method: str) -> pd.DataFrame:
    """Both sets with their sizes, and the seed-to-seed variation."""
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
        cells = {f"{c} %": f"{_luck_of_seeds.half_width(luck, c):.3f}" for c in luck["cutoff"]}
        found.append({"test set": "seed-to-seed variation, 95 %"} | cells)
    return pd.DataFrame(found)
