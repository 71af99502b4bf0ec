"""Where a scaling curve lies for a network: logarithms of steps on 1 .. 100, logarithms of values in units of what was seen.

A scaling curve is the distance of a metric from its best value against steps, data or parameters, over decades of them.
The network sees neither decades nor units: the same curve at ten times the steps, or of ten times the size, looks the same.
l = ln step, z = ln distance.
"""

from typing import NamedTuple

import numpy as np

Array = np.ndarray
SHARE = 0.25  # of the network's scale between the best and the worst value seen
LEAST = 0.03  # a range of z below which smaller ranges hardly look larger
NOW = 0.5  # where the last value seen lies; more is better

# No steps: who asks there is told of the law, and not of a value.
FLOOR_AT, EXPONENT_AT = 120.0, 140.0
# numbers of the law: a line up to SMALL units, then a logarithm, this many times compressed
SMALL, NARROWER = 0.05, 5


def place(l: Array, first: Array | float, end: Array | float) -> Array:  # noqa: E741 # the letter of the formula
    """ln steps, from the first to the last that is asked for, to 1 .. 100."""
    return 1 + 99 * (l - first) / (end - first)


class LogScale(NamedTuple):
    """z on the network's scale: a line near the last value seen, a logarithm far from it."""

    last: Array
    unit: Array

    @staticmethod
    def of(z: Array) -> "LogScale":
        """From the values seen.  (..., T) -> two of (..., 1)"""
        span = np.ptp(z, -1, keepdims=True)
        return LogScale(z[..., -1:], np.sqrt(span**2 + LEAST**2) / SHARE)

    def to(self, z: Array) -> Array:
        return NOW - np.arcsinh((z - self.last) / self.unit)

    def back(self, seen: Array) -> Array:
        return self.last - self.unit * np.sinh(seen - NOW)

    def log_slope(self, z: Array) -> Array:
        """ln of |d seen / dz|"""
        return -np.log(self.unit) - np.log1p(((z - self.last) / self.unit) ** 2) / 2

    # The law in these same units, so that it means the same for any size of values and any number of decades.

    def of_floor(self, floor: Array) -> Array:
        """How the network tells a floor: by how far z of the floor lies below the last value seen."""
        return _told((self.last - floor) / self.unit)

    def floor(self, told: Array) -> Array:
        return self.last - self.unit * _untold(told)

    def of_exponent(self, exponent: Array, length: Array | float) -> Array:
        """How the network tells an exponent: by what its power law alone loses over an axis of so many ln steps."""
        return _told(exponent * length / self.unit)

    def exponent(self, told: Array, length: Array | float) -> Array:
        return _untold(told) * self.unit / length


def _told(units: Array) -> Array:
    return NOW + np.arcsinh(units / SMALL) / NARROWER


def _untold(told: Array) -> Array:
    return SMALL * np.sinh(NARROWER * (told - NOW))
