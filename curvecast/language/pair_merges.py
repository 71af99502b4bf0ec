"""Byte pair encoding: the most frequent pair of neighbours becomes one symbol, again and again.

A text is a row of symbols 0 .. first - 1; merge i makes the symbol first + i. Texts stand one behind the other with an END
after each, which is never merged. In a run of one symbol, pairs are counted and merged from the left: a a a is one pair.

Shapes: m = symbols of all texts, ENDs included.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

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
