"""Any floats as symbols, without loss; byte pair encoding: the most frequent pair of neighbours becomes a symbol; n-grams.

A text is a row of symbols 0 .. first - 1; merge i makes the symbol first + i. Texts stand one behind the other with an END
after each, which is never merged. In a run of one symbol, pairs are counted and merged from the left: a a a is one pair.

Shapes: m = symbols of all texts, ENDs included.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from curvecast.ground.errors import demand

Array = np.ndarray
END = -1


@dataclass(frozen=True)
class PairMerges:
    first: int  # symbols before any merge
    pairs: tuple[tuple[int, int], ...] = ()  # in the order in which they are merged

    @cached_property
    def spelling(self) -> list[list[int]]:
        """What each symbol stands for."""
        spelt = [[symbol] for symbol in range(self.first)]
        for left, right in self.pairs:
            spelt.append(spelt[left] + spelt[right])
        return spelt

    def encode(self, text: Array) -> Array:
        for i, pair in enumerate(self.pairs):
            text = merge(text, pair, self.first + i)
        return text

    def decode(self, text: Array) -> Array:
        # END = -1: the last one
        flat = np.concatenate([np.array(spelt) for spelt in (*self.spelling, [END])])
        lengths = np.array([*map(len, self.spelling), 1])
        starts, long = (lengths.cumsum() - lengths)[text], lengths[text]
        return flat[np.arange(long.sum()) + np.repeat(starts - (long.cumsum() - long), long)]


def learn(text: Array, first: int, merges: int) -> PairMerges:
    """So many merges, or fewer where no pair occurs twice. Of equally frequent pairs the one of the lowest symbols."""
    pairs: list[tuple[int, int]] = []
    size = first + merges
    while len(pairs) < merges:
        counted = np.bincount(_pairs(text, size), minlength=1)
        if counted.max() < 2:
            break
        left, right = divmod(int(counted.argmax()), size)
        pairs.append((left, right))
        text = merge(text, pairs[-1], first + len(pairs) - 1)
    return PairMerges(first, tuple(pairs))


def joined(texts: Iterable[Array]) -> Array:
    """Texts one behind the other, each with its END."""
    return np.concatenate([np.append(text, END) for text in texts])


def parted(text: Array) -> list[Array]:
    """The texts again, without their ENDs."""
    return [one[:-1] for one in np.split(text, np.flatnonzero(text == END) + 1)[:-1]]


def _pairs(text: Array, size: int) -> Array:
    """Each pair of neighbours as one number."""
    here = np.flatnonzero((text[:-1] != END) & (text[1:] != END))
    same = here[text[here] == text[here + 1]]
    here = np.concatenate([here[text[here] != text[here + 1]], _every_second(same, text)])
    return text[here] * size + text[here + 1]


def _every_second(places: Array, text: Array) -> Array:
    """Of pairs of equal symbols, rising: those that do not overlap, from the left of each run."""
    new_run = np.diff(places, prepend=-2) > 1
    new_run[1:] |= text[places[1:]] != text[places[:-1]]
    start = np.maximum.accumulate(np.where(new_run, places, 0))
    return places[(places - start) % 2 == 0]


def merge(text: Array, pair: tuple[int, int], new: int) -> Array:
    left, right = pair
    here = np.flatnonzero((text[:-1] == left) & (text[1:] == right))
    if left == right:
        here = _every_second(here, text)
    text = text.copy()
    text[here] = new
    return np.delete(text, here + 1)


# -----------------------------------------------------------------------------------------------------------
# Any floats as symbols, without loss.
#
# A value that is one of the known levels is written as the change of level since the last known one: a curve that rises
# slowly is then a text of few, small changes. Any other value is spelt: an escape, then the eight bytes of its float64. So
# every float has a text and comes back bit by bit: infinities, NaN and -0.0 as well. Rounding to levels is a step of its own.
#
#     0 .. 255                   a byte of a value that is spelt
#     256                        escape: eight bytes follow
#     257 .. 257 + 2 (K - 1)     a change by -(K - 1) .. K - 1 levels
#
# Shapes: n = values, m = symbols, K = levels.

ESCAPE, BYTES = 256, 8


class Changes:
    def __init__(self, levels: Array):
        self.levels = np.asarray(levels, np.float64)
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


# -----------------------------------------------------------------------------------------------------------
# A language model that counts: n-grams, smoothed by absolute discounting.
#
#     P(w | h) = max(c(h w) - D, 0) / c(h)  +  D N(h) / c(h)  P(w | h without its first word)        down to 1 / K
#
# c counts, N(h) is the number of different words that followed h, and D, the discount, moves mass to the shorter context. A
# context that never occurred leaves all to the shorter one. Order 0 is the uniform model, whose perplexity is K.
#
# Shapes: K = words that exist.


class NGrams:
    def __init__(self, texts: list[Array], order: int, size: int):
        """Of texts of words 0 .. K-1, of any lengths."""
        demand((size + 1) ** order < 2**62, f"no {order}-grams of {size} words: take a lower order")
        self.order, self.size = order, size
        # grams and their counts; contexts, how often, how many different words there
        self.tables: list[tuple[Array, ...]] = []
        for n in range(1, order + 1):
            kinds, count = np.unique(self._grams(texts, n), return_counts=True)
            contexts, first = np.unique(kinds // (size + 1), return_index=True)
            seen = np.add.reduceat(count, first) if len(first) else count
            self.tables.append((kinds, count, contexts, seen, np.diff(first, append=len(kinds))))

    def log_p(self, texts: list[Array], discount: float) -> Array:
        """Of each word given those before it, text by text.  -> (all words,)"""
        p = np.full(sum(map(len, texts)), 1 / self.size)
        for n, (grams, count, contexts, seen, different) in enumerate(self.tables, start=1):
            wanted = self._grams(texts, n)
            c = _look_up(grams, count, wanted)
            total, kinds = (_look_up(contexts, what, wanted // (self.size + 1)) for what in (seen, different))
            smooth = (np.maximum(c - discount, 0) + discount * kinds * p) / np.maximum(total, 1)
            p = np.where(total > 0, smooth, p)
        with np.errstate(divide="ignore"):  # without a discount, what never occurred is impossible
            return np.log(p)

    def _grams(self, texts: list[Array], n: int) -> Array:
        """Each word with the n - 1 before it, as one number; before a text stand words that say so."""
        base, before = self.size + 1, np.full(n - 1, self.size)
        text = np.concatenate([np.concatenate([before, one]) for one in texts]).astype(np.int64)
        gram = np.zeros(len(text) - n + 1, np.int64)
        for i in range(n):
            gram = gram * base + text[i : len(text) - n + 1 + i]
        return gram[text[n - 1 :] < self.size]


def _look_up(keys: Array, values: Array, wanted: Array) -> Array:
    """The value of each key, 0 where there is no such key."""
    if not len(keys):
        return np.zeros(len(wanted))
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0)
