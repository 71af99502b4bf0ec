"""The digits that come with scikit-learn, and the four learning curves of a small network that is trained on them.

1,000 images train and 797 test, 8 x 8 pixels from 0 to 1. The curves are cost and accuracy, in training and on test images.
A run that diverges is kept: what is not finite is stored as missing, and the accuracy is what it is.

Shapes: n = images, 64 = pixels.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError

SIDE, CLASSES = 8, 10
CURVES = ("train_cost", "train_accuracy", "test_cost", "test_accuracy")


class Digits(NamedTuple):
    x: Tensor  # (n, 64)
    y: Tensor  # (n,)


class Split(NamedTuple):
    train: Digits
    test: Digits


def digits(seed: int, train: int = 1_000) -> Split:
    """Another seed draws other images to train on; what is left over tests."""
    everything = _all()
    order = torch.randperm(len(everything.y), generator=torch.Generator().manual_seed(seed))
    parts = (order[:train], order[1_000:])
    return Split(*(Digits(everything.x[part], everything.y[part]) for part in parts))


@cache
def _all() -> Digits:
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return Digits(torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels))


def shifted(x: Tensor, down: int, right: int) -> Tensor:
    """Moved by so many pixels; what leaves the image is lost, and zeros enter.  (n, 64) -> (n, 64)"""
    moved = x.reshape(-1, SIDE, SIDE).roll((down, right), (1, 2))
    for axis, by in ((1, down), (2, right)):
        if by:
            moved.narrow(axis, 0 if by > 0 else SIDE + by, abs(by)).zero_()
    return moved.flatten(1)


def five_times(some: Digits) -> Digits:
    """With each image moved by a pixel in all four directions."""
    moves = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    return Digits(torch.cat([shifted(some.x, *move) for move in moves]), some.y.repeat(len(moves)))


@dataclass(frozen=True)
class Steps:
    epochs: int = 100
    batch: int = 10
    rate: float = 0.5
    momentum: float = 0.0
    decay: float = 0.0  # of all weights, by the optimiser


def layers(
    *sizes: int, activation: type[nn.Module] = nn.Sigmoid, between: Callable[[int], nn.Module] | None = None
) -> nn.Sequential:
    """Fully connected, from 64 pixels through hidden layers of these sizes to 10 logits; `between`: a norm, say."""
    parts: list[nn.Module] = []
    for wide, units in zip((SIDE * SIDE, *sizes), sizes, strict=False):
        parts += [nn.Linear(wide, units), *([between(units)] if between else []), activation()]
    return nn.Sequential(*parts, nn.Linear(sizes[-1] if sizes else SIDE * SIDE, CLASSES))


def train(
    net: nn.Module, split: Split, steps: Steps, seed: int, *,
    optimiser: torch.optim.Optimizer | None = None,
    penalty: Callable[[nn.Module], Tensor] | None = None,
    inputs: Callable[[Tensor, torch.Generator], Tensor] | None = None,
    after_step: Callable[[nn.Module], object] = lambda net: None,
    rate_of: Callable[[int], float] = lambda epoch: 1.0,
    also: Callable[[nn.Module], dict[str, float]] = lambda net: {},
    clock: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """A row for each epoch, the first before any step.

    optimiser   plain gradient steps by default       penalty     is added to the cost of a batch
    inputs      changes the images of a batch         after_step  changes the weights
    rate_of     share of the rate in each epoch          also        further columns of a row, by their names
    clock       adds a column: core seconds of all steps so far
    """
    if len(split.train.y.unique()) < 2:
        raise UserError("all images to train on show the same digit: a classifier needs at least two classes")
    if not (torch.isfinite(split.train.x).all() and torch.isfinite(split.test.x).all()):
        raise UserError("some pixels are not finite: leave these images out")
    chance, rate, decay = torch.Generator().manual_seed(seed), steps.rate, steps.decay
    chosen = optimiser or torch.optim.SGD(net.parameters(), rate, steps.momentum, weight_decay=decay)
    rows = [{"epoch": 0} | curves(net, split) | also(net)]
    seconds = [0.0]
    for epoch in range(1, steps.epochs + 1):
        for group in chosen.param_groups:
            group["lr"] = rate * rate_of(epoch)
        net.train()
        begin = time.process_time()
        for places in torch.randperm(len(split.train.y), generator=chance).split(steps.batch):
            x, y = split.train.x[places], split.train.y[places]
            loss = F.cross_entropy(net(inputs(x, chance) if inputs else x), y)
            chosen.zero_grad()
            (loss + penalty(net) if penalty else loss).backward()
            chosen.step()
            after_step(net)
        seconds.append(seconds[-1] + time.process_time() - begin)
        rows.append({"epoch": epoch} | curves(net, split) | also(net))
    return pd.DataFrame(rows).assign(**({"seconds": seconds} if clock else {}))


@torch.no_grad()
def curves(net: nn.Module, split: Split) -> dict[str, float]:
    """By names of CURVES."""
    net.eval()
    values = [*scores(net, split.train), *scores(net, split.test)]
    return dict(zip(CURVES, (round(value, 6) for value in values), strict=True))


def scores(net: nn.Module, digits: Digits) -> tuple[float, float]:
    logits = net(digits.x)
    cost = F.cross_entropy(logits, digits.y).item()
    accuracy = (logits.argmax(1) == digits.y).float().mean().item()
    return (cost if torch.isfinite(torch.tensor(cost)) else float("nan")), accuracy
