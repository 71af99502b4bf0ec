"""The network's answer in numpy: masses of K buckets, written by a mixture of M Gaussians.

As curvecast/networks/mixture.py, to which a test holds it: the mass of a bucket is what the mixture has between its borders.
Inside a bucket it is spread evenly, and the two outer ones are half-normals with half of their mass inside, as in
curvecast/networks/bars.py. Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.normal_law import ROOT2

Array = np.ndarray
LEAST_MASS = 1e-30  # of a bucket: nothing is impossible
HALF = 0.6744897501960817  # a half-normal of scale s has half of its mass below HALF * s
BEYOND = 1e6


class Buckets:
    def __init__(self, borders: Array):
        self.borders = borders  # (K+1,)
        self.first, self.last = borders[1], borders[-2]  # where the tails start
        self.low = (self.first - borders[0]) / HALF  # scale of the left half-normal
        self.high = (borders[-1] - self.last) / HALF
        self.edges = borders.copy()  # where a mixture is divided: both ends lie beyond all mass
        self.edges[0], self.edges[-1] = -BEYOND, BEYOND

    @cached_property
    def exact(self) -> "Buckets":
        """The same in float64."""
        return Buckets(self.borders.astype(np.float64))

    def __reduce__(self) -> tuple[object, ...]:
        return Buckets, (self.borders,)  # a pickle needs no more

    def __len__(self) -> int:
        return len(self.borders) - 1

    def bucket(self, y: Array) -> Array:
        """In which of the buckets 0 .. K-1 each y lies: k in what follows."""
        return np.searchsorted(self.borders[1:-1], y)

    def share_below(self, y: Array, k: Array) -> Array:
        """How much of bucket k's own mass lies at or below y."""
        inside = (y - self.borders[k]) / np.diff(self.borders)[k]
        left = normal_law.erfc((self.first - y) / self.low / ROOT2)
        return self._choose(k, left, inside, 1 - self.beyond(y))

    def share_above(self, y: Array, k: Array) -> Array:
        """The rest, with the digits of what is far out on the right."""
        return np.where(k == len(self) - 1, self.beyond(y), 1 - self.share_below(y, k))

    def beyond(self, y: Array) -> Array:
        """How much of the last bucket's own mass lies above y."""
        return normal_law.erfc((y - self.last) / self.high / ROOT2)

    def within(self, y: Array, k: Array) -> Array:
        """Log density of y given that it falls in bucket k; the masses play no part."""
        flat = -np.log(np.diff(self.borders.astype(np.float64)))[k]
        left = _log_half_normal(np.maximum(self.first - y, 0), self.low)
        right = _log_half_normal(np.maximum(y - self.last, 0), self.high)
        return self._choose(k, left, flat, right)

    def in_tail(self, below: Array, above: Array, k: Array) -> Array:
        """The y in an outer bucket k that has a share `below` of its own mass below it, and `above` above it."""
        left = self.first + self.low * normal_law.quantile(below / 2)
        right = self.last - self.high * normal_law.quantile(above / 2)
        return np.where(k == 0, left, right)

    def _choose(self, k: Array, left: Array, inside: Array, right: Array) -> Array:
        """What holds in bucket k: in the left tail, inside, or in the right tail."""
        return np.where(k == 0, left, np.where(k == len(self) - 1, right, inside))


def _log_half_normal(distance: Array, scale: float) -> Array:
    return 0.5 * math.log(2 / math.pi) - math.log(scale) - (distance / scale) ** 2 / 2


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

    def _left(self, y: Array) -> Array:
        """Mass of the mixture on the left of y.  (...) -> (...)"""
        return (normal_law.erfc((self.means - y[..., None]) * self.per) * self.half).sum(-1)

    def _right(self, y: Array) -> Array:
        return (normal_law.erfc((y[..., None] - self.means) * self.per) * self.half).sum(-1)

    def _bucket(self, y: Array) -> tuple[Array, Array]:
        """y, and in which of the buckets 0 .. K-1 each lies."""
        y = np.asarray(y, self.means.dtype)
        return y, self.buckets.bucket(y)
