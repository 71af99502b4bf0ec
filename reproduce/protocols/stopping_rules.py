"""Who stops what: reaches of the rules that look at the best so far, the places that the other rules train, and the rows.

Shapes: n runs, m epochs of a whole run, K orders in which runs come.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from curvecast.scores import baselines, pools_of_runs, stopping
from curvecast.scores.pools_of_runs import PATIENCE, Pool
from reproduce.protocols.lazy_forecasts import LazyForecasts

FITTED = "DeepHyper’s rule"  # by default it fits MMF4, ...
FITS_AFTER = (9, 27, 81)  # epochs, with its reduction factor of 3; 4 values are its least
FITTED_DELTA = 0.1  # ... stops a run that beats the best with a smaller chance, ...
FITTED_PATIENCE = 0.25  # ... and one without a new best of its own for this share of a run
SPENT = np.unique(np.geomspace(4, 1000, 40).round().astype(int)).tolist()  # thousandths of the budget
ROWS = ("method", "begun", "spent", *map(str, SPENT))
AT_RUNGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "halving": stopping.successive_halving,
    "ASHA": stopping.asha,
    "Hyperband": stopping.hyperband,
}


def by_forecast(
    networks: dict[str, Callable[..., Any]], pool: Pool, delta: float, least: int, budget: int
) -> dict[str, Tensor]:
    """The paper's rule after every epoch, by networks and by the last value; and four looks of the first network."""
    m, first = pool.noisy.shape[1], next(iter(networks))
    predicts = networks | {"last value": partial(baselines.forecast, "last value")}
    who = {name: LazyForecasts(predict, pool.noisy, delta) for name, predict in predicts.items()}
    tables = {name: one.table(pool, range(least, m), budget) for name, one in who.items()}
    return tables | {f"{first}, four looks": who[first].table(pool, stopping.coarse(m), budget)}


def fitted(pool: Pool, budget: int) -> Tensor:
    """DeepHyper's rule, which asks about the end alone; here with a fit by least squares, and not by a chain."""
    m = pool.noisy.shape[1]
    one = LazyForecasts(partial(baselines.forecast, "mmf4"), pool.noisy, FITTED_DELTA, looks=1)
    patient = stopping.patience(pool.noisy, int(FITTED_PATIENCE * m))
    return one.table(pool, [T for T in FITS_AFTER if T < m], budget, patient)  # noqa: SIM300, T is no constant


def simple(y: Tensor) -> dict[str, Tensor]:
    return {
        "no stopping": stopping.always(y),
        **{f"patience {k}": stopping.patience(y, k) for k in PATIENCE},
        "oracle": stopping.hindsight(y),
    }


def trained(pool: Pool, tables: dict[str, Tensor], budget: int) -> dict[str, list[Tensor]]:
    """By rule, the places that are trained in turn until the budget is spent: one (epochs,) for each order."""
    places = pools_of_runs.trainings(pool, tables, budget)
    for name, rule in AT_RUNGS.items():
        places[name] = [rule(pool.noisy, order)[:budget] for order in pool.orders]
    return places


def pool(y: Tensor, orders: int, seed: Sequence[int]) -> Pool:
    """Real runs (n, m), whose noise nobody knows, in orders by chance."""
    generator = np.random.default_rng(seed)
    return Pool(y, y, torch.from_numpy(np.stack([generator.permutation(len(y)) for _ in range(orders)])))


def rows(pool: Pool, trained: dict[str, list[Tensor]], budget: int) -> list[dict[str, object]]:
    """For each rule: runs begun, share of all epochs spent, regret by thousandths of the budget."""
    y, lines = pool.clean, []
    when = [max(1, round(budget * spent / SPENT[-1])) for spent in SPENT]
    for method, spent in trained.items():
        share = round(float(np.mean([len(one) for one in spent])) / y.numel(), 4)
        lacks = [round(float(r), 4) for r in regret(y, spent, when)]
        cells = method, pools_of_runs.begun(spent, y.shape[1]), share, *lacks
        lines.append(dict(zip(ROWS, cells, strict=True)))
    return lines


def regret(y: Tensor, trained: list[Tensor], when: Sequence[int]) -> Tensor:
    """What the best so far lacks to the best of the pool after so many epochs, mean over orders.  -> (len(when),)"""
    flat, at = y.flatten(), torch.tensor(when)
    best = [flat[one].cummax(0).values[at.clamp(max=len(one)) - 1] for one in trained]
    return torch.stack([flat.max() - one for one in best]).mean(0)
