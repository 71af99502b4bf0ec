"""Who stops what: reaches of the rules that look at the best so far, and the places that the other rules train.

Shapes: n runs, m epochs of a whole run, K orders in which runs come.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from curvecast.scores import baselines, halving, pools_of_runs, stopping
from curvecast.scores.pools_of_runs import PATIENCE, Pool
from curvecast.scores.stopping import Predict
from reproduce.practice.stopping_for_real.asked import Asked

ALWAYS_SEEN = 4  # epochs before DeepHyper's rule fits anything
FITTED = "MMF4 fit"
AT_RUNGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "halving": halving.successive_halving,
    "ASHA": halving.asha,
    "Hyperband": halving.hyperband,
}


def asked(networks: dict[str, Predict], y: Tensor, deltas: Sequence[float]) -> dict[str, Asked]:
    """Who forecasts: networks, the last value, and a fit that is asked about the end alone, as DeepHyper asks its own."""
    delta = deltas[0]
    first, *others = networks
    return {
        first: Asked(networks[first], y, deltas),
        **{name: Asked(networks[name], y, [delta]) for name in others},
        "last value": Asked(_of("last value"), y, [delta]),
        FITTED: Asked(_of("mmf4"), y, [delta], looks=1),
    }


def by_forecast(who: dict[str, Asked], pool: Pool, delta: float, least: int, budget: int) -> dict[str, Tensor]:
    """The paper's rule after every epoch, by whoever forecasts; and four looks of the first of them."""
    m, first = pool.noisy.shape[1], next(iter(who))
    begins = dict.fromkeys(who, least) | {FITTED: ALWAYS_SEEN}
    tables = {name: one.table(pool, range(begins[name], m), delta, budget) for name, one in who.items()}
    return tables | {f"{first}, four looks": who[first].table(pool, stopping.coarse(m), delta, budget)}


def swept(one: Asked, pool: Pool, leasts: Sequence[int], least: int, budget: int) -> dict[str, Tensor]:
    """The rule with other chances, and with other numbers of epochs that every run gets."""
    m, delta = pool.noisy.shape[1], one.deltas[0]
    chances = {f"chance {other:g}": one.table(pool, range(least, m), other, budget) for other in one.deltas[1:]}
    return chances | {f"least {some}": one.table(pool, range(some, m), delta, budget) for some in leasts}


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
