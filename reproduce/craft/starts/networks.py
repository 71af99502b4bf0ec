"""Networks of tanh or sigmoid units, trained from such weights, with a norm before each activation or without.

Batch norm scales each neuron over the images of a batch, and on test images with averages that it kept in training. Layer
norm scales each image over the neurons of a layer, always alike. Both divide by sqrt(variance + epsilon).
"""

from collections.abc import Callable

import pandas as pd
import torch
from torch import nn

from curvecast.ground.errors import UserError
from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps, layers, train
from reproduce.craft.starts.weights import begin

NORM: dict[str, Callable[[int], nn.Module] | None] = {
    "none": None, "batch": nn.BatchNorm1d, "layer": nn.LayerNorm,
}  # fmt: skip
UNIT: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


def trained(
    unit: str, start: str, depth: int, norm: str, width: int, images: int, steps: Steps, seeds: int
) -> pd.DataFrame:
    """Accuracy and cost on test images, a row for each seed and epoch."""
    check(norm, images, steps.batch)
    runs = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        net = layers(*[width] * depth, activation=UNIT[unit], between=NORM[norm])
        begin(net, start)
        run = train(net, digits(seed, images), steps, seed)
        runs.append(run[["epoch", "test_accuracy", "test_cost"]].assign(seed=seed))
    return pd.concat(runs).assign(unit=unit, start=start, depth=depth, norm=norm, rate=steps.rate)


def check(norm: str, images: int, batch: int) -> None:
    """Within a batch of one, each value is its own mean, and batch norm would leave nothing but zeros."""
    if norm == "batch" and 1 in (batch, images, images % batch):
        raise UserError(
            "batch normalisation compares an image with others of its batch, and a batch here has one image: "
            "choose another batch size, or layer normalisation"
        )
