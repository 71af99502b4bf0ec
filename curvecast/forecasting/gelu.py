"""x times the share of the normal law below x, for a million numbers at a time.

float32 finds it in a table of short straight lines, each of which is right to the seventh digit; an erfc would take
longer than the network's products. float64 has time.
"""

import numpy as np

from curvecast.forecasting.normal_law import below

Array = np.ndarray

END = 6  # beyond it the answer is 0, or x
LINES = 512  # for each unit of x


def _lines() -> tuple[Array, Array]:
    """Of the straight line for each piece of x, its value at 0 and its slope.  (2 END LINES + 2,)"""
    x = np.linspace(-END, END, 2 * END * LINES + 1)
    y = x * below(x)
    slope = np.diff(y) * LINES
    ends = (0.0, 1.0)
    at_0 = np.concatenate([[0.0], y[:-1] - slope * x[:-1], [0.0]])
    return at_0.astype(np.float32), np.concatenate([ends[:1], slope, ends[1:]]).astype(np.float32)


AT_0, SLOPE = _lines()


def gelu(x: Array) -> Array:
    if x.dtype != np.float32:
        return x * below(x)
    place = x * np.float32(LINES)
    place += np.float32(END * LINES + 1)
    np.clip(place, 0, len(SLOPE) - 1, out=place)
    which = place.astype(np.intp)
    found = SLOPE.take(which, out=place, mode="clip")
    found *= x
    found += AT_0.take(which)
    return found
