"""Numbers by chance, one for each of n curves, as a column (n, 1): from a torch generator, or from a numpy one."""

import math

import numpy as np
import torch
from torch import Tensor

Generator = torch.Generator | np.random.Generator


class Dice:
    def __init__(self, n: int, generator: Generator):
        self.n, self.generator = n, generator

    def uniform(self, low: float, high: float) -> Tensor:
        return self._shares(1) * (high - low) + low

    def log_uniform(self, low: float, high: float) -> Tensor:
        """As often between 1 and 10 as between 10 and 100."""
        return self.uniform(math.log(low), math.log(high)).exp()

    def normal(self, mean: float, sd: float, columns: int = 1) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            drawn = torch.from_numpy(self.generator.standard_normal((self.n, columns)))
        else:
            drawn = torch.randn(self.n, columns, generator=self.generator, device=self.generator.device)
        return drawn * sd + mean

    def happens(self, chance: float) -> Tensor:
        return self._shares(1) < chance

    def one_of(self, chance: float, then: Tensor, other: Tensor) -> Tensor:
        """`then` with this chance, else `other`."""
        return torch.where(self.happens(chance), then, other)

    def _shares(self, columns: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.random((self.n, columns)))
        return torch.rand(self.n, columns, generator=self.generator, device=self.generator.device)
