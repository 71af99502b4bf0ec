"""A training for runs as they are logged: epochs missing here and there, every k-th alone, few and far apart.

Curves, steps and queries are those of the usual training; of half the groups of a batch the context loses some of its
epochs. A network that has only seen whole beginnings is too sure of itself where a beginning has holes.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from curvecast.training.batches import Batch, TrainConfig, seed_of

BEHAVIOUR = 1  # raise by hand when the same config trains to other weights

SHARE = 0.6  # of the groups: their context has holes


class GapConfig(TrainConfig):
    def label(self) -> str:
        return "gaps"

    def behaviour(self) -> dict[str, int]:
        return super().behaviour() | {"gaps": BEHAVIOUR}

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        for group in super().batches(step, device):
            T = group.x.shape[1]
            generator = torch.Generator().manual_seed(seed_of(self.seed, f"gaps/{step}", T))
            some = kept(T, generator).to(device)
            yield group._replace(x=group.x[:, some], y=group.y[:, some])


def with_holes(config: TrainConfig) -> GapConfig:
    return GapConfig(**vars(config))


def kept(T: int, generator: torch.Generator) -> Tensor:
    """Which of the epochs 1 .. T were logged: indices, rising, at least one of them."""
    kind, share, place = torch.rand(3, generator=generator).tolist()
    every = torch.arange(T)
    if kind > SHARE:
        return every
    if kind < SHARE / 3:  # every k-th
        k = 1 + int(10**share)  # 2 .. 10
        return every[k - 1 :: k] if k <= T else every[-1:]
    head = (
        int(place * T) if kind < 2 * SHARE / 3 else 0
    )  # all of them to here, then some; or some from the start
    few = (
        math.exp(math.log(2 / T) * share) if T > 2 else 1.0
    )  # share of what is kept: from all down to two or so
    some = every[(torch.rand(T, generator=generator) < few) | (every < head)]
    return some if len(some) else every[-1:]
