"""Scores of one network, and of several that answer with the mean of their densities."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.training.train import Forecaster
from reproduce.backbones._trainings import CUTOFFS


class Scored(NamedTuple):
    points: dict[int, Tensor]  # by cutoff: log-density of each later point (n, T - c)
    seconds: float
    networks: int
    parameters: int


@torch.no_grad()
def score(forecaster: Forecaster, took: float, y: Tensor) -> Scored:
    x, found = torch.arange(1.0, y.shape[1] + 1), {}
    for c in CUTOFFS:
        some = [
            forecaster.log_density(x[:c].expand(len(part), -1), part[:, :c], x[c:].expand(len(part), -1), part[:, c:])
            for part in y.split(200)
        ]  # fmt: skip
        found[c] = torch.cat(some).double()
    size = sum(p.numel() for p in forecaster.model.parameters())
    return Scored(found, took, 1, size)


def together(several: Sequence[Scored]) -> Scored:
    """The mean of their densities, point by point."""
    points = {
        c: torch.stack([one.points[c] for one in several]).logsumexp(0) - math.log(len(several))
        for c in several[0].points
    }
    sums = [sum(getattr(one, name) for one in several) for name in ("seconds", "networks", "parameters")]
    return Scored(points, *sums)
