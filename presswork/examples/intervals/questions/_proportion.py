"""Four 95 % intervals of a proportion, as Brown, Cai and DasGupta (2001) define them, and how often they contain it."""

import numpy as np
from scipy.special import betainc, betaincinv, ndtri
from scipy.stats import binom

COLOURS = {"Wald": "first", "Wilson": "second", "Jeffreys": "third", "Clopper–Pearson": "fourth"}
KINDS = tuple(COLOURS)
TAIL = 0.025  # on each side
Z = ndtri(1 - TAIL)


def ends(kind: str, k: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper end after k successes in n tosses; except for Wald they lie between 0 and 1."""
    p = k / n
    if kind == "Wald":
        half = Z * np.sqrt(p * (1 - p) / n)
        return p - half, p + half
    if kind == "Wilson":
        half = Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
        low, high = ((p + Z**2 / (2 * n) + side * half) / (1 + Z**2 / n) for side in (-1, 1))
    else:
        a, b = (
            (0.5, 0.5) if kind == "Jeffreys" else (0, 1)
        )  # Clopper–Pearson has another beta law at each end
        low = betaincinv(np.maximum(k + a, 0.5), n - k + b, TAIL)
        high = betaincinv(k + b, np.maximum(n - k + a, 0.5), 1 - TAIL)
    return np.where(k == 0, 0.0, low), np.where(k == n, 1.0, high)


def coverage(n: int, p: float) -> dict[str, float]:
    """Of each interval: the probability of all counts whose interval contains p; counts below 1e-15 are left out."""
    far = 10 * np.sqrt(n * p * (1 - p)) + 10
    k = np.arange(max(0, int(n * p - far)), min(n, int(n * p + far)) + 1)
    chance, both = binom.pmf(k, n, p), {kind: ends(kind, k, n) for kind in KINDS}
    return {kind: float(chance[(low <= p) & (p <= high)].sum()) for kind, (low, high) in both.items()}


def mean_coverage(kind: str, n: int) -> float:
    """The coverage averaged over all p from 0 to 1: an integral that beta functions solve."""
    k = np.arange(n + 1)
    low, high = (betainc(k + 1, n - k + 1, np.clip(end, 0, 1)) for end in ends(kind, k, n))
    return float((high - low).sum() / (n + 1))


def lowest_coverage(kind: str, n: int) -> float:
    """The infimum over p from 0 to 1. Between two ends of intervals the coverage has one peak, so it lies at an end."""
    k = np.arange(n + 1)[:, None]
    low, high = ends(kind, k, n)
    places = np.unique(np.clip([low, high, 0 * low, 0 * low + 1], 0, 1))
    middle = (places[:-1] + places[1:]) / 2
    inside = (low <= middle) & (middle <= high)
    return float(min((binom.pmf(k, n, p) * inside).sum(0).min() for p in (places[:-1], places[1:])))
