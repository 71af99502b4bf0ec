"""Who stops what: reaches of the rules that look at the best so far, the places that the other rules train, and the rows.

Shapes: n runs, m epochs of a whole run, K orders in which runs come, B runs at once.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from curvecast.scores import baselines, pools_of_runs, stopping
from curvecast.scores.pools_of_runs import PATIENCE, Pool
from curvecast.scores.stopping import Predict
from presswork.intervals import Interval

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


def cell(found: Interval, form: str = "{} ({} to {})") -> str:
    """How many times as fast as never stopping, in a table: 1.9 (1.4 to 2.4), or never."""
    value, low, high = (f"{x:.1f}" if x else "never" for x in found)
    return value if low == high else form.format(value, low, high)


# ------------------------------------------------------------------------------------------------- forecasts on demand


class LazyForecasts:
    """A forecaster's reaches of the runs of a pool, made when a decision needs them: what a rule has asked, one that looks
    less often finds answered. Decisions are those of `stopping.reaches` and `stopping.play`, from fewer forecasts."""

    def __init__(self, predict: Predict, y: Tensor, delta: float, looks: int = stopping.LOOKS):
        self.predict, self.y, self.delta, self.looks = predict, y, delta, looks
        self.known = torch.full(y.shape, math.nan)  # (n, m)

    def reach(self, runs: Tensor, T: int) -> Tensor:
        """Of some runs after T epochs.  (B,) -> (B,)"""
        now = self.known[:, T - 1]  # (n,), a view
        new = runs[now[runs].isnan()].unique()
        if len(new):
            x, later = torch.arange(1.0, T + 1), stopping.ahead(T, self.y.shape[1], self.looks)
            density = self.predict(x.expand(len(new), -1), self.y[new, :T], later.expand(len(new), -1))
            now[new] = stopping.reach(density, self.delta).float()
        return now[runs]

    def table(self, pool: Pool, when: Sequence[int], budget: int, also: Tensor | None = None) -> Tensor:
        """Reaches as `stopping.play` wants them, wherever it looks before the budget is spent.  -> (n, m)

        `also` is another rule's table: what either of them ends is ended.
        """
        y, orders, looks = pool.noisy, pool.orders, set(when)
        own, table = y.cummax(1).values, stopping.always(y) if also is None else also.clone()
        best, spent = torch.full((len(orders),), -math.inf), torch.zeros(len(orders))
        for run in orders.unbind(1):  # (K,)
            going, last = torch.ones(len(run), dtype=torch.bool), torch.full_like(run, y.shape[1])
            for T in range(1, y.shape[1]):
                some = (going & (spent + T <= budget)).nonzero().flatten()
                if not len(some):
                    break
                if T in looks:
                    table[run[some], T - 1] = torch.minimum(table[run[some], T - 1], self.reach(run[some], T))
                ends = torch.maximum(best[some], own[run[some], T - 1]) >= table[run[some], T - 1]
                last[some[ends]] = T
                going[some[ends]] = False
            best, spent = torch.maximum(best, own[run, last - 1]), spent + last
        return table
