"""Who stops what: reaches of the rules that look at the best so far, and the places that the other rules train.

Shapes: n runs, m epochs of a whole run, K orders in which runs come.
"""

import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from curvecast.scores import baselines, halving, pools_of_runs, stopping
from curvecast.scores.pools_of_runs import PATIENCE, Pool
from curvecast.scores.stopping import Predict

ALWAYS_SEEN = 4  # epochs before DeepHyper's rule fits anything
FITTED = "MMF4 fit"
AT_RUNGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "halving": halving.successive_halving,
    "ASHA": halving.asha,
    "Hyperband": halving.hyperband,
}


class Looked:
    """The reaches of a rule that forecasts, and what its forecasts cost."""

    def __init__(self, predict: Predict, pool: Pool, when: Sequence[int], delta: float, looks: int = stopping.LOOKS):
        self.forecasts = 0

        def counted(x: Tensor, y: Tensor, later: Tensor) -> stopping.Density:
            self.forecasts += len(x)
            return predict(x, y, later)

        floor = stopping.certain(pool.noisy, pool.orders, when[0])
        start = time.process_time()
        self.table = stopping.reaches(counted, pool.noisy, when, delta, floor, looks)  # (n, m)
        self.seconds = time.process_time() - start


def by_forecast(networks: dict[str, Predict], pool: Pool, delta: float, least: int) -> dict[str, Looked]:
    """The paper's rule with each network and with simple forecasts; and DeepHyper's, which asks about the end alone."""
    m = pool.noisy.shape[1]
    every = list(range(least, m))
    found = {name: Looked(predict, pool, every, delta) for name, predict in networks.items()}
    first = next(iter(networks))
    found[f"{first}, four looks"] = Looked(networks[first], pool, stopping.coarse(m), delta)
    found["last value"] = Looked(_of("last value"), pool, every, delta)
    found[FITTED] = Looked(_of("mmf4"), pool, list(range(ALWAYS_SEEN, m)), delta, looks=1)
    return found


def swept(predict: Predict, pool: Pool, deltas: Sequence[float], leasts: Sequence[int], delta: float, least: int) -> dict[str, Looked]:  # fmt: skip
    """The rule with other chances, and with other numbers of epochs that every run gets."""
    m = pool.noisy.shape[1]
    chances = {f"chance {one:g}": Looked(predict, pool, range(least, m), one) for one in deltas}
    return chances | {f"least {one}": Looked(predict, pool, range(one, m), delta) for one in leasts}


def simple(y: Tensor) -> dict[str, Tensor]:
    return {
        "no stopping": stopping.always(y),
        **{f"patience {k}": stopping.patience(y, k) for k in PATIENCE},
        "oracle": stopping.hindsight(y),
    }


def trained(pool: Pool, tables: dict[str, Tensor], budget: int) -> dict[str, list[Tensor]]:
    """By rule, the places that are trained in turn until the budget is spent: one (epochs,) for each order."""
    found = pools_of_runs.trainings(pool, tables, budget)
    for name, rule in AT_RUNGS.items():
        found[name] = [rule(pool.noisy, order)[:budget] for order in pool.orders]
    return found


def regret(y: Tensor, trained: list[Tensor], when: Sequence[int]) -> Tensor:
    """What the best so far lacks to the best of the pool after so many epochs, mean over orders.  -> (len(when),)"""
    flat = y.flatten()
    lacks = [flat.max() - flat[one].cummax(0).values[torch.tensor(when).clamp(max=len(one)) - 1] for one in trained]
    return torch.stack(lacks).mean(0)


def _of(method: str) -> Predict:
    def predict(x: Tensor, y: Tensor, later: Tensor) -> stopping.Density:
        return baselines.forecast(method, x, y, later)

    return predict
