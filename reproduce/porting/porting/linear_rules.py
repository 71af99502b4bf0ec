"""What the best linear rule scores: reading one value or several, run on its own forecasts or fitted for each epoch.

A port whose attention runs over curves is a map from one value to the next. The best linear map of this kind for the next
noisy value needs no training, only least squares; run on its own forecasts it shrinks towards the mean at each step. Fitted
for each later epoch directly, it is about as good as repeating the last value.

Shapes: n curves, c = cutoff, T = epochs, m = values that a rule reads.
"""

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig, sample

MEMORIES = (1, 3, 5, 15)


def told(y: Tensor, curves: int, seed: int = 0) -> dict[str, Tensor]:
    """Forecasts (n, T - c) of each rule for the given points (n, c), fitted on as many curves of the prior."""
    train = sample(PriorConfig(), curves, torch.Generator().manual_seed(seed)).noisy.double()
    c, T, y = y.shape[1], train.shape[1], y.double()
    forecasts = {f"rule-{m}": roll(y, next_value(train, m), T) for m in MEMORIES if m <= c}
    forecasts["rule-1-direct"] = read(y[:, -1:]) @ least_squares(train[:, c - 1 : c], train[:, c:])
    forecasts["rule-direct"] = read(y) @ least_squares(train[:, :c], train[:, c:])
    return {name: values.float() for name, values in forecasts.items()}


def next_value(train: Tensor, m: int) -> Tensor:
    """Weights (m + 1, 1) of the next value on the m before it, all epochs pooled."""
    windows = train.unfold(1, m + 1, 1).flatten(0, 1)  # (n (T - m), m + 1)
    return least_squares(windows[:, :-1], windows[:, -1:])


def least_squares(x: Tensor, y: Tensor) -> Tensor:
    return torch.linalg.lstsq(read(x), y).solution


def read(x: Tensor) -> Tensor:
    """With a constant: (n, m) -> (n, m + 1)"""
    return torch.cat([x, torch.ones_like(x[:, :1])], 1)


def roll(y: Tensor, weights: Tensor, length: int) -> Tensor:
    """The rule read on its own forecasts, to the end: (n, c) -> (n, T - c)"""
    c, m = y.shape[1], len(weights) - 1
    while y.shape[1] < length:
        y = torch.cat([y, read(y[:, -m:]) @ weights], 1)
    return y[:, c:]
