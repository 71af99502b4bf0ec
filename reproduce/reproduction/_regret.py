"""Regret by epochs spent, and how many times sooner than without stopping a rule gets somewhere.

Rows have a task, a method, a goal, and a column for each number of epochs spent.
"""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval


def regrets(rows: pd.DataFrame, goal: str) -> dict[str, pd.DataFrame]:
    """For each method, in the order of the rows, the regret of each task by epochs spent."""
    mine = rows[rows["goal"] == goal].set_index("task").sort_index()
    grid = [c for c in rows.columns if c.isdigit() and int(c) > 0]
    return {method: mine[mine["method"] == method][grid] for method in rows["method"].unique()}


def times(rows: pd.DataFrame, goal: str, resamples: int) -> dict[str, np.ndarray]:
    """Epochs until the mean regret is what no stopping ends with; infinite where it never is within the budget.

    The first entry is that of all tasks, the others are those of tasks drawn anew, the same for all methods.
    """
    found = regrets(rows, goal)
    none = found["no stopping"]
    n = len(none)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), resamples)
    weights = np.vstack([np.ones(n), drawn]) / n  # (resamples + 1, n)
    goal_line = (weights @ none.to_numpy())[:, -1]
    epochs = np.log([int(c) for c in none.columns])
    return {method: _reached(weights @ r.to_numpy(), goal_line, epochs) for method, r in found.items()}


def _reached(mean: np.ndarray, line: np.ndarray, log_epochs: np.ndarray) -> np.ndarray:
    """When curves (resamples, points) first come down to their line, on straight lines between points."""
    gap = mean - line[:, None]
    hit = gap <= 1e-9
    i = hit.argmax(1)
    row, before = np.arange(len(gap)), np.maximum(i - 1, 0)
    drop = np.where(i > 0, gap[row, before] - gap[row, i], 1.0)
    share = np.where(i > 0, gap[row, before] / drop, 0.0)
    when = np.exp(log_epochs[before] + share * (log_epochs[i] - log_epochs[before]))
    return np.where(hit.any(1), when, np.inf)


def speed_up(found: dict[str, np.ndarray], method: str) -> Interval:
    """0 says that the method does not get there."""
    return Interval.of_resamples(found["no stopping"] / found[method])
