"""Rules that stop runs of the prior: rows and a picture of regret as observed, and of regret without the noise."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from torch import Tensor

from curvecast.scores import pools_of_runs
from curvecast.scores.pools_of_runs import Pool
from curvecast.scores.regret import regrets
from reproduce._press import style
from reproduce._press.where import where
from reproduce.pictures.beside_lines import name_lines

GOALS = {"observed": "as observed", "true": "without the noise"}
Cells = dict[str, object]


def rows(pool: Pool, spent: list[Tensor], budget: int) -> Iterator[tuple[str, Cells, Cells]]:
    """Of one rule, for each goal: runs begun and epochs spent, and the regret after so many epochs."""
    counts = {
        "runs": pools_of_runs.begun(spent, pool.noisy.shape[1]),
        "epochs": np.mean([len(one) for one in spent]),
    }
    for goal, regret in pools_of_runs.regret(pool, spent, budget).items():
        grid = pools_of_runs.grid(budget)
        yield goal, counts, {str(e): round(float(r), 4) for e, r in zip(grid, regret, strict=True)}


def panel(axis: Axes, table: pd.DataFrame, goal: str, looks: dict[str, tuple[str, str, float]]) -> None:
    """The mean regret of each rule by epochs spent. `looks`: its name, the method in whose colour, how wide its line."""
    ends = {}
    for rule, mine in regrets(where(table, goal=goal)).items():
        if rule in looks:
            name, method, width = looks[rule]
            mean, epochs = mine.mean(), [int(c) for c in mine.columns]
            axis.plot(epochs, mean, **style.line(method, linewidth=width))
            ends[name] = (mean.iloc[-1], style.colour(method))
    axis.set(xscale="log", ylim=(0, None), xlim=(3, epochs[-1]), title=f"regret {GOALS[goal]}")
    name_lines(axis, ends)
