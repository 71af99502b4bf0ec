"""Many networks of one shape, trained side by side with batched matrix products.

Networks of a bank share the task, the layers, the size of a batch, the kind of optimiser and the share of the training
rows; each has its own seed (rows, order, initial weights, dropout), learning rate and schedule, momentum, weight decay,
dropout, wrong labels and scale of the initial weights. Each network has its own random generators, so that training in a
bank and training alone give the same network.

Shapes: B networks, n training rows, b rows of a batch, m held-out rows, d features, k classes, P weights of a network.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import LEAST, Measured, Score, measured
from curvecast.curves.factory.schedules import Schedule, factors
from curvecast.curves.factory.side_by_side import Networks, Steps, masks_of


@dataclass(frozen=True)
class Shape:
    """What the networks of a bank share."""

    task: str
    hidden: tuple[int, ...] = (32,)  # units of each layer
    activation: str = "relu"  # or tanh
    batch: int = 32
    adam: bool = False  # else gradient steps with momentum
    share: float = 1.0  # of the training rows
    epochs: int = 100


@dataclass(frozen=True)
class Member:
    """The settings of one network."""

    seed: int
    rate: float = 0.1
    schedule: Schedule = field(default_factory=Schedule)
    momentum: float = 0.0  # ignored by Adam
    weight_decay: float = 0.0
    dropout: float = 0.0  # share of the hidden units, in steps of 1/256
    wrong: float = 0.0  # share of the training labels
    start: float = 1.0  # scale of the initial weights; 1 keeps the spread of values from layer to layer


class Data:
    """The rows of all networks of a bank, each with its own split."""

    def __init__(self, shape: Shape, members: list[Member]) -> None:
        splits = [tasks.split(shape.task, member.seed, member.wrong) for member in members]
        n = max(shape.batch, round(shape.share * len(splits[0].y)))
        self.x = torch.tensor(np.stack([s.x[:n] for s in splits]), dtype=torch.float32)  # (B, n, d)
        self.y = torch.tensor(np.stack([s.y[:n] for s in splits]))  # (B, n)
        self.held_x = torch.tensor(np.stack([s.held_x for s in splits]), dtype=torch.float32)  # (B, m, d)
        self.held_y = torch.tensor(np.stack([s.held_y for s in splits]))  # (B, m)
        self.classes = splits[0].classes

    def batches(self, size: int, rngs: list[np.random.Generator]) -> Iterator[tuple[Tensor, Tensor]]:
        """One epoch: all rows, in a different order for each network.  (B, b, d), (B, b)"""
        count = self.y.shape[1]
        order = torch.tensor(np.stack([rng.permutation(count) for rng in rngs]))  # (B, n)
        x, y = self.x[torch.arange(len(order))[:, None], order], self.y.gather(1, order)
        for first in range(0, count - size // 2, size):  # a rest of less than half a batch is skipped
            yield x[:, first : first + size], y[:, first : first + size]


def train(shape: Shape, members: list[Member]) -> list[Measured]:
    """All networks of a bank, each scored on its held-out rows before the first epoch and after each."""
    rngs = [np.random.default_rng([member.seed, 2]) for member in members]
    data = Data(shape, members)
    sizes = [data.x.shape[2], *shape.hidden, data.classes]
    nets = Networks(sizes, shape.activation, [member.start for member in members], rngs)
    steps = Steps(nets, shape.adam, [m.momentum for m in members], [m.weight_decay for m in members])
    rates = torch.tensor(np.stack([m.rate * factors(m.schedule, shape.epochs) for m in members])).float()
    dropouts = [member.dropout for member in members]
    by_epoch = [_scores(nets, data)]
    for epoch in range(shape.epochs):
        for x, y in data.batches(shape.batch, rngs):
            masks = masks_of(shape.hidden, x.shape[1], dropouts, rngs) if any(dropouts) else None
            nets.step_gradient(x, y, masks)
            steps.step(rates[:, epoch, None])
        by_epoch.append(_scores(nets, data))
    by_network = [list(scores) for scores in zip(*by_epoch, strict=True)]
    labels = data.held_y.numpy()
    return [measured(np.arange(1, len(own)), own[1:], labels[i], own[0]) for i, own in enumerate(by_network)]


def _scores(nets: Networks, data: Data) -> list[Score | None]:
    """Of each network; None where its outputs are not finite."""
    logits = nets.outputs(data.held_x)[-1]  # (B, m, k)
    log_p = logits.log_softmax(2).clamp_(min=math.log(LEAST))
    losses = [nll_loss(row, labels).item() for row, labels in zip(log_p, data.held_y, strict=True)]
    accuracies = (logits.argmax(2) == data.held_y).double().mean(1).tolist()
    finite = logits.isfinite().flatten(1).all(1).tolist()
    rows = zip(accuracies, losses, finite, strict=True)
    return [Score(accuracy, loss) if ok else None for accuracy, loss, ok in rows]
