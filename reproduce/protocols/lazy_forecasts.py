"""Reaches that are computed when a decision needs them: what a rule with one chance has asked, the next finds answered.

The decisions are those of `stopping.reaches` and `stopping.play`; fewer forecasts are made, in smaller batches.

Shapes: n runs, m epochs of a whole run, K orders in which runs come, D chances, B runs at once.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from curvecast.scores import stopping
from curvecast.scores.pools_of_runs import Pool
from curvecast.scores.stopping import Predict


class LazyForecasts:
    """A forecaster's reaches of the runs of a pool, as far as they were needed."""

    def __init__(self, predict: Predict, y: Tensor, deltas: Sequence[float], looks: int = stopping.LOOKS):
        self.predict, self.y, self.deltas, self.looks = predict, y, list(deltas), looks
        self.known = torch.full((len(deltas), *y.shape), math.nan)  # (D, n, m)

    def reach(self, runs: Tensor, T: int, delta: float) -> Tensor:
        """Of some runs after T epochs.  (B,) -> (B,)"""
        now = self.known[..., T - 1]  # (D, n), a view
        new = runs[now[0, runs].isnan()].unique()
        if len(new):
            x, later = torch.arange(1.0, T + 1), stopping.ahead(T, self.y.shape[1], self.looks)
            density = self.predict(x.expand(len(new), -1), self.y[new, :T], later.expand(len(new), -1))
            now[:, new] = torch.stack([stopping.reach(density, one).float() for one in self.deltas])
        return now[self.deltas.index(delta), runs]

    @property
    def forecasts(self) -> int:
        return int((~self.known[0].isnan()).sum())

    def table(
        self, pool: Pool, when: Sequence[int], delta: float, budget: int, also: Tensor | None = None
    ) -> Tensor:
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
                    reach = self.reach(run[some], T, delta)
                    table[run[some], T - 1] = torch.minimum(table[run[some], T - 1], reach)
                ends = torch.maximum(best[some], own[run[some], T - 1]) >= table[run[some], T - 1]
                last[some[ends]] = T
                going[some[ends]] = False
            best, spent = torch.maximum(best, own[run, last - 1]), spent + last
        return table
