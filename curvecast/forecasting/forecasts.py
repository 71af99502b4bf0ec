"""Forecasts of many runs: checked together, and compared with one another."""

import numpy as np

from curvecast.forecasting import belief
from curvecast.forecasting.forecast import Forecast

Array = np.ndarray


class Forecasts(list[Forecast]):
    """Of many runs, in the order in which they were given."""

    def check_plausibility(self) -> None:
        """in_prior of all runs at once, which is faster than one by one."""
        some = [f for f in self if "in_prior" not in f.__dict__ and len(f._beginning.x) > 1]
        if not some:
            return
        odd = belief.oddness(some[0]._network.network, [f._beginning[:2] for f in some])
        for run, score in zip(some, odd.tolist(), strict=True):
            run.__dict__["in_prior"] = belief.in_prior(run._network.table, len(run._beginning.x), score)

    @property
    def best(self) -> float:
        """The best observed value of any run."""
        return (min if self[0].minimise else max)(run.best for run in self)

    def wins(self, n: int = 4000, seed: int = 0) -> Array:
        """The chance of each run to have the best value of all at the horizon; a run that has ended keeps its last value."""
        drawn = np.stack([run.sample_end(n, seed + i, clip=False) for i, run in enumerate(self)])  # (runs, n)
        drawn = -drawn if self[0].minimise else drawn
        low, high = self[0].bounds
        best = -low if self[0].minimise else high
        kept = np.minimum(drawn, best)  # no value lies beyond the bound ...
        first = kept == kept.max(0)
        going = np.array([len(run.steps) > 0 for run in self])[:, None]
        # ... and of those that go on and come to it, the one whose density lies further beyond is ahead
        beyond = np.where(first & going, drawn, -np.inf)
        winners = first & (~going | (beyond == beyond.max(0)))
        return (winners / winners.sum(0)).mean(1)  # a draw counts in parts
