"""Will any later epoch beat the best? From sampled futures: epoch by epoch, each read before the next is drawn.

Shapes: B runs at once, T epochs seen, Q later epochs, F futures of each run.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from curvecast.scores import stopping


@dataclass(frozen=True)
class BestOfFutures:
    """The law of the highest later value, as far as sampled futures tell it."""

    highest: Tensor  # (F, B)

    def quantile(self, level: float) -> Tensor:  # -> (B, 1)
        return torch.quantile(self.highest, level, dim=0)[:, None]


def by_futures(predict: stopping.Predict, futures: int, generator: torch.Generator) -> stopping.Predict:
    """A forecast of the best that is still to come, in place of one for each later epoch."""

    def grow(x: Tensor, y: Tensor, later: Tensor) -> stopping.Density:
        seen, B = x.shape[1], len(x)
        x, y, later = (part.repeat(futures, 1) for part in (x, y, later))  # (F B, ...)
        for epoch in later.split(1, dim=1):  # (F B, 1), from the nearest on
            density = predict(x, y, epoch)
            level = torch.rand(len(x), 1, generator=generator).clamp(1e-6, 1 - 1e-6)
            x, y = torch.cat([x, epoch], 1), torch.cat([y, density.quantile(level)], 1)  # type: ignore[arg-type]
        return BestOfFutures(y[:, seen:].max(1).values.view(futures, B))

    return grow
