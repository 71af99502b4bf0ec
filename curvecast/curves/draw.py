"""Random numbers from a torch generator (any device), or from a numpy generator or a counter (the same everywhere)."""

import math

import numpy as np
import torch
from torch import Tensor

from curvecast.curves.counter import Counter

Generator = torch.Generator | np.random.Generator
RandomSource = Generator | Counter  # a counter gives exactly one row for each of its curves


class Draw:
    def __init__(self, generator: RandomSource):
        self.generator = generator

    def uniform(self, low: float, high: float, n: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.random(n)) * (high - low) + low
        if isinstance(self.generator, Counter):
            return self.generator.uniform(1)[:, 0] * (high - low) + low  # (n,)
        u = torch.rand(n, generator=self.generator, device=self.generator.device)
        return u.mul_(high - low).add_(low)

    def normal(self, mean: float, sd: float, *shape: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.standard_normal(shape)) * sd + mean
        if isinstance(self.generator, Counter):
            return self.generator.normal(math.prod(shape[1:])).reshape(shape) * sd + mean
        return torch.randn(*shape, generator=self.generator, device=self.generator.device).mul_(sd).add_(mean)
