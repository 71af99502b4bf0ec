"""Random numbers, one for each of n curves, as a column (n, 1)."""

import math

import torch
from torch import Tensor

from curvecast.curves.draw import Draw, RandomSource


class Dice:
    def __init__(self, n: int, generator: RandomSource):
        self.n, self.draw = n, Draw(generator)

    def uniform(self, low: float, high: float) -> Tensor:
        return self.draw.uniform(low, high, self.n)[:, None]

    def log_uniform(self, low: float, high: float) -> Tensor:
        """Uniform in the logarithm: as often between 1 and 10 as between 10 and 100."""
        return self.uniform(math.log(low), math.log(high)).exp()

    def normal(self, mean: float, sd: float, columns: int = 1) -> Tensor:
        return self.draw.normal(mean, sd, self.n, columns)

    def happens(self, chance: float | Tensor) -> Tensor:
        return self.uniform(0, 1) < chance

    def one_of(self, chance: float | Tensor, then: Tensor, other: Tensor) -> Tensor:
        """`then` with this chance, else `other`."""
        return torch.where(self.happens(chance), then, other)
