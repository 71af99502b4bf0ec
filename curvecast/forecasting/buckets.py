"""How mass lies within the K buckets of a density, however much of it each of them has.

As curvecast/networks/buckets.py: inside, it is spread evenly, and the two outer buckets are half-normals with half of their
mass inside. Shapes: ... = curves and queries, K = buckets, S = stairs.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from curvecast.forecasting import normal_law
from curvecast.forecasting.normal_law import ROOT2

Array = np.ndarray
HALF = 0.6744897501960817  # a half-normal of scale s has half of its mass below HALF * s
BEYOND = 1e6


class Stairs(NamedTuple):
    """The buckets' own means as a staircase: at `at` it climbs by `steps`, and after i of them it has come to height[i]."""

    at: Array  # (S,) rising
    steps: Array  # (S,)
    height: Array  # (S+1,)


class Buckets:
    def __init__(self, borders: Array):
        self.borders = borders  # (K+1,)
        self.first, self.last = borders[1], borders[-2]  # where the tails start
        self.low = (self.first - borders[0]) / HALF  # scale of the left half-normal
        self.high = (borders[-1] - self.last) / HALF
        self.edges = borders.copy()  # where a mixture is divided: both ends lie beyond all mass
        self.edges[0], self.edges[-1] = -BEYOND, BEYOND
        self._stairs: dict[tuple[float, float, float], Stairs] = {}

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

    def stairs(self, low: float, high: float, wide: float = 0) -> Stairs:
        """The means, each kept within low .. high; steps that lie closer together than `wide` made two, if it is given.

        Two with the same weight, mean, variance and skew: a Gaussian four times as wide cannot tell them from the many.
        """
        known = low, high, wide
        if known not in self._stairs:
            borders = self.borders.astype(np.float64)
            at, centres = borders[1:-1], (borders[1:] + borders[:-1]) / 2  # (K-1,), (K,)
            centres[0] = self.first - self.low * math.sqrt(2 / math.pi)
            centres[-1] = self.last + self.high * math.sqrt(2 / math.pi)
            centres = np.clip(centres, low, high)
            steps = np.diff(centres)
            if wide:
                at, steps = _gathered(at, steps, wide)
            height = centres[0] + np.concatenate([[0], np.cumsum(steps)])
            self._stairs[known] = Stairs(*(part.astype(self.borders.dtype) for part in (at, steps, height)))
        return self._stairs[known]


def _gathered(at: Array, steps: Array, wide: float) -> tuple[Array, Array]:
    """Gauss's rule of two points for the steps in each stretch of that width; one or two of them stay as they are."""
    at, steps = at[steps > 0], steps[steps > 0]
    stretch = np.floor(at / wide)
    _, which, many = np.unique(stretch, return_inverse=True, return_counts=True)
    crowded = many[which] > 2
    starts = np.flatnonzero(np.diff(stretch[crowded], prepend=-np.inf))

    def total(values: Array) -> Array:
        return np.add.reduceat(steps[crowded] * values, starts)

    weight = total(np.ones(crowded.sum()))
    middle = total(at[crowded]) / weight
    away = at[crowded] - np.repeat(middle, many[many > 2])
    variance, lean = total(away**2) / weight, total(away**3) / weight
    lean /= 2 * variance
    reach = np.sqrt(variance + lean**2)
    right = weight * (reach - lean) / (2 * reach)
    places = [at[~crowded], middle + lean - reach, middle + lean + reach]
    order = np.argsort(np.concatenate(places))
    sizes = [steps[~crowded], weight - right, right]
    return np.concatenate(places)[order], np.concatenate(sizes)[order]


def _log_half_normal(distance: Array, scale: float) -> Array:
    return 0.5 * math.log(2 / math.pi) - math.log(scale) - (distance / scale) ** 2 / 2
