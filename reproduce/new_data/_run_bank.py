"""Many networks of one shape, trained side by side: outputs, gradients and steps are batched products over all of them.

Networks of a bank share the task, the layers, the size of a batch, the kind of optimiser and the share of the training
rows; each has its own seed (rows, order, initial weights, dropout), learning rate and schedule, momentum, weight decay,
dropout, wrong labels and scale of the initial weights. Each network has its own random generators, so that training in a
bank and training alone give the same network. Gradients are coded by hand, which is faster than autograd.

Shapes: B networks, n training rows, b rows of a batch, m held-out rows, d features, k classes, P weights, e epochs.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from curvecast.ground.errors import UserError
from reproduce.new_data import _run_tasks as tasks
from reproduce.new_data._run_tasks import LEAST, Measured, Score, measured

Array = np.ndarray
Generators = list[np.random.Generator]  # of numbers, one for each network

SHAPES = ("constant", "drops", "cosine", "linear")


@dataclass(frozen=True)
class Schedule:
    shape: str = "constant"
    warm_up: int = 0  # epochs of linear growth before the shape begins
    drops: tuple[int, ...] = ()  # shape `drops`: the epochs after which the rate falls
    fall: float = 0.1  # factor at each drop


def factors(schedule: Schedule, epochs: int) -> Array:
    """(e,): the factor of the rate in each epoch, between 0 and 1; it changes only between epochs."""
    epoch = np.arange(1, epochs + 1)
    ramp = np.minimum(1, epoch / (schedule.warm_up + 1))
    passed = (epoch - 1 - schedule.warm_up).clip(0) / max(epochs - schedule.warm_up, 1)  # 0 up to below 1
    return ramp * _shape(schedule, epoch, passed)


def _shape(schedule: Schedule, epoch: Array, passed: Array) -> Array:
    if schedule.shape == "constant":
        return np.ones(len(epoch))
    if schedule.shape == "drops":
        fallen = sum((epoch > drop).astype(int) for drop in schedule.drops) + np.zeros(len(epoch))
        return schedule.fall**fallen
    if schedule.shape == "cosine":
        return (1 + np.cos(math.pi * passed)) / 2
    if schedule.shape == "linear":
        return 1 - passed
    raise UserError(f"schedule {schedule.shape!r} is unknown: take one of {', '.join(SHAPES)}")


class Networks:
    """The weights of a bank in one tensor (B, P); each layer is a view of it."""

    def __init__(self, sizes: list[int], activation: str, scales: list[float], rngs: Generators) -> None:
        self.tanh = activation == "tanh"
        pairs = list(pairwise(sizes))
        each = zip(scales, rngs, strict=True)
        weights = [_first_weights(pairs, scale, self.tanh, rng) for scale, rng in each]
        self.flat = torch.tensor(np.stack(weights))  # (B, P)
        self.gradient = torch.zeros_like(self.flat)
        self.layers, self.slopes = _layers(self.flat, pairs), _layers(self.gradient, pairs)

    def outputs(self, x: Tensor, masks: list[Tensor] | None = None) -> list[Tensor]:
        """The values of every layer, from the input to the logits (B, b, k)."""
        values = [x]
        for i, (weight, bias) in enumerate(self.layers):
            z = torch.baddbmm(bias, values[-1], weight)
            if i < len(self.layers) - 1:
                z = z.tanh_() if self.tanh else z.relu_()
                z = z if masks is None else z * masks[i]
            values.append(z)
        return values

    def step_gradient(self, x: Tensor, y: Tensor, masks: list[Tensor] | None) -> None:
        """Write the gradient of each network's mean log-loss on its batch to `gradient`."""
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
        """Back through dropout and activation of a layer, given its value after both."""
        if mask is None:
            return back.mul_(1 - value.square()) if self.tanh else back.mul_(value > 0)
        if not self.tanh:
            return back.mul_(mask).mul_(value > 0)
        before = value / mask.where(mask > 0, 1)  # where the mask is zero, so is the slope
        return back.mul_(mask).mul_(1 - before.square())


def _first_weights(pairs: list[tuple[int, int]], scale: float, tanh: bool, rng: np.random.Generator) -> Array:
    """(P,): normal, scaled so that values keep their spread from layer to layer; biases are zero."""
    pieces = []
    for i, (rows, columns) in enumerate(pairs):
        gain = 1.0 if tanh or i == len(pairs) - 1 else math.sqrt(2)  # relu halves the variance
        pieces += [rng.standard_normal(rows * columns) * scale * gain / math.sqrt(rows), np.zeros(columns)]
    return np.concatenate(pieces).astype(np.float32)


def _layers(flat: Tensor, pairs: list[tuple[int, int]]) -> list[tuple[Tensor, Tensor]]:
    """[(weights (B, rows, columns), biases (B, 1, columns))], all views of (B, P)."""
    sizes = [size for rows, columns in pairs for size in (rows * columns, columns)]
    pieces = iter(flat.split(sizes, 1))
    return [(next(pieces).unflatten(1, pair), next(pieces).unflatten(1, (1, pair[1]))) for pair in pairs]


class Steps:
    """Gradient steps with momentum, or Adam with decoupled weight decay; a rate for each network."""

    def __init__(self, nets: Networks, adam: bool, momentum: list[float], decay: list[float]) -> None:
        self.nets, self.adam, self.count = nets, adam, 0
        self.momentum, self.decay = _column(momentum), _column(decay)
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


def masks_of(hidden: tuple[int, ...], rows: int, dropouts: list[float], rngs: Generators) -> list[Tensor]:
    """Dropout masks of each hidden layer (B, b, units): zero, or the factor that keeps the mean."""
    limits = [round(256 * share) for share in dropouts]
    scales = [256 / (256 - limit) for limit in limits]
    masks = []
    for units in hidden:
        mask = np.ones((len(rngs), rows, units), np.float32)
        for network_mask, rng, limit, scale in zip(mask, rngs, limits, scales, strict=True):
            if limit:
                dice = np.frombuffer(rng.bytes(rows * units), np.uint8).reshape(rows, units)
                np.multiply(dice >= limit, scale, out=network_mask)
        masks.append(torch.from_numpy(mask))
    return masks


def _column(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)[:, None]  # (B, 1)


# ------------------------------------------------------------------------------------------------ a bank is trained


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

    def batches(self, size: int, rngs: Generators) -> Iterator[tuple[Tensor, Tensor]]:
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
