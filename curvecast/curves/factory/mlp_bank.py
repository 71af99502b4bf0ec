"""Many networks of one shape, trained side by side: each product of a training step is one batched product for all.

Networks of a bank share the task, the layers, the size of a batch, the kind of optimiser and the share of the training
rows; each has its own seed (rows, order, first weights, dropout), learning rate and schedule, momentum, weight decay,
dropout, wrong labels and scale of the first weights. All chance comes from generators of the network's own, so that a
network trained in a bank is the one that would be trained alone. Gradients are written out: that is faster than recording.

Shapes: B networks, n training rows, b rows of a batch, m held-out rows, d features, k classes, P weights of a network.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import LEAST, Measured, Score, measured
from curvecast.curves.factory.schedules import Schedule, factors


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
    """What is a network's own."""

    seed: int
    rate: float = 0.1
    schedule: Schedule = field(default_factory=Schedule)
    momentum: float = 0.0  # Adam has its own
    weight_decay: float = 0.0
    dropout: float = 0.0  # share of the hidden units that are left out; in steps of 1/256
    wrong: float = 0.0  # share of the training labels
    start: float = 1.0  # scale of the first weights; 1 keeps the spread of values from layer to layer


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
        """One epoch: all rows of each network in an order of its own.  (B, b, d), (B, b)"""
        count = self.y.shape[1]
        order = torch.tensor(np.stack([rng.permutation(count) for rng in rngs]))  # (B, n)
        x, y = self.x[torch.arange(len(order))[:, None], order], self.y.gather(1, order)
        for first in range(0, count - size // 2, size):  # less than half a batch is left for another epoch
            yield x[:, first : first + size], y[:, first : first + size]


class Networks:
    """The weights of a bank in one tensor (B, P), of which each layer sees its own piece."""

    def __init__(
        self, sizes: list[int], activation: str, scales: list[float], rngs: list[np.random.Generator]
    ) -> None:
        self.tanh = activation == "tanh"
        pairs = list(pairwise(sizes))
        self.flat = torch.tensor(np.stack(
            [_first_weights(pairs, scale, self.tanh, rng) for scale, rng in zip(scales, rngs, strict=True)]
        ))  # (B, P)  # fmt: skip
        self.gradient = torch.zeros_like(self.flat)
        self.layers, self.slopes = _layers(self.flat, pairs), _layers(self.gradient, pairs)

    def outputs(self, x: Tensor, masks: list[Tensor] | None = None) -> list[Tensor]:
        """The values of every layer, those of the input first and the logits (B, b, k) last."""
        values = [x]
        for i, (weight, bias) in enumerate(self.layers):
            z = torch.baddbmm(bias, values[-1], weight)
            if i < len(self.layers) - 1:
                z = z.tanh_() if self.tanh else z.relu_()
                z = z if masks is None else z * masks[i]
            values.append(z)
        return values

    def step_gradient(self, x: Tensor, y: Tensor, masks: list[Tensor] | None) -> None:
        """The slope of each network's mean log-loss on its batch, into `gradient`."""
        *values, logits = self.outputs(x, masks)
        back = logits.softmax(2)
        back.scatter_add_(2, y[..., None], back.new_full((*y.shape, 1), -1.0)).div_(y.shape[1])  # (B, b, k)
        for i in reversed(range(len(self.layers))):
            weight, bias = self.slopes[i]
            torch.bmm(values[i].transpose(1, 2), back, out=weight)
            torch.sum(back, 1, keepdim=True, out=bias)
            if i:
                mask = None if masks is None else masks[i - 1]
                back = self._through(torch.bmm(back, self.layers[i][0].transpose(1, 2)), values[i], mask)

    def _through(self, back: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Back through dropout and activation of a layer, whose value is known after both."""
        if mask is None:
            return back.mul_(1 - value.square()) if self.tanh else back.mul_(value > 0)
        if not self.tanh:
            return back.mul_(mask).mul_(value > 0)
        before = value / mask.where(
            mask > 0, 1
        )  # where a unit was left out the mask is zero, and so is the slope
        return back.mul_(mask).mul_(1 - before.square())


def _first_weights(
    pairs: list[tuple[int, int]], scale: float, tanh: bool, rng: np.random.Generator
) -> tasks.Array:
    """(P,): normal, with a spread that neither grows nor fades from layer to layer; biases are zero."""
    pieces = []
    for i, (rows, columns) in enumerate(pairs):
        gain = 1.0 if tanh or i == len(pairs) - 1 else math.sqrt(2)  # relu loses half of it
        pieces += [rng.standard_normal(rows * columns) * scale * gain / math.sqrt(rows), np.zeros(columns)]
    return np.concatenate(pieces).astype(np.float32)


def _layers(flat: Tensor, pairs: list[tuple[int, int]]) -> list[tuple[Tensor, Tensor]]:
    """[(weights (B, rows, columns), biases (B, 1, columns))], all views of (B, P)."""
    sizes = [size for rows, columns in pairs for size in (rows * columns, columns)]
    pieces = iter(flat.split(sizes, 1))
    return [(next(pieces).unflatten(1, pair), next(pieces).unflatten(1, (1, pair[1]))) for pair in pairs]


class Steps:
    """Gradient steps with momentum, or Adam with decoupled weight decay; a rate for each network."""

    def __init__(self, nets: Networks, adam: bool, members: list[Member]) -> None:
        self.nets, self.adam, self.count = nets, adam, 0
        self.momentum = _column([member.momentum for member in members])
        self.decay = _column([member.weight_decay for member in members])
        self.first, self.second = torch.zeros_like(nets.flat), torch.zeros_like(nets.flat)

    def step(self, rate: Tensor) -> None:
        """`rate` (B, 1)"""
        weights, slope = self.nets.flat, self.nets.gradient
        self.count += 1
        if not self.adam:
            slope.addcmul_(weights, self.decay)
            self.first.mul_(self.momentum).add_(slope)
            weights.addcmul_(self.first, rate, value=-1)
            return
        weights.mul_(1 - rate * self.decay)
        self.first.lerp_(slope, 0.1)
        self.second.mul_(0.999).addcmul_(slope, slope, value=0.001)
        size = (self.second / (1 - 0.999**self.count)).sqrt_().add_(1e-8)
        weights.addcmul_(self.first / size, rate / (1 - 0.9**self.count), value=-1)


def train(shape: Shape, members: list[Member]) -> list[Measured]:
    """All networks of a bank, each scored on its held-out rows before the first epoch and after each."""
    rngs = [np.random.default_rng([member.seed, 2]) for member in members]
    data = Data(shape, members)
    sizes = [data.x.shape[2], *shape.hidden, data.classes]
    nets = Networks(sizes, shape.activation, [member.start for member in members], rngs)
    steps = Steps(nets, shape.adam, members)
    rates = torch.tensor(np.stack([m.rate * factors(m.schedule, shape.epochs) for m in members])).float()
    dropped = [member.dropout for member in members]
    found = [_scores(nets, data)]
    for epoch in range(shape.epochs):
        for x, y in data.batches(shape.batch, rngs):
            masks = _masks(shape.hidden, x.shape[1], dropped, rngs) if any(dropped) else None
            nets.step_gradient(x, y, masks)
            steps.step(rates[:, epoch, None])
        found.append(_scores(nets, data))
    return [_of_one([scores[i] for scores in found], data.held_y[i].numpy()) for i in range(len(members))]


def _masks(
    hidden: tuple[int, ...], rows: int, dropped: list[float], rngs: list[np.random.Generator]
) -> list[Tensor]:
    """Of each hidden layer (B, b, units): zero where a unit is left out, and the others as much larger."""
    limits = [round(256 * share) for share in dropped]
    grown = [256 / (256 - limit) for limit in limits]
    found = []
    for units in hidden:
        mask = np.ones((len(rngs), rows, units), np.float32)
        for one, rng, limit, scale in zip(mask, rngs, limits, grown, strict=True):
            if limit:
                dice = np.frombuffer(rng.bytes(rows * units), np.uint8).reshape(rows, units)
                np.multiply(dice >= limit, scale, out=one)
        found.append(torch.from_numpy(mask))
    return found


def _scores(nets: Networks, data: Data) -> list[Score | None]:
    """Of each network; None where its outputs are not finite."""
    logits = nets.outputs(data.held_x)[-1]  # (B, m, k)
    chances = logits.log_softmax(2).clamp_(min=math.log(LEAST))
    losses = [nll_loss(own, labels).item() for own, labels in zip(chances, data.held_y, strict=True)]
    right = (logits.argmax(2) == data.held_y).double().mean(1).tolist()
    finite = logits.isfinite().flatten(1).all(1).tolist()
    return [Score(r, loss) if ok else None for r, loss, ok in zip(right, losses, finite, strict=True)]


def _of_one(scores: list[Score | None], labels: tasks.Array) -> Measured:
    return measured(np.arange(1, len(scores)), scores[1:], labels, scores[0])


def _column(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)[:, None]  # (B, 1)
