"""The normal law in numpy, to the last digits of its tails: numpy itself has no erf. float32 stays float32.

With u = (4 - |x|) / (4 + |x|), which maps all distances to 1 .. -1, erfc(|x|) exp(x^2) / (1 + u) is so smooth that a
short polynomial holds it. The polynomial is made here, from Laplace's continued fraction and the standard library.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

Array = np.ndarray
HALFWAY = 4.0  # |x| of u = 0
DEGREE = {np.dtype(np.float32): 10, np.dtype(np.float64): 24}
ROOT2 = math.sqrt(2)
ROOT_PI = math.sqrt(math.pi)


def erfc(x: Array) -> Array:
    """1 - erf(x), with all digits of a small one."""
    coefficients = _polynomial(x.dtype)
    away = np.minimum(np.abs(x), 30)  # where nothing is left, and infinity has no digits
    u = (HALFWAY - away) / (HALFWAY + away)
    tail = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        tail *= u
        tail += c
    tail *= 1 + u
    away *= away
    np.negative(away, out=away)
    tail *= np.exp(away, out=away)
    return np.where(x < 0, 2 - tail, tail)


def below(z: Array) -> Array:
    """The share of the standard normal law that lies below z."""
    return erfc(z / -ROOT2) / 2


def quantile(share: Array) -> Array:
    """The z that has such a share below it; in float64. 0 and 1 lie at infinity."""
    share = np.asarray(share, np.float64)
    small = np.minimum(share, 1 - share)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.sqrt(-2 * np.log(small))
        z = r - (2.30753 + 0.27061 * r) / (1 + r * (0.99229 + 0.04481 * r))  # Hastings: to three digits
        for _ in range(3):  # Halley's steps, of log erfc, which is nearly a parabola
            missing = np.log(erfc(z / ROOT2) / 2 / small)
            z = z + missing / (density_above(z) - 0.5 * missing * (density_above(z) - z))
    z = np.where(small == 0, np.inf, np.where(small == 0.5, 0.0, z))
    return np.where(share < 0.5, -z, z)


def density_above(z: Array) -> Array:
    """The density at z over the share that lies above it."""
    return 2 * np.exp(-z * z / 2) / (math.sqrt(2 * math.pi) * erfc(z / ROOT2))


def squares_exceed(n: int, total: Array) -> Array:
    """The chance that the squares of n independent normal values have a larger sum. total (...)"""
    half = np.maximum(total / 2, 1e-300)  # which has a logarithm
    k = np.arange(n % 2, n, 2) / 2  # the powers of half that count
    log_factorials = np.array([math.lgamma(power + 1) for power in k])
    terms = np.exp(k * np.log(half)[..., None] - half[..., None] - log_factorials)
    return np.minimum(terms.sum(-1) + (erfc(np.sqrt(half)) if n % 2 else 0), 1)


@functools.cache
def _polynomial(kind: np.dtype) -> list[float]:
    """Coefficients of powers of u, the highest first."""
    degree = DEGREE[kind]
    u = np.cos(math.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))  # where Chebyshev would look
    values = [_scaled(HALFWAY * (1 - one) / (1 + one)) / (1 + one) for one in u.tolist()]
    fitted = np.polynomial.Chebyshev.fit(u, values, degree, domain=[-1, 1])
    return [float(c) for c in fitted.convert(kind=np.polynomial.Polynomial).coef[::-1]]


def _scaled(x: float) -> float:
    """erfc(x) exp(x^2)"""
    if x < 2:
        return math.erfc(x) * math.exp(x * x)
    fraction = x
    for n in range(200, 0, -1):
        fraction = x + n / 2 / fraction
    return 1 / (ROOT_PI * fraction)


# -----------------------------------------------------------------------------------------------------------
# The same, and gelu, of a million float32 at a time, from tables of short straight lines.
#
# Each line is right to the sixth digit, and two look-ups take less time than an erfc, or than the network's products.

END = 6  # beyond it the function is a straight line itself
LINES = 512  # for each unit of x
BLOCK = 16384  # numbers at a time, which stay in the cache


class StraightLines:
    """A function that is `before` (value at 0, slope) below -END, and `after` above END."""

    def __init__(
        self, exact: Callable[[Array], Array], before: tuple[float, float], after: tuple[float, float]
    ):
        self.exact = exact
        x = np.linspace(-END, END, 2 * END * LINES + 1)
        y = exact(x)
        slope = np.diff(y) * LINES
        at_0 = y[:-1] - slope * x[:-1]
        self.at_0 = np.concatenate([before[:1], at_0, after[:1]]).astype(np.float32)
        self.slope = np.concatenate([before[1:], slope, after[1:]]).astype(np.float32)

    def __call__(self, x: Array) -> Array:
        """x is used up: float32 are replaced where they stand, block after block, as fresh memory takes longest."""
        if x.dtype != np.float32:
            return self.exact(x)
        x = np.ascontiguousarray(x)
        every = x.reshape(-1)
        place, which = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.intp)
        for start in range(0, every.size, BLOCK):
            some = every[start : start + BLOCK]
            at, line = place[: some.size], which[: some.size]
            np.multiply(some, LINES, out=at)
            at += END * LINES + 1
            line[...] = at  # truncated
            some *= self.slope.take(line, out=at, mode="clip")
            some += self.at_0.take(line, out=at, mode="clip")
        return x


gelu = StraightLines(lambda x: x * below(x), (0, 0), (0, 1))
roughly_below = StraightLines(below, (0, 0), (1, 0))
