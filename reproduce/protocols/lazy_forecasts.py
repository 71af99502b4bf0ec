"""Reaches that are computed when a decision needs them: what a rule has asked, one that looks less often finds answered.

The decisions are those of `stopping.reaches` and `stopping.play`; fewer forecasts are made, in smaller batches.

Shapes: n runs, m epochs of a whole run, K orders in which runs come, B runs at once.
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
