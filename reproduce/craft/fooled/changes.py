"""Small changes of inputs, along the gradient and random ones, and how far they move an answer.

Shapes: n = images or curves, T = observed epochs.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from reproduce.craft._digits import Digits, Split
from reproduce.craft._runs import curves

GRADIENT, RANDOM, UP = "signs of the gradient", "random signs", "all points up"
STEPS = "several steps along the gradient"


def uphill(score: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """The sign of the gradient: to first order, no other change within the same size raises the score more."""
    leaf = inputs.clone().requires_grad_()
    return torch.autograd.grad(score(leaf).sum(), leaf)[0].sign()


def by_steps(score: Callable[[Tensor], Tensor], inputs: Tensor, size: float, steps: int) -> Tensor:
    """The highest score on a way of short steps along the signs, which stays within the size; then the inputs there."""
    at = best = inputs
    highest = score(at).detach()
    for _ in range(steps):
        at = (at + 2.5 * size / steps * uphill(score, at)).clamp(inputs - size, inputs + size)
        now = score(at).detach()
        best = torch.where((now > highest)[:, None], at, best)
        highest = torch.maximum(now, highest)
    return best


def random_signs(inputs: Tensor, seed: int) -> Tensor:
    return torch.randint(2, inputs.shape, generator=torch.Generator().manual_seed(seed)) * 2.0 - 1


def on_digits(net: nn.Module, split: Split, sizes: tuple[float, ...], seed: int) -> pd.DataFrame:
    """The accuracy on test images, whose pixels stay between 0 and 1."""
    x, y = split.test
    ways = {GRADIENT: uphill(lambda x: F.cross_entropy(net(x), y), x), RANDOM: random_signs(x, seed)}
    lines = []
    for change, way in ways.items():
        for size in (0.0, *sizes):
            changed = split._replace(test=Digits((x + size * way).clamp(0, 1), y))
            lines.append({"change": change, "size": size, "accuracy": curves(net, changed)["test_accuracy"]})
    return pd.DataFrame(lines)


def on_forecasts(network: Any, y: Tensor, sizes: tuple[float, ...], steps: int) -> pd.DataFrame:
    """How far the median at epoch 100 rises, and the room that it had in its 90 % interval.  y: (n, T)"""
    before = quantile(network, y).detach()
    room = quantile(network, y, 0.95).detach() - before
    ways = {GRADIENT: uphill(lambda y: quantile(network, y), y), RANDOM: random_signs(y, seed=0)}
    ways[UP] = torch.ones_like(y)
    frames = []
    for change in (*ways, STEPS):
        for size in sizes:
            stepped = change == STEPS
            there = (
                by_steps(lambda y: quantile(network, y), y, size, steps)
                if stepped
                else y + size * ways[change]
            )
            moved = quantile(network, there).detach() - before
            found = {"curve": range(len(y)), "moved": moved.double(), "room": room.double()}
            frames.append(pd.DataFrame(found).assign(change=change, size=size))
    return pd.concat(frames)


def quantile(network: Any, y: Tensor, level: float = 0.5) -> Tensor:
    """Of the forecast of epoch 100, with its gradient.  (n, T) -> (n,)"""
    x, last = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1), torch.full((len(y), 1), 100.0)
    return network.head.density(*network.read(x, y, last)).quantile(level)[:, 0]
