"""Is a run better now than it was before, or is that noise? A smooth curve is laid through its points.

The curve is a Gaussian process over the logarithm of epochs; lengths and sizes of the noise count as they fit the points.
That process may as well fall as rise, and most runs rise: so the odds that it gives are multiplied by those of curves of the
prior.

Shapes: T = points, n = curves that are drawn.
"""

import math

import numpy as np

Array = np.ndarray
LENGTHS = (0.3, 0.6, 1.2, 2.4, 5.0)  # of what changes, in logarithms of epochs
NOISES = np.geomspace(0.003, 3, 9)  # relative to what changes
LEVEL = 25.0  # variance of the level, relative to what changes: nearly nothing is known of it
LIGHT = 0.01  # of the weight of the best fit: what has less plays no part
MOST = 200  # points; of a longer run every second one counts, or every third, ...
RISES = 5.0  # odds, chosen on curves of the prior that no test set has


def improved(steps: Array, values: Array, since: float, n: int, seed: int) -> float:
    """The chance that, noise apart, the last of the values (T,) is above the highest one up to the step `since`.

    0 where all are the same: nothing has improved.
    """
    if np.ptp(values) == 0:
        return 0.0
    stride = -(-len(steps) // MOST)
    steps, values = steps[::-1][::stride][::-1], values[::-1][::stride][::-1]  # the last one is kept
    before = max(1, int((steps <= since).sum()))
    x = 1 + (steps - steps[0]) / np.median(np.diff(steps))  # epochs, about
    y = values - values.mean()
    distance = np.log(x)[:, None] - np.log(x)
    fits = []
    for length in LENGTHS:
        # in the directions of its eigenvectors, a Gaussian process and its noise are independent numbers
        variance, directions = np.linalg.eigh(np.exp(-((distance / length) ** 2) / 2) + LEVEL)
        variance, seen = np.maximum(variance, 0), directions.T @ y
        for noise in NOISES:
            whole = variance + noise**2
            scale = float((seen**2 / whole).mean())  # of all variances: the most likely one
            fit = -(len(y) * math.log(scale) + np.log(whole).sum()) / 2
            mean, spread = variance / whole * seen, np.sqrt(scale * variance * noise**2 / whole)
            fits.append((fit, directions, mean, spread))
    best = max(fit for fit, *_ in fits)
    weights = np.exp([fit - best for fit, *_ in fits])
    weights *= weights > LIGHT
    drawn, better = np.random.default_rng(seed).normal(size=(n, len(y))), 0.0
    for weight, (_, directions, mean, spread) in zip(weights / weights.sum(), fits, strict=True):
        if weight:
            curves = (mean + spread * drawn) @ directions.T  # (n, T)
            better += weight * float((curves[:, -1] > curves[:, :before].max(1)).sum())
    odds = RISES * (better + 0.5) / (n - better + 0.5)
    return float(odds / (1 + odds))
