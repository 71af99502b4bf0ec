"""Scores that need nothing but quantiles, so that every forecaster has them in the metric's own unit.

A density can be mapped to another unit only with the slope of the map; quantiles go through any rising map as they are.
Shapes: L = levels, rising, Q = points.
"""

import numpy as np

Array = np.ndarray
LEVELS = np.arange(1, 20) / 20  # 0.05 .. 0.95
ON_EDGE = 1e-9  # a value so near to the edge of a band lies inside: both may stand at a bound


def crps(quantiles: Array, y: Array) -> Array:
    """Twice the mean pinball loss of quantiles (L, Q) at LEVELS: the CRPS, as far as these levels tell it.  -> (Q,)"""
    below = y - quantiles
    return 2 * np.maximum(LEVELS[:, None] * below, (LEVELS[:, None] - 1) * below).mean(0)


def median(quantiles: Array) -> Array:
    return quantiles[len(LEVELS) // 2]


def inside(quantiles: Array, y: Array, share: float) -> Array:
    """Does y (Q,) lie in the central band of this share?  -> (Q,)"""
    low, high = (quantiles[_place(0.5 + side * share / 2)] for side in (-1, 1))
    return (y >= low - ON_EDGE) & (y <= high + ON_EDGE)


def below(quantiles: Array, y: Array) -> Array:
    """Which share of y (Q,) lies at or below each quantile: its level, if they are honest.  -> (L,)"""
    return (y <= quantiles + ON_EDGE).mean(1)


def _place(level: float) -> int:
    return int(np.abs(LEVELS - level).argmin())
