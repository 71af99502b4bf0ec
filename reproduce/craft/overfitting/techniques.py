"""A run for each technique: what it changes in the images, the network, the cost or a step.

All take the same number of steps, but for two: shifted images for as many epochs, and no technique for as many steps as they.

A small network, a hundred digits to train on: without anything, with a penalty on the weights (L2, L1) or a limit to them
(max-norm), with half of the hidden units dropped, with images shifted by a pixel, and with noise on the pixels.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn

from reproduce.craft._digits import Digits, Split, digits, five_times
from reproduce.craft._runs import Steps, curves, layers, train

NONE, L2, L1, LIMIT, DROPOUT, SHIFTS, NOISE = TECHNIQUES = (
    "none", "L2", "L1", "max-norm", "dropout", "shifts", "noise",
)  # fmt: skip
LONGER = SHIFTS_LONGER, NONE_LONGER = "shifts-for-as-many-epochs", "none-for-as-many-steps"
TIMES = {SHIFTS: 0.2, NONE_LONGER: 5}  # as many epochs
SMALL = 1e-3  # a weight below it counts as gone
HALVES = ("stopping_accuracy", "judging_accuracy", "judging_cost")


@dataclass(frozen=True)
class Training:
    images: int = 100  # so few that 30 units know all of them after a tenth of the epochs
    hidden: int = 30
    epochs: int = 400
    rate: float = 1.0
    # strengths with the lowest test cost for seeds 100 and 101, which judge nothing here
    decay: float = 3e-4
    l1: float = 3e-4
    longest: float = 4.0  # the length of the weights into a unit
    noise: float = 0.4  # standard deviation; pixels are 0 to 1


def run(training: Training, technique: str, seed: int) -> pd.DataFrame:
    """Where the number of epochs is another, `epoch` counts in the epochs of the other techniques."""
    split, times = digits(seed, training.images), TIMES.get(technique, 1)
    if technique in (SHIFTS, SHIFTS_LONGER):
        split = Split(five_times(split.train), split.test)
    torch.manual_seed(seed)  # first weights, and the units that are dropped
    net = layers(training.hidden)
    if technique == DROPOUT:
        net.insert(2, nn.Dropout(0.5))  # behind the sigmoid, since units are dropped and not what enters them
    steps = Steps(int(training.epochs * times), rate=training.rate, decay=training.decay * (technique == L2))
    found = train(
        net, split, steps, seed, also=lambda net: measured(net, split.test), **changes(training, technique)
    )
    return found[found["epoch"] % max(times, 1) == 0].assign(
        epoch=lambda kept: (kept["epoch"] / times).astype(int)
    )


def changes(training: Training, technique: str) -> dict[str, Any]:
    """What a technique changes in a step, if the optimiser and the network do not do it already."""

    @torch.no_grad()
    def limited(net: nn.Module) -> None:
        for w in weights(net):
            w.copy_(w.renorm(2, 0, training.longest))  # a row for each unit

    def noisy(x: Tensor, chance: torch.Generator) -> Tensor:
        return x + training.noise * torch.randn(x.shape, generator=chance)

    def absolute(net: nn.Module) -> Tensor:  # its gradient is lambda times the sign, so no factor of a half
        return training.l1 * torch.stack([w.abs().sum() for w in weights(net)]).sum()

    by: dict[str, Any] = {L1: {"penalty": absolute}, LIMIT: {"after_step": limited}, NOISE: {"inputs": noisy}}
    return by.get(technique, {})


def weights(net: nn.Module) -> list[Tensor]:
    """Without biases."""
    return [parameter for parameter in net.parameters() if parameter.ndim > 1]


@torch.no_grad()
def measured(net: nn.Module, test: Digits) -> dict[str, float]:
    """The share of small weights, and scores on the half of the test images that may stop and on that which judges."""
    size = torch.cat([w.flatten() for w in weights(net)]).abs()
    half = len(test.y) // 2
    both = curves(net, Split(Digits(test.x[:half], test.y[:half]), Digits(test.x[half:], test.y[half:])))
    scores = (both["train_accuracy"], both["test_accuracy"], both["test_cost"])
    return {"small_weights": (size < SMALL).float().mean().item()} | dict(zip(HALVES, scores, strict=True))
