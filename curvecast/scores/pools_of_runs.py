"""Pools of runs and a budget of epochs: what each rule for stopping finds, by epochs spent.

Runs of a pool come one after the other, in a random order; a run that was stopped cannot go on, only start anew. Who
has looked at all runs before the budget is spent keeps what was found.

Shapes: P pools, n runs of each, m epochs of a whole run, K orders. A place is run * m + epoch, an index of y.flatten().
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.scores import baselines, stopping

PATIENCE = (0, 1, 5, 10, 20, 50)
POINTS = 120  # of a regret curve, evenly on a logarithmic scale


class Pool(NamedTuple):
    clean: Tensor  # (n, m) of real runs as they were observed: nobody knows their noise
    noisy: Tensor  # (n, m)
    orders: Tensor  # (K, n)


def draw(runs: int, orders: int, generator: np.random.Generator) -> Pool:
    """Runs from the prior, and orders in which they come; the same on every machine."""
    clean, noisy, _ = prior.sample(prior.PriorConfig(), runs, generator)
    shuffled = np.stack([generator.permutation(runs) for _ in range(orders)])
    return Pool(clean.float(), noisy.float(), torch.from_numpy(shuffled))


def tables(predict: stopping.Predict, pools: list[Pool], delta: float) -> dict[str, Tensor]:
    """The reaches of all runs, (P, n, m) for each rule. All pools at once: few runs are left after many epochs."""
    y = torch.cat([pool.noisy for pool in pools])  # (P n, m)
    m = y.shape[1]

    def looking(forecast: stopping.Predict, when: list[int]) -> Tensor:
        floor = torch.cat([stopping.certain(pool.noisy, pool.orders, when[0]) for pool in pools])
        return stopping.reaches(forecast, y, when, delta, floor)

    by_method = {
        "no stopping": stopping.always(y),
        "fine": looking(predict, stopping.fine(m)),
        "coarse": looking(predict, stopping.coarse(m)),
        "last value": looking(partial(baselines.forecast, "last value"), stopping.fine(m)),
        **{f"patience {k}": stopping.patience(y, k) for k in PATIENCE},
        "oracle": stopping.hindsight(y),
    }
    return {method: table.unflatten(0, (len(pools), -1)) for method, table in by_method.items()}


def trainings(pool: Pool, rules: dict[str, Tensor], budget: int) -> dict[str, list[Tensor]]:
    """By rules (n, m), the places that are trained, in turn, until the budget is spent: one (epochs,) for each order."""
    n, m = pool.noisy.shape
    trained = {}
    for method, table in rules.items():
        epochs = stopping.play(pool.noisy, table, pool.orders)
        trained[method] = [places(*pair, m) for pair in zip(pool.orders, epochs, strict=True)]
    # one epoch: once all had theirs, runs start anew and go on to their end, the best first epoch first
    promising = pool.noisy[:, 0].argsort(descending=True)
    whole = places(promising, torch.full((n,), m), m)
    trained["one epoch"] = [torch.cat([first, whole]) for first in trained["patience 0"]]
    return {method: [one[:budget] for one in each] for method, each in trained.items()}


def places(runs: Tensor, epochs: Tensor, m: int) -> Tensor:
    """Runs (n,) and the epochs that each gets (n,), in the order of training -> (epochs,)"""
    each = zip(runs.tolist(), epochs.tolist(), strict=True)
    return torch.cat([run * m + torch.arange(count) for run, count in each])


def grid(budget: int) -> list[int]:
    """Epochs spent at which regret is noted."""
    return np.unique(np.geomspace(1, budget, POINTS).round().astype(int)).tolist()


def regret(pool: Pool, trained: list[Tensor], budget: int) -> dict[str, Tensor]:
    """What the best so far lacks to the best of the pool, mean over orders, by goal.  -> (len(grid),) each

    observed: both bests are noisy values. true: the noise-free value where the best so far was observed, against the
    highest noise-free value of the pool.
    """
    y, clean = pool.noisy.flatten(), pool.clean.flatten()
    observed, true = [], []
    for one in trained:
        spent = torch.tensor(grid(budget)).clamp(max=len(one))
        best = one[y[one].cummax(0).indices[spent - 1]]
        observed.append(y.max() - y[best])
        true.append(clean.max() - clean[best])
    return {"observed": torch.stack(observed).mean(0), "true": torch.stack(true).mean(0)}


def begun(trained: list[Tensor], m: int) -> float:
    """Runs that were begun, mean over orders."""
    return float(np.mean([len(one.div(m, rounding_mode="floor").unique()) for one in trained]))


# -----------------------------------------------------------------------------------------------------------
# Regret by epochs spent, and how many times sooner than without stopping a rule gets somewhere.
#
# Rows have a task, a method, and a column for each number of epochs spent (or of whatever is spent).
# Shapes: R resamples and one more, n tasks, E numbers of epochs.

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
