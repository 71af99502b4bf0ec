"""A run with a rate, a schedule and a batch size; and the largest rate at which the cost falls, searched by short runs."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pandas as pd
import torch

from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps, layers, train

CONSTANT, DROPS, COSINE = "constant", "drops", "cosine"


@dataclass(frozen=True)
class Training:
    epochs: int = 60
    hidden: int = 30
    images: int = 1_000
    warm_up: int = 5  # epochs, before the cosine has its full rate


def schedules(training: Training) -> dict[str, Callable[[int], float]]:
    """The share of the rate in an epoch, counted from 1: a tenth after half of them, a hundredth after three quarters."""
    last, warm = training.epochs, training.warm_up

    def cosine(epoch: int) -> float:
        done = max(0, epoch - warm) / (last - warm)
        return epoch / warm if epoch < warm else (1 + math.cos(math.pi * done)) / 2

    return {
        CONSTANT: lambda epoch: 1.0,
        DROPS: lambda epoch: 0.1 ** ((epoch > last // 2) + (epoch > 3 * last // 4)),
        COSINE: cosine,
    }


def run(training: Training, rate: float, schedule: str, batch: int, seed: int) -> pd.DataFrame:
    torch.manual_seed(seed)  # first weights
    net, steps = layers(training.hidden), Steps(training.epochs, batch, rate)
    share = schedules(training)[schedule]
    found = train(net, digits(seed, training.images), steps, seed, rate_of=share)
    return found.assign(rate=rate, schedule=schedule, batch=batch, seed=seed)


def threshold(training: Training, rates: Iterable[float], epochs: int, batch: int, seed: int) -> float:
    """The largest of these rates at which the cost in training falls in each of the first epochs; 0 if none does."""
    brief = replace(training, epochs=epochs)
    fall = [rate for rate in rates if falls(run(brief, rate, CONSTANT, batch, seed)["train_cost"])]
    return max(fall, default=0)


def falls(cost: pd.Series) -> bool:
    """In each epoch; a cost that is not finite does not."""
    return rises(cost) == 0


def size_of_rises(cost: pd.Series) -> float:
    """The mean rise of the cost in an epoch in which it rises; 0 where it never does."""
    steps = cost.diff()
    return float(steps[steps > 0].mean()) if (steps > 0).any() else 0.0


def rises(cost: pd.Series) -> int:
    """In how many epochs the cost was no lower than before; one that is not finite counts as a rise."""
    return int((~(cost.diff().iloc[1:] < 0)).sum())
