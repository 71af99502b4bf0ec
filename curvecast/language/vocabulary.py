"""Values as words: word k says that the value lies in bucket k of the bar distribution.

    log density of a value = log P(its word) + log density within the bucket        (the second is minus the log width inside)

So a probability over words and a density over values are compared on one scale, nats per point. Rounding to words loses
what lies within a bucket, and no more. An infinite value has a word, that of an outer bucket, but no density.

Shapes: B = curves, T = points, K = words.
"""

from typing import Any

import torch
from torch import Tensor

from curvecast.ground.errors import UserError, demand
from curvecast.language.skip_gram import WindowConfig
from curvecast.networks.backbones.recurrent import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.buckets import Buckets


class Vocabulary(Buckets):
    def __init__(self, borders: Tensor):
        if borders.ndim != 1 or len(borders) < 4:
            raise UserError(f"a vocabulary needs at least 3 words, so 4 borders: there are {borders.numel()}")
        if not bool((borders.diff() > 0).all()):  # a NaN is not above anything
            raise UserError("the borders of a vocabulary must rise, and be numbers")
        super().__init__(borders)

    @property
    def size(self) -> int:
        return len(self.borders) - 1  # K

    @property
    def begin(self) -> int:
        """The word before the first point: it says that a curve begins, and no point has it."""
        return self.size

    def words(self, y: Tensor) -> Tensor:
        """(...) -> (...) in 0 .. K-1"""
        demand(not bool(y.isnan().any()), "a NaN is no value and has no word: leave it out")
        return self.bucket(y)

    def values(self, words: Tensor, shares: Tensor | None = None) -> Tensor:
        """The mean of each word's bucket, or the place in it with this share (...) of its mass below."""
        self.check(words)
        if shares is None:
            return self.centres()[words]
        return self.place(shares, 1 - shares, words)

    def before(self, words: Tensor) -> Tensor:
        """The word before each: the beginning, then all but the last.  (B, T) -> (B, T)"""
        return torch.cat([torch.full_like(words[:, :1], self.begin), words[:, :-1]], 1)

    def check(self, words: Tensor) -> None:
        if words.numel() and not 0 <= int(words.min()) <= int(words.max()) < self.size:
            raise UserError(f"a word outside 0 .. {self.size - 1} stands for no value")


# -----------------------------------------------------------------------------------------------------------
# The neural language models by the names that tables use: 16 d^2 parameters each between the word vectors.
#
# A recurrent network or a transformer is that of curvecast/networks/backbones; only the window is new here.

FAMILIES: dict[str, Any] = {
    "feed-forward": WindowConfig(),
    "LSTM": LSTMConfig(layers=2, hands="all"),
    "transformer": TransformerConfig(heads=2, causal=True, position="rope", name="decoder"),
}
