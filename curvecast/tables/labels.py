"""From random scores to classes, and the random functions that both kinds of tables are made of.

Shapes: n tables, R rows, C classes.
"""

import math

import torch
from torch import Generator, Tensor

CLASSES = 4  # C, at most
HOW_OFTEN = torch.tensor([0.5, 0.3, 0.2])  # tables have 2, 3 and 4 classes


def uniform(low: float, high: float, *shape: int, generator: Generator) -> Tensor:
    return low + (high - low) * torch.rand(*shape, generator=generator)


def log_uniform(low: float, high: float, *shape: int, generator: Generator) -> Tensor:
    return uniform(math.log(low), math.log(high), *shape, generator=generator).exp()


def standard(x: Tensor) -> Tensor:
    """Over the rows (dimension 1)."""
    return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-6)


def bent(x: Tensor, kind: Tensor) -> Tensor:
    """Each column by one of six functions.  (n, R, k), kinds (n, 1, k) -> (n, R, k)"""
    ways = torch.stack([x, x.tanh(), x.relu(), (2 * x).sin(), x.abs(), (-x * x).exp()], -1)
    return ways.gather(-1, kind.expand_as(x)[..., None])[..., 0]


def kinds(n: int, k: int, generator: Generator) -> Tensor:
    """One function for all columns of half of the tables, one for each column of the others."""
    alone, shared = (torch.randint(6, (n, 1, size), generator=generator) for size in (k, 1))
    return torch.where(torch.rand(n, 1, 1, generator=generator) < 0.5, shared, alone)


def classes(scores: Tensor, generator: Generator) -> Tensor:
    """(n, R, C) -> (n, R): the ranks of the first score cut into classes, or the largest of several scores."""
    n, R, _ = scores.shape
    noise = log_uniform(0.01, 1.5, n, 1, 1, generator=generator)
    scores = standard(scores) + noise * torch.randn(scores.shape, generator=generator)
    count = 2 + torch.multinomial(HOW_OFTEN, n, replacement=True, generator=generator)[:, None]  # (n, 1)
    absent = torch.arange(CLASSES) >= count  # (n, C)
    unequal = uniform(0.0, 0.8, n, 1, generator=generator) * torch.randn(n, CLASSES, generator=generator)
    shares = unequal.masked_fill(absent, -math.inf).softmax(1)
    rank = scores[..., 0].argsort(1).argsort(1) / R  # (n, R)
    cut = (rank[..., None] >= shares.cumsum(1)[:, None, :-1]).sum(-1)
    largest = (scores + unequal[:, None]).masked_fill(absent[:, None], -math.inf).argmax(-1)
    y = torch.where(torch.rand(n, 1, generator=generator) < 0.6, cut, largest)
    order = torch.rand(n, CLASSES, generator=generator).masked_fill(absent, 2.0).argsort(1)  # shuffled names
    return order.gather(1, y)
