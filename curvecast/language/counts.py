"""A language model that counts: n-grams, smoothed by absolute discounting.

    P(w | h) = max(c(h w) - D, 0) / c(h)  +  D N(h) / c(h)  P(w | h without its first word)        down to 1 / K

c counts, N(h) is the number of different words that followed h, and D, the discount, moves mass to the shorter context. A
context that never occurred leaves all to the shorter one. Order 0 is the uniform model, whose perplexity is K.

Shapes: B = curves, T = words, K = words that exist.
"""

import numpy as np

from curvecast.ground.errors import UserError

Array = np.ndarray


class NGrams:
    def __init__(self, texts: list[Array], order: int, size: int):
        """Of texts of words 0 .. K-1, of any lengths."""
        if size < 1 or order < 0 or (size + 1) ** order > 2**62:
            raise UserError(f"no {order}-grams of {size} words: take at least one word, and a lower order")
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
