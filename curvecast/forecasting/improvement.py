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
FEW = 0.01  # so small a weight or chance plays no part
MOST = 200  # points: of more every second, every third, ... counts
RISES = 5.0  # odds: chosen on curves of the prior, of which others judge


def improved(steps: Array, values: Array, since: float, n: int, seed: int) -> float:
    """The chance that, noise apart, the last of the values (T,) is above the highest one up to the step `since`."""
    few = -(-len(steps) // MOST)
    steps, values = steps[::-1][::few][::-1], values[::-1][::few][::-1]
    before = max(1, int((steps <= since).sum()))
    x = 1 + (steps - steps[0]) / np.median(np.diff(steps))  # epochs, about
    y = values - values.mean()
    if not y.any():  # nothing has moved, and nothing is known of noise
        return 0.0
    apart = np.log(x)[:, None] - np.log(x)
    fits = []
    for length in LENGTHS:
        size, directions = np.linalg.eigh(np.exp(-((apart / length) ** 2) / 2) + LEVEL)
        size, seen = np.maximum(size, 0), directions.T @ y
        for noise in NOISES:
            whole = size + noise**2
            scale = max(float((seen**2 / whole).mean()), 1e-18)
            fit = -(len(y) * math.log(scale) + np.log(whole).sum()) / 2
            spread = np.sqrt(scale * size * noise**2 / whole)
            fits.append((fit, directions, size / whole * seen, spread))
    best = max(fit for fit, *_ in fits)
    weights = np.exp([fit - best for fit, *_ in fits])
    weights *= weights > FEW
    drawn, chance = np.random.default_rng(seed).normal(size=(n, len(y))), 0.0
    for weight, (_, directions, mean, spread) in zip(weights / weights.sum(), fits, strict=True):
        if weight:
            curves = (mean + spread * drawn) @ directions.T  # (n, T)
            chance += weight * float((curves[:, -1] > curves[:, :before].max(1)).mean())
    odds = RISES * (chance + FEW) / (1 + FEW - chance)
    return float(odds / (1 + odds))
