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

# No steps: a training asks there for the law. No forecast does, for exponents and limits have units that are not seen.
FLOOR_AT, EXPONENT_AT = 120.0, 140.0


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


def of_floor(share: Array) -> Array:
    """How a network tells the floor, as a share of the newest value: small ones count as well."""
    return np.sqrt(share)


def of_exponent(exponent: Array) -> Array:
    """How a network tells the exponent of the last power law: by its logarithm, but for small and negative ones."""
    return NOW + np.arcsinh(exponent / 0.05) / 6
