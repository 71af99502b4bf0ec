"""Sampled futures of a run: at random levels, value by value, each read before the next is drawn.

Shapes: n = futures, Q = epochs ahead.
"""

import numpy as np

from curvecast.forecasting.network import DensityNetwork
from curvecast.forecasting.passes import AT_ONCE, Beginning
from curvecast.ground.errors import demand

Array = np.ndarray
LOOKS = 16  # later epochs of a future, at most


def random_levels(seed: int, n: int, steps: int) -> Array:
    """(n, steps)"""
    demand(isinstance(n, int | np.integer) and n >= 1, f"n is {n!r}: give a whole number, 1 or more")
    return np.clip(np.random.default_rng(seed).random((n, steps)), 1e-7, 1 - 1e-7)


def places(ahead: Array) -> Array:
    """Which of the epochs ahead a future has values at: the first, the last, and some between, denser at first."""
    wanted = np.geomspace(ahead[0], ahead[-1], LOOKS)
    return np.unique(np.searchsorted(ahead, np.minimum(wanted, ahead[-1]) - 1e-3))


def grown(network: DensityNetwork, seen: Beginning, epochs: Array, levels: Array) -> Array:
    """Values (n, Q) of futures at these epochs (Q,), each at its own levels (n, Q); as many at once as a pass takes."""
    at_once = max(1, AT_ONCE // (len(seen.x) + len(epochs)))
    begun, ahead = seen.x, epochs  # (T,), (Q,); with planned rates (T, 2), (Q, 2)
    if seen.rates:
        there = np.searchsorted(seen.x_ahead, epochs)
        begun, ahead = np.stack([begun, seen.rates[0]], -1), np.stack([epochs, seen.rates[1][there]], -1)
    values = []
    for some in (levels[i : i + at_once] for i in range(0, len(levels), at_once)):
        x, y = (np.repeat(part[None], len(some), 0) for part in (begun, seen.y))
        for i in range(len(epochs)):
            now = np.repeat(ahead[None, i : i + 1], len(some), 0)
            drawn = network.density(x, y, now).quantile(some[:, i : i + 1])  # (n, 1)
            x, y = np.concatenate([x, now], 1), np.hstack([y, drawn])
        values.append(y[:, len(seen.y) :])
    return np.concatenate(values)
