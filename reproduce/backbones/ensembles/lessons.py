"""Two trainings without an endless stream of curves: on one finite set, and distillation from other networks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.training.batches import Batch, TrainConfig, queries, seed_of
from curvecast.training.steps import Training


@dataclass(frozen=True)
class FiniteConfig(TrainConfig):
    """Every step draws its curves from the same few; bagged: from as many of these, drawn with replacement."""

    few: int = 1_000
    few_seed: int = 0  # of the curves themselves
    bagged: bool = False

    def label(self) -> str:
        return f"finite-{self.few}{'-bagged' if self.bagged else ''}"

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        """As training.batches does it: equal groups, one cutoff each, from the longest down."""
        g = torch.Generator().manual_seed(seed_of(self.seed, "finite", step))
        picked = own(self)[torch.randint(self.few, (self.batch,), generator=g)]
        y = curves(self.prior, self.few_seed, self.few)[picked]  # (B, T)
        T, size = y.shape[1], self.batch // self.cutoffs
        for i, stratum in enumerate(reversed(range(self.cutoffs))):
            share = (stratum + float(torch.rand(1, generator=g))) / self.cutoffs
            cutoff = min(1 + int(share * (T - 1)), T - 1)
            mine = y[i * size : (i + 1) * size]
            index = queries(self.queries or T, torch.full((size, 1), cutoff), T, T - cutoff, g)  # (n, Q)
            x = torch.arange(1.0, cutoff + 1).expand(size, -1)
            yield Batch(x, mine[:, :cutoff], index + 1.0, mine.gather(1, index), None)


def own(config: FiniteConfig) -> Tensor:
    """The indices of the curves that a network trains on."""
    g = torch.Generator().manual_seed(seed_of(config.seed, "bag", 0))
    return (
        torch.randint(config.few, (config.few,), generator=g) if config.bagged else torch.arange(config.few)
    )


@cache
def curves(prior: PriorConfig, seed: int, few: int) -> Tensor:
    return by_number.sample(prior, seed, torch.arange(few)).noisy.float()


class Lessons(Training):
    """Distillation: the targets are values drawn from the forecasts of the teachers, in place of the true ones."""

    def __init__(self, config: TrainConfig, net: Any, teachers: list[Any], draws: int):
        super().__init__(config, net)
        self.teachers, self.draws = teachers, draws
        self.generator = torch.Generator().manual_seed(seed_of(config.seed, "lessons", 0))

    def gradient(self, group: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        return super().gradient(group._replace(y_query=self.said(group)))

    def said(self, group: Batch) -> Tensor:
        """The same number of draws from each teacher, (B, Q, S): together a sample from the mixture of all."""
        found = []
        for teacher in self.teachers:
            level = torch.rand(self.draws, *group.x_query.shape, generator=self.generator)
            found.append(teacher.density(group.x, group.y, group.x_query).quantile(level))
        return torch.cat(found).movedim(0, -1).clone()
