"""The network's answer in numpy: masses of K buckets, written by a mixture of M Gaussians.

As curvecast/networks/mixture.py, to which a test holds it: the mass of a bucket is what the mixture has between its borders.
Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.buckets import Buckets
from curvecast.forecasting.normal_law import ROOT2

Array = np.ndarray
LEAST_MASS = 1e-30  # of a bucket: nothing is impossible
FAR = 6.0  # scales from its mean, a component has no more to say


class Density:
    """Log weights, means and scales (..., M) of a mixture over buckets."""

    def __init__(self, buckets: Buckets, log_w: Array, means: Array, scales: Array):
        self.buckets, self.log_w, self.means, self.scales = buckets, log_w, means, scales
        self.edges = buckets.edges  # (K+1,)

    def __getitem__(self, rows: Any) -> "Density":
        return Density(self.buckets, self.log_w[rows], self.means[rows], self.scales[rows])

    def __reduce__(self) -> tuple[Any, ...]:
        return Density, (self.buckets, self.log_w, self.means, self.scales)  # the rest follows from these

    @cached_property
    def half(self) -> Array:
        return np.exp(self.log_w) / 2  # (..., M): a cdf is half of an erfc

    @cached_property
    def per(self) -> Array:
        return 1 / (self.scales * self.scales.dtype.type(ROOT2))  # (..., M)

    def quantile(self, level: float | Array) -> Array:
        """The y with cdf(y) = level: one for all densities, or (...), or (L, 1, ...) for several.  -> (...) or (L, ...)"""
        level = np.asarray(level, self.means.dtype)
        level = np.broadcast_to(level, np.broadcast_shapes(level.shape, self.means.shape[:-1]))
        low, high = np.zeros(level.shape, np.intp), np.full(level.shape, len(self.edges) - 1)
        for _ in range(math.ceil(math.log2(len(self.edges) - 1))):
            middle = (low + high) >> 1  # the quantile lies above edge `low`, not above `high`
            below = normal_law.roughly_below((self.edges[middle][..., None] - self.means) / self.scales)
            reached = np.einsum("...m,...m->...", below, 2 * self.half) >= level  # to the sixth digit: enough
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        k = high - 1
        start, end = self.edges[k], self.edges[high]
        left = self._left(start)
        below = np.clip((level - left) / np.maximum(self._left(end) - left, 1e-12), 1e-30, 1)
        outer = (k == 0) | (k == len(self.edges) - 2)
        y = np.asarray(start + below * (end - start))
        if outer.any():
            # of the last bucket, where digits count
            above = np.clip((1 - level) / np.maximum(self._right(start), 1e-30), 1e-30, 1)
            y[outer] = self.buckets.in_tail(below[outer], above[outer], k[outer])
        return y

    def cdf(self, y: Array) -> Array:
        """P(Y <= y)"""
        y, k = self._bucket(y)
        start, end = self._left(self.edges[k]), self._left(self.edges[k + 1])
        return start + self.buckets.share_below(y, k) * (end - start)

    def exceeds(self, t: Array) -> Array:
        """P(Y > t), summed from the right so that small chances keep their digits."""
        t, k = self._bucket(t)
        start, end = self._right(self.edges[k]), self._right(self.edges[k + 1])
        return end + self.buckets.share_above(t, k) * (start - end)

    def log_density(self, y: Array) -> Array:
        y, k = self._bucket(y)
        parts = (part.astype(np.float64) for part in (self.log_w, self.means, self.scales))
        exact = Density(self.buckets.exact, *parts)  # a mass is the difference of two small sums
        start, end = exact.edges[k], exact.edges[k + 1]
        right_of_mean = start > 2 * (exact.means * exact.half).sum(-1)  # from the side that is nearer
        left, right = exact._left(end) - exact._left(start), exact._right(start) - exact._right(end)
        mass = np.where(right_of_mean, right, left)
        return np.log(np.maximum(mass, LEAST_MASS)) + self.buckets.within(y, k)

    def mean(self, low: float = -math.inf, high: float = math.inf) -> Array:
        """Of the buckets' own means, each of them kept within low .. high.  (...)

        Summed by parts, so that the cdf where these means climb is all that is needed; and of each component only where
        it comes near, since elsewhere its cdf is 0 or 1. In float32, a wide one is asked at few places.
        """
        total = np.zeros_like(self.means[..., 0])
        parts = [np.moveaxis(part, -1, 0) for part in (2 * self.half, self.means, self.scales)]
        for w, m, scale in zip(*parts, strict=True):  # one component at a time: memory
            if not (counts := w > 1e-7).any():
                continue
            wide = 2.0 ** math.floor(math.log2(scale[counts].min() / 4)) if m.dtype == np.float32 else 0
            at, steps, height = self.buckets.stairs(low, high, wide)
            reach = FAR * scale
            i, j = np.searchsorted(at, ((m - reach)[counts].min(), (m + reach)[counts].max()))
            cdf = normal_law.roughly_below((at[i:j] - m[..., None]) / scale[..., None])  # (..., j - i)
            total += w * (height[j] - cdf @ steps[i:j])
        return total

    def _left(self, y: Array) -> Array:
        """Mass of the mixture on the left of y.  (...) -> (...)"""
        return (normal_law.erfc((self.means - y[..., None]) * self.per) * self.half).sum(-1)

    def _right(self, y: Array) -> Array:
        return (normal_law.erfc((y[..., None] - self.means) * self.per) * self.half).sum(-1)

    def _bucket(self, y: Array) -> tuple[Array, Array]:
        """y, and in which of the buckets 0 .. K-1 each lies."""
        y = np.asarray(y, self.means.dtype)
        return y, self.buckets.bucket(y)
