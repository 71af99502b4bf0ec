"""The network's answer in numpy: masses of K buckets, written by a mixture of M Gaussians.

As curvecast/networks/mixture.py and buckets.py, to which a test holds it: the mass of a bucket is what the mixture has
between its borders, inside it is spread evenly, and the two outer buckets are half-normals with half of their mass inside.
Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from curvecast.forecasting import normal_law, straight_lines
from curvecast.forecasting.normal_law import ROOT2

Array = np.ndarray

HALF = 0.6744897501960817  # a half-normal of scale s has half of its mass below HALF * s
LEAST_MASS = 1e-30  # of a bucket: nothing is impossible
BEYOND = 1e6
FAR = 6.0  # scales from its mean, a component has no more to say


class Density:
    """Log weights, means and scales (..., M) of a mixture over borders (K+1,)."""

    def __init__(self, borders: Array, log_w: Array, means: Array, scales: Array):
        self.borders, self.log_w, self.means, self.scales = borders, log_w, means, scales
        self.first, self.last = borders[1], borders[-2]  # where the tails start
        self.low = (self.first - borders[0]) / HALF  # scale of the left half-normal
        self.high = (borders[-1] - self.last) / HALF

    def __getitem__(self, rows: Any) -> "Density":
        return Density(self.borders, self.log_w[rows], self.means[rows], self.scales[rows])

    @cached_property
    def half(self) -> Array:
        return np.exp(self.log_w) / 2  # (..., M): a cdf is half of an erfc

    @cached_property
    def per(self) -> Array:
        return 1 / (self.scales * self.scales.dtype.type(ROOT2))  # (..., M)

    @cached_property
    def edges(self) -> Array:
        """Where the mixture is divided: the borders, but for both ends, which lie beyond all mass.  (K+1,)"""
        edges = self.borders.astype(self.means.dtype)
        edges[0], edges[-1] = -BEYOND, BEYOND
        return edges

    def quantile(self, level: float | Array) -> Array:
        """The y with cdf(y) = level: one for all densities, or (...), or (L, 1, ...) for several.  -> (...) or (L, ...)"""
        level = np.asarray(level, self.means.dtype)
        level = np.broadcast_to(level, np.broadcast_shapes(level.shape, self.means.shape[:-1]))
        low, high = np.zeros(level.shape, np.intp), np.full(level.shape, len(self.edges) - 1)
        for _ in range(math.ceil(math.log2(len(self.edges) - 1))):
            middle = (low + high) >> 1  # the quantile lies above edge `low`, not above `high`
            reached = self._about_left(self.edges[middle]) >= level
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        k = high - 1
        start, end = self.edges[k], self.edges[high]
        left = self._left(start)
        below = np.clip((level - left) / np.maximum(self._left(end) - left, 1e-12), 1e-30, 1)
        outer = (k == 0) | (k == len(self.edges) - 2)
        found = np.asarray(start + below * (end - start))
        if outer.any():
            above = (1 - level) / np.maximum(
                self._right(start), 1e-30
            )  # of the last bucket, where digits count
            found[outer] = self._in_tail(k[outer], below[outer], np.clip(above, 1e-30, 1)[outer])
        return found

    def _in_tail(self, k: Array, below: Array, above: Array) -> Array:
        left = self.first + self.low * normal_law.quantile(below / 2)
        right = self.last - self.high * normal_law.quantile(above / 2)
        return np.where(k == 0, left, right)

    def cdf(self, y: Array) -> Array:
        """P(Y <= y)"""
        y, k = self._bucket(y)
        start, end = self._left(self.edges[k]), self._left(self.edges[k + 1])
        return start + self._share_below(y, k) * (end - start)

    def exceeds(self, t: Array) -> Array:
        """P(Y > t), summed from the right so that small chances keep their digits."""
        t, k = self._bucket(t)
        start, end = self._right(self.edges[k]), self._right(self.edges[k + 1])
        beyond = normal_law.erfc((t - self.last) / self.high / ROOT2)
        return end + np.where(k == len(self.edges) - 2, beyond, 1 - self._share_below(t, k)) * (start - end)

    def log_density(self, y: Array) -> Array:
        y, k = self._bucket(y)
        wide = [part.astype(np.float64) for part in (self.borders, self.log_w, self.means, self.scales)]
        exact = Density(*wide)  # a mass is the difference of two small sums, from the side that is nearer
        start, end = exact.edges[k], exact.edges[k + 1]
        right_of_mean = start > 2 * (exact.means * exact.half).sum(-1)
        mass = np.where(
            right_of_mean, exact._right(start) - exact._right(end), exact._left(end) - exact._left(start)
        )
        return np.log(np.maximum(mass, LEAST_MASS)) + self._within(y, k)

    def mean(self, low: float = -math.inf, high: float = math.inf) -> Array:
        """Of the buckets' own means, each of them kept within low .. high.  (...)

        Summed by parts, so that the cdf at the borders is all that is needed; and of each component only at those
        borders that it comes near, since elsewhere its cdf is 0 or 1.
        """
        centres, inner = self._centres(low, high), self.edges[1:-1]
        steps = np.diff(centres)  # (K-1,) over the inner borders
        total = np.zeros_like(self.means[..., 0])
        parts = [np.moveaxis(part, -1, 0) for part in (2 * self.half, self.means, 1 / self.scales)]
        for w, m, per in zip(*parts, strict=True):  # one component at a time: memory
            reach, counts = FAR / per, w > 1e-7
            if not counts.any():
                continue
            i, j = np.searchsorted(inner, ((m - reach)[counts].min(), (m + reach)[counts].max()))
            cdf = straight_lines.below((inner[i:j] - m[..., None]) * per[..., None])  # (..., j - i)
            total += w * (centres[j] - cdf @ steps[i:j])
        return total

    def _left(self, y: Array) -> Array:
        """Mass of the mixture on the left of y.  (...) -> (...)"""
        return (normal_law.erfc((self.means - y[..., None]) * self.per) * self.half).sum(-1)

    def _about_left(self, y: Array) -> Array:
        """To the sixth digit, which is enough to find the bucket."""
        below = straight_lines.below((y[..., None] - self.means) / self.scales)
        return np.einsum("...m,...m->...", below, 2 * self.half)

    def _right(self, y: Array) -> Array:
        return (normal_law.erfc((y[..., None] - self.means) * self.per) * self.half).sum(-1)

    def _bucket(self, y: Array) -> tuple[Array, Array]:
        """y, and in which of the buckets 0 .. K-1 each lies."""
        y = np.asarray(y, self.means.dtype)
        return y, np.searchsorted(self.borders[1:-1], y)

    def _share_below(self, y: Array, k: Array) -> Array:
        """How much of bucket k's own mass lies at or below y."""
        inside = (y - self.borders[k]) / np.diff(self.borders)[k]
        left = normal_law.erfc((self.first - y) / self.low / ROOT2)
        right = 1 - normal_law.erfc((y - self.last) / self.high / ROOT2)
        return np.where(k == 0, left, np.where(k == len(self.borders) - 2, right, inside))

    def _within(self, y: Array, k: Array) -> Array:
        """Log density of y given that it falls in bucket k; the masses play no part."""
        flat = -np.log(np.diff(self.borders.astype(np.float64)))[k]
        left = _log_half_normal(np.maximum(self.first - y, 0), self.low)
        right = _log_half_normal(np.maximum(y - self.last, 0), self.high)
        return np.where(k == 0, left, np.where(k == len(self.borders) - 2, right, flat))

    def _centres(self, low: float, high: float) -> Array:
        """The mean of each bucket's own mass, kept within low .. high.  (K,)"""
        centres = (self.borders[1:] + self.borders[:-1]) / 2
        centres[0] = self.first - self.low * math.sqrt(2 / math.pi)
        centres[-1] = self.last + self.high * math.sqrt(2 / math.pi)
        return np.clip(centres, low, high)


def _log_half_normal(distance: Array, scale: float) -> Array:
    return 0.5 * math.log(2 / math.pi) - math.log(scale) - (distance / scale) ** 2 / 2
