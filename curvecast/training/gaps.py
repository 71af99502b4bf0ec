"""A training for runs with missing epochs: some left out, only every k-th logged, or just a few.

Curves, steps and queries are those of the usual training, but the contexts of 60 % of the groups lose some of their
epochs. A network trained on complete beginnings only is overconfident on beginnings with gaps.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from curvecast.training.batches import Batch, TrainConfig, seed_of

BEHAVIOUR = 1  # raise by hand when the same config trains to other weights

SHARE = 0.6  # of the groups whose context has gaps


class GapConfig(TrainConfig):
    def label(self) -> str:
        return "gaps"

    def behaviour(self) -> dict[str, int]:
        return super().behaviour() | {"gaps": BEHAVIOUR}

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        for group in super().batches(step, device):
            T = group.x.shape[1]
            generator = torch.Generator().manual_seed(seed_of(self.seed, f"gaps/{step}", T))
            logged = logged_epochs(T, generator).to(device)
            yield group._replace(x=group.x[:, logged], y=group.y[:, logged])


def with_holes(config: TrainConfig) -> GapConfig:
    return GapConfig(**vars(config))


def logged_epochs(T: int, generator: torch.Generator) -> Tensor:
    """Rising indices of the logged epochs among 1 .. T, at least one."""
    kind, share, place = torch.rand(3, generator=generator).tolist()
    epochs = torch.arange(T)
    if kind > SHARE:
        return epochs
    if kind < SHARE / 3:  # every k-th
        k = 1 + int(10**share)  # 2 .. 10
        return epochs[k - 1 :: k] if k <= T else epochs[-1:]
    complete = int(place * T) if kind < 2 * SHARE / 3 else 0  # epochs before the first gap
    density = math.exp(math.log(2 / T) * share) if T > 2 else 1.0  # logged share: from all down to 2 / T
    logged = epochs[(torch.rand(T, generator=generator) < density) | (epochs < complete)]
    return logged if len(logged) else epochs[-1:]
