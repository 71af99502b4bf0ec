"""Numbers by chance: from a torch generator (any device), or from a numpy one (the same everywhere)."""

import numpy as np
import torch
from torch import Tensor

Generator = torch.Generator | np.random.Generator


class Draw:
    def __init__(self, generator: Generator):
        self.generator = generator

    def uniform(self, low: float, high: float, n: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.random(n)) * (high - low) + low
        return (
            torch.rand(n, generator=self.generator, device=self.generator.device).mul_(high - low).add_(low)
        )

    def normal(self, mean: float, sd: float, *shape: int) -> Tensor:
        if isinstance(self.generator, np.random.Generator):
            return torch.from_numpy(self.generator.standard_normal(shape)) * sd + mean
        return torch.randn(*shape, generator=self.generator, device=self.generator.device).mul_(sd).add_(mean)
