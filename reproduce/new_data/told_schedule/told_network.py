"""A network that is given the planned rate at each epoch, or is not, and its training on curves with plans.

An epoch is three numbers: which one it is, its rate relative to the highest one, and the sum of the rates up to it.
Shapes: B = curves, T = context points, Q = queries, d = width.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError
from curvecast.networks.inputs import SpreadInputs
from curvecast.networks.layer import Visibility
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import CHUNK, Batch, TrainConfig, queries, seed_of
from reproduce.new_data.told_schedule import planned_runs

BEHAVIOUR = (
    1  # raise by hand when the same weights and inputs give other logits, or a config trains otherwise
)

VALUES = PriorConfig(real=1.0)  # whose values say where buckets end


def epochs(rate: Tensor) -> Tensor:
    """(B, T) -> (B, T, 3)"""
    number = torch.arange(1.0, rate.shape[1] + 1, dtype=rate.dtype).expand_as(rate)
    return torch.stack([number, rate, rate.cumsum(1)], -1)


@dataclass(frozen=True)
class ToldConfig:
    model: ModelConfig
    told: bool = True

    @property
    def label(self) -> str:
        return f"{'told' if self.told else 'untold'}-{self.model.label}"

    def behaviour(self) -> dict[str, int]:
        return self.model.behaviour() | {"told": BEHAVIOUR, "planned": planned_runs.BEHAVIOUR}

    def network(self, borders: Tensor) -> "ToldNetwork":
        return ToldNetwork(self.model, borders, self.told)


class ToldInputs(SpreadInputs):
    """Tokens as ours, and three numbers of the plan; if it is not given the plan, zeros stand in their place."""

    def __init__(self, width: int, told: bool):
        super().__init__(width)
        self.told, self.x = told, nn.Linear(3 + 3, width)

    def of_x(self, x: Tensor) -> Tensor:
        number, rate, passed = x.unbind(-1)
        plan = torch.stack([4 * rate - 2, rate.log() / 2 + 1, passed / 30 - 1.5], -1)
        return torch.cat([super().of_x(number), plan if self.told else torch.zeros_like(plan)], -1)


class ToldNetwork(PFN):
    def __init__(self, config: ModelConfig, borders: Tensor, told: bool):
        super().__init__(config, borders)
        self.inputs = ToldInputs(config.width, told)

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As the PFN's, but x (B, T, 3) and x_query (B, Q, 3)."""
        if mask is not None:
            x, y = torch.where(mask[..., None], x, 1.0), torch.where(mask, y, 0.0)
        stand = self.inputs.stand(x[..., 0], y, mask)
        tokens = self.inputs(x, y, x_query, stand)  # (B, T + Q, d)
        visibility = Visibility.of(x[..., 0], x_query[..., 0], mask, None, self.config.query_sees_itself)
        return self.through(tokens, visibility), stand


class PlannedConfig(TrainConfig):
    """The usual training on other curves, with three numbers an epoch; with and without the plan, the curves are the same."""

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        x, y = (each.to(device) for each in _of_step(self.seed, self.batch, self.prior.length, step))
        generator = torch.Generator().manual_seed(seed_of(self.seed, "cutoffs", step))
        T, n = y.shape[1], self.batch // self.cutoffs
        for i in range(self.cutoffs):
            share = (i + torch.rand(1, generator=generator)) / self.cutoffs
            cutoff = 1 + (share * (T - 1)).long().clamp(max=T - 2)
            some, seen = slice(i * n, (i + 1) * n), int(cutoff)
            index = queries(self.queries or T, cutoff.expand(n)[:, None], T, T - seen, generator)
            index = index.expand(n, -1).to(device)  # (n, Q)
            asked = x[some].gather(1, index[..., None].expand(-1, -1, x.shape[-1]))
            yield Batch(x[some, :seen], y[some, :seen], asked, y[some].gather(1, index), None)


def training(config: TrainConfig, told: bool) -> PlannedConfig:
    """Of a network of this size, for as many curves."""
    if config.draws != "generator":
        raise UserError("planned runs are drawn by a generator alone: leave TrainConfig.draws as it is")
    model = ToldConfig(replace(config.model, features="spread"), told)
    return PlannedConfig(**vars(config) | {"model": model, "prior": VALUES})


def _of_step(seed: int, batch: int, length: int, step: int) -> tuple[Tensor, Tensor]:
    size = batch * max(1, CHUNK // batch)
    number, place = divmod(step * batch, size)
    x, y = _chunk(seed, size, length, number)
    return x[place : place + batch], y[place : place + batch]


@functools.lru_cache(maxsize=2)
def _chunk(seed: int, size: int, length: int, number: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed_of(seed, "planned", number))
    made = planned_runs.planned_runs(size, length, generator)
    return epochs(made.rate), made.y
