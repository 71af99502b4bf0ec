"""The training of a network that forecasts scaling curves: as of every network here, on logarithms of steps and values.

A step has groups of curves; those of a group have as many points, more in some groups than in others. Of each curve the
network is asked for later values, for its floor and for its last exponent, all in units of what it sees.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from curvecast.curves import scaling_prior
from curvecast.curves.scaling_prior import Scaling, ScalingPrior
from curvecast.ground import log_axes
from curvecast.ground.log_axes import LogScale
from curvecast.networks.bars import equal_masses
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import Batch, TrainConfig, seed_of

BEHAVIOUR = 2  # raise by hand when the same config gives other batches, here or in log_axes.py

FEWEST, MOST = 3, 120  # points seen
AGED = 0.25  # share of the groups whose scale is that of an earlier day, as in a future that is drawn value by value
FOR_BORDERS = 100  # steps whose values set the borders


@dataclass(frozen=True)
class ScalingTraining(TrainConfig):
    model: Any = ModelConfig(64, 3, 4, features="spread", components=12, hedge=0.003)
    prior: Any = ScalingPrior()
    curves: int = 768_000
    batch: int = 128
    cutoffs: int = 8
    queries: int = 32

    def label(self) -> str:
        return f"scaling-{self.model.label}-{self.curves // 1000}k"

    def behaviour(self) -> dict[str, int]:
        return super().behaviour() | {"scaling_training": BEHAVIOUR}

    def network(self) -> Any:
        torch.manual_seed(self.seed)
        steps = range(10**6, 10**6 + FOR_BORDERS)  # that no training reaches
        values = torch.cat([batch.y_query.flatten() for step in steps for batch in self.batches(step, "cpu")])
        return self.model.network(equal_masses(values.double().sort().values, self.bars))

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(seed_of(self.seed, "scaling", step))
        for group in range(self.cutoffs):
            share = (group + float(torch.rand(1, generator=generator))) / self.cutoffs
            T = round(FEWEST * (MOST / FEWEST) ** share)
            n = self.batch // self.cutoffs
            curves = scaling_prior.sample(self.prior, n, T, self.queries - 2, generator)
            aged = float(torch.rand(1, generator=generator)) < AGED
            until = 1 + int(T * float(torch.rand(1, generator=generator))) if aged else T
            x, y, x_query, y_query, mask = (part.to(device) for part in asked(curves, until))
            yield Batch(x, y, x_query, y_query, mask)


def asked(curves: Scaling, until: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What the network sees and is asked, on the scale of the first so many points."""
    l, z, _, l_query, z_query, end, floor, exponent = (part.numpy() for part in curves)  # noqa: E741
    scale = LogScale.of(z[:, :until])
    x, x_query = (log_axes.place(steps, l[:, :1], end) for steps in (l, l_query))
    laws = np.broadcast_to([log_axes.FLOOR_AT, log_axes.EXPONENT_AT], (len(x), 2))
    told = scale.of_floor(floor), scale.of_exponent(exponent, end - l[:, :1])
    numbers = x, scale.to(z), np.hstack([x_query, laws]), np.hstack([scale.to(z_query), *told])
    context, values, queries, targets = (torch.from_numpy(part).float() for part in numbers)
    return context, values, queries, targets, curves.mask
