"""Regret by epochs spent, and how many times sooner than without stopping a rule gets somewhere.

Rows have a task, a method, and a column for each number of epochs spent (or of whatever is spent).
Shapes: R resamples and one more, n tasks, E numbers of epochs.
"""

import numpy as np
import pandas as pd

Array = np.ndarray
NONE = "no stopping"


def regrets(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """For each method, in the order of the rows, the regret of each task by epochs spent.  (n, E) each"""
    mine = rows.set_index("task").sort_index()
    grid = [c for c in rows.columns if c.isdigit() and int(c) > 0]
    return {method: mine[mine["method"] == method][grid] for method in rows["method"].unique()}


def times(rows: pd.DataFrame, resamples: int) -> dict[str, Array]:
    """Epochs until the mean regret is what no stopping ends with; infinite where it never is within the budget.  (R,) each

    The first entry is that of all tasks, the others are those of tasks drawn anew, the same for all methods. Without rows
    of no stopping there is no goal, and nothing.
    """
    tables = regrets(rows)
    if NONE not in tables:
        return {}
    none = tables[NONE]
    weights = _weights(len(none), resamples)
    goal_line = (weights @ none.to_numpy())[:, -1]
    epochs = np.log([int(c) for c in none.columns])
    return {method: _reached(weights @ r.to_numpy(), goal_line, epochs) for method, r in tables.items()}


def times_by_task(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The same in each task alone, whose goal is what no stopping ends with there."""
    tables = regrets(rows)
    goals, epochs = tables[NONE].iloc[:, -1].to_numpy(), np.log([int(c) for c in tables[NONE].columns])
    return {method: pd.Series(_reached(r.to_numpy(), goals, epochs), r.index) for method, r in tables.items()}


def sooner(found: dict[str, Array], method: str) -> Array:
    """How many times sooner than without stopping; 0 says that the method does not get there.  (R,)"""
    return found[NONE] / found[method]


def _weights(n: int, resamples: int) -> Array:
    """The share that each task has of a mean: of all tasks first, then of tasks drawn anew.  (R, n)"""
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), resamples)  # (R - 1, n)
    return np.vstack([np.ones(n), drawn]) / n


def _reached(mean: Array, line: Array, log_epochs: Array) -> Array:
    """When curves (R, E) first come down to their line (R,), on straight lines between points.  -> (R,)"""
    gap = mean - line[:, None]
    hit = gap <= 1e-9
    i = hit.argmax(1)
    row, before = np.arange(len(gap)), np.maximum(i - 1, 0)
    drop = np.where(i > 0, gap[row, before] - gap[row, i], 1.0)
    share = np.where(i > 0, gap[row, before] / drop, 0.0)
    when = np.exp(log_epochs[before] + share * (log_epochs[i] - log_epochs[before]))
    return np.where(hit.any(1), when, np.inf)
