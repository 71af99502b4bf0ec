"""Forecasts by a network that reads planned rates, with the plan and without it: the same weights, told and not told.

Shapes: B = curves, T = observed points, A = future points, n = points of a curve.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from curvecast.training.runs import RunTraining
from curvecast.training.train import TrainConfig, trained
from reproduce.new_data import _beside, _forecasters
from reproduce.new_data._beside import Answer
from reproduce.trainings import SMALL, TINIEST

Array = np.ndarray

NEXT = "next"  # the one that ships, trained for as many curves as the released model


def training(size: str, seed: int = 0) -> TrainConfig:
    """Of a network of this size, for as many curves as the others of the size."""
    whole = RunTraining(seed=seed)
    if size == NEXT:
        return whole
    small = (SMALL | TINIEST)[size]
    model = replace(small.model, features="planned", hedge=whole.model.hedge)
    return replace(whole, model=model, bars=small.bars, curves=small.curves)


def answers(size: str, rates: Sequence[Array], seed: int = 0) -> dict[str, Answer]:
    """rates: of each curve (n,), relative to the highest one."""
    net = trained(training(size, seed)).model
    plans = [np.stack([np.arange(1.0, len(rate) + 1), rate], 1) for rate in rates]  # (n, 2) each

    def told(x: torch.Tensor, y: torch.Tensor, later: torch.Tensor) -> _beside.Density:
        density: _beside.Density = net.density(x, y.float(), later)
        return density

    def untold(x: torch.Tensor, y: torch.Tensor, later: torch.Tensor) -> _beside.Density:
        return told(x[..., 0], y, later[..., 0])

    return {"told": _beside.told(plans, told), "untold": _beside.told(plans, untold)}


def shipped() -> dict[str, Answer]:
    return {"shipped": _beside.of_values(_forecasters.the_one_that_ships())}
