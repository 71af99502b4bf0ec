"""A run's own record: where its values fell in what was forecast of them. What runs smoothly is forecast more sharply.

Each value is forecast from those some way before it. If the network were right about the run, the normal scores of its
values would be independent and standard normal. Those of a smooth run lie near 0, and those of the values to come will do
likewise: so its forecast is narrower, in proportion to their mean square. Of rough runs the network's own forecasts are
wide enough.
"""

from collections.abc import Sequence

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.finished_runs import BROKEN, LEVEL, Levels
from curvecast.forecasting.network import DensityNetwork
from curvecast.forecasting.passes import Beginning, padded, passes

Array = np.ndarray
LOOKS = 16  # times at which a run is forecast, at most
# chosen on the tuning set of real curves: mean squares of scores, ...
USUAL = 0.49  # of a run of which nothing is known, ...
WORTH = 4.0  # which counts for so many scores
QUIET = 0.42  # below it the forecast gets narrower
LEAST = 0.6  # but never by more than this factor: a smooth run may still turn


def scores(network: DensityNetwork, runs: Sequence[tuple[Array, ...]]) -> list[Array]:
    """Of each value but the first, of runs (x, y) or (x, y, planned rate).  -> (T - 1,) each"""
    beginnings, places = [], []
    for i, (x, y, *rates) in enumerate(runs):
        T = len(x)
        looks = np.unique(np.linspace(1, T - 1, min(LOOKS, T - 1)).round().astype(int)).tolist()
        for k, end in zip(looks, [*looks[1:], T], strict=False):
            planned = (rates[0][:k], rates[0][k:end]) if rates else None
            beginnings.append(Beginning(x[:k], y[:k], x[k:end], planned))
            places.append((i, k, end))
    shares = [np.empty(len(run[1]) - 1) for run in runs]  # of the first value nothing is known
    for some, told in passes(network, beginnings):
        values = [runs[i][1][k:end] for i, k, end in (places[j] for j in some)]
        share = np.clip(told.cdf(padded(values, max(map(len, values)))).astype(float), LEVEL, 1 - LEVEL)
        for row, j in zip(share, some, strict=True):
            i, k, end = places[j]
            shares[i][k - 1 : end - 1] = row[: end - k]
    if not shares:
        return []
    ends = np.cumsum([len(one) for one in shares])[:-1]
    return np.split(normal_law.quantile(np.concatenate(shares)), ends)


def spread(z: Array) -> float:
    """Of the scores to come, by those of the values seen (T - 1,), of which none counts more than a broken run's."""
    squares = np.minimum(np.abs(z), BROKEN) ** 2
    return float(np.clip((WORTH * USUAL + squares.sum()) / (WORTH + len(z)) / QUIET, LEAST, 1))


def own_levels(records: Sequence[Array]) -> Levels:
    """Of several runs at once, for each the same at all steps ahead: (B, 1)"""
    spreads = np.array([[spread(z)] for z in records])
    return Levels(np.zeros_like(spreads), spreads)
