"""Scores of one network, and of several that answer with the mean of their densities."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.training.train import Forecaster
from reproduce.backbones._trainings import CUTOFFS, log_density


class Scored(NamedTuple):
    points: dict[int, Tensor]  # by cutoff: log-density of each later point (n, T - c)
    seconds: float
    networks: int
    parameters: int


def score(forecaster: Forecaster, took: float, y: Tensor) -> Scored:
    places = torch.arange(y.shape[1])
    found = {c: log_density(forecaster, y, places[:c], places[c:], 200) for c in CUTOFFS}
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
