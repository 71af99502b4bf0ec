"""Six optimisers of torch, the choice of a rate, and the training of a network with them."""

import math
from collections.abc import Callable
from functools import partial

import pandas as pd
import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer, RMSprop

from reproduce.craft._digits import Split
from reproduce.craft._runs import Steps, layers, train

Make = Callable[..., Optimizer]  # of parameters and lr
DESCENT, MOMENTUM, NESTEROV = "gradient descent", "momentum", "Nesterov"
OPTIMISERS: dict[str, Make] = {
    DESCENT: SGD,
    MOMENTUM: partial(SGD, momentum=0.9),
    NESTEROV: partial(SGD, momentum=0.9, nesterov=True),
    "RMSprop": RMSprop,
    "Adam": Adam,
    "AdamW": AdamW,
}


def best(losses: dict[float, tuple[float, ...]]) -> float:
    """The rate of the least losses, of which the first counts and the next decides between equals."""
    return min(losses, key=losses.__getitem__)


def trained(make: Make, hidden: int, split: Split, steps: Steps, seed: int) -> pd.DataFrame:
    """Training and test cost, and test accuracy, by epoch."""
    torch.manual_seed(seed)
    net = layers(hidden, activation=nn.Tanh)
    run = train(net, split, steps, seed, optimiser=make(net.parameters(), lr=steps.rate))
    return run[["epoch", "test_accuracy", "test_cost"]].assign(cost=run["train_cost"])


def last_cost(runs: list[pd.DataFrame]) -> tuple[float]:
    """Their mean. A run that diverged has none, and makes its rate worse than all others."""
    return (sum(float(run["cost"].fillna(math.inf).iloc[-1]) for run in runs) / len(runs),)
