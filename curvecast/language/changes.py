"""Any floats as symbols, without loss.

A value that is one of the known levels is written as the change of level since the last known one: a curve that rises
slowly is then a text of few, small changes. Any other value is spelt: an escape, then the eight bytes of its float64. So
every float has a text and comes back bit by bit: infinities, NaN and -0.0 as well. Rounding to levels is a step of its own.

    0 .. 255                   a byte of a value that is spelt
    256                        escape: eight bytes follow
    257 .. 257 + 2 (K - 1)     a change by -(K - 1) .. K - 1 levels

Shapes: n = values, m = symbols, K = levels.
"""

import numpy as np

from curvecast.ground.errors import UserError

Array = np.ndarray
ESCAPE, BYTES = 256, 8


class Changes:
    def __init__(self, levels: Array):
        self.levels = np.asarray(levels, np.float64)
        if not len(self.levels) or not np.isfinite(self.levels).all() or (np.diff(self.levels) <= 0).any():
            raise UserError("levels must be finite and rise, and there must be one at least")
        self.none = ESCAPE + len(self.levels)  # the symbol of no change
        self.start = len(self.levels) // 2  # the level before the first value
        self.symbols = self.none + len(self.levels)  # how many there are

    def rounded(self, values: Array) -> Array:
        """The nearest level of each value; what is not finite stays."""
        middles = (self.levels[1:] + self.levels[:-1]) / 2
        nearest = self.levels[np.searchsorted(middles, values)]
        return np.where(np.isfinite(values), nearest, values)

    def encode(self, values: Array) -> Array:
        """(n,) -> (m,), n of them if all values are levels"""
        values = np.asarray(values, np.float64)
        level = np.searchsorted(self.levels, values).clip(max=len(self.levels) - 1)
        known = _bits(self.levels[level]) == _bits(values)
        lengths = np.where(known, 1, 1 + BYTES)
        ends = lengths.cumsum()
        text = np.full(int(lengths.sum()), ESCAPE)
        text[ends[known] - 1] = self.none + np.diff(level[known], prepend=self.start)
        spelt = np.frombuffer(values[~known].astype("<f8").tobytes(), np.uint8).reshape(-1, BYTES)
        text[ends[~known][:, None] - BYTES + np.arange(BYTES)] = spelt
        return text

    def decode(self, text: Array) -> Array:
        """(m,) -> (n,)"""
        text = np.asarray(text, np.int64)
        escapes, is_byte, is_change = np.flatnonzero(text == ESCAPE), text < ESCAPE, text > ESCAPE
        expected = (escapes[:, None] + 1 + np.arange(BYTES)).ravel()
        level = self.start + (text[is_change] - self.none).cumsum()
        values = np.empty(len(text))
        values[is_change] = self.levels[level]
        values[escapes] = np.frombuffer(text[expected].astype(np.uint8).tobytes(), "<f8")
        return values[~is_byte]


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.int64)
