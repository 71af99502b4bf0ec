"""Forecasts of many runs, compared with one another."""

from typing import Any, SupportsIndex, overload

import numpy as np

from curvecast.forecasting.forecast import Forecast
from curvecast.ground.errors import UserError, installed, printable

Array = np.ndarray


class Forecasts(list[Forecast]):
    """Of many runs, in the order in which they were given; a run by its place or its name."""

    @overload
    def __getitem__(self, at: SupportsIndex | str) -> Forecast: ...
    @overload
    def __getitem__(self, at: slice) -> "Forecasts": ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            places = [i for i, run in enumerate(self) if run.name == at]
            if len(places) != 1:
                raise UserError(f"{len(places)} runs are called {printable(at)!r}: take one by its place")
            return self[places[0]]
        return Forecasts(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    def to_frame(self) -> Any:
        """A pandas table, a row for each run and step ahead: the median, and the ends of the 50 and 90 % intervals."""
        with installed("to_frame needs pandas: pip install pandas"):
            import pandas as pd
        columns = {"median": 0.5, "q05": 0.05, "q25": 0.25, "q75": 0.75, "q95": 0.95}
        tables = (
            {"run": run.name, "step": run.steps, **{name: run.quantile(q) for name, q in columns.items()}}
            for run in self
        )
        return pd.concat(map(pd.DataFrame, tables), ignore_index=True)

    def _repr_html_(self) -> str:
        return "".join(run._repr_html_() for run in self)

    @property
    def best(self) -> float:
        """The best observed value of any run."""
        return (min if self[0].minimise else max)(run.best for run in self)

    def wins(self, n: int = 4000, seed: int = 0) -> Array:
        """The chance of each run to have the best value of all at the horizon; a run that has ended keeps its last value.

        Give all runs one horizon: scaling curves have horizons of their own, and chances at different ones mean little.
        """
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
