"""The tables that a small TabPFN expects: half from random networks, half from causal graphs, with ugly columns.

Shapes: n tables, R rows, F columns, C classes, K nodes of a graph.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

# -----------------------------------------------------------------------------------------------------------
# From random scores to classes, and the random functions that both kinds of tables are made of.

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


# -----------------------------------------------------------------------------------------------------------
# Tables whose label is a random network of their columns: linear to strongly bent boundaries, and columns without use.

WIDTH = 16


def of_random_networks(n: int, rows: int, columns: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """-> cells (n, R, F), classes (n, R)"""
    x = inputs(n, rows, columns, generator)
    in_use = torch.rand(n, 1, columns, generator=generator) < uniform(0.3, 1.2, n, 1, 1, generator=generator)
    in_use[..., 0] |= ~in_use.any(2)  # one at least
    strength = log_uniform(0.1, 1.0, n, 1, columns, generator=generator)
    h = x * in_use * strength
    for _ in range(int(torch.randint(4, (), generator=generator))):  # layers
        weights = torch.randn(n, h.shape[2], WIDTH, generator=generator) / h.shape[2] ** 0.5
        scale = log_uniform(0.5, 3.0, n, 1, 1, generator=generator)
        shift = torch.randn(n, 1, WIDTH, generator=generator)
        h = bent(scale * standard(h @ weights) + shift, kinds(n, WIDTH, generator))
    scores = h @ torch.randn(n, h.shape[2], CLASSES, generator=generator)
    return x, classes(scores, generator)


def inputs(n: int, rows: int, columns: int, generator: Generator) -> Tensor:
    """Gaussian, uniform or in clusters, correlated in half of the tables.  -> (n, R, F)"""
    bell = torch.randn(n, rows, columns, generator=generator)
    flat = uniform(-1.7, 1.7, n, rows, columns, generator=generator)
    centres = torch.randn(n, 6, columns, generator=generator)
    of_row = (torch.rand(n, rows, generator=generator) * uniform(1.0, 6.0, n, 1, generator=generator)).long()
    clusters = centres.gather(1, of_row[..., None].expand(-1, -1, columns))
    clusters = clusters + log_uniform(0.1, 1.0, n, 1, 1, generator=generator) * bell
    kind = torch.rand(n, 1, 1, generator=generator)
    x = torch.where(kind < 0.4, bell, torch.where(kind < 0.7, flat, clusters))
    bound = uniform(-1.5, 1.5, n, 1, 1, generator=generator).relu()  # how strongly columns hang together
    mixing = torch.randn(n, columns, columns, generator=generator) * bound / columns**0.5
    return x + x @ mixing


# -----------------------------------------------------------------------------------------------------------
# Tables from random causal graphs: columns and label are nodes anywhere, so a column may be a cause of the label, its
# effect, both through others, or neither.

MOST_HIDDEN = 12  # nodes that are no columns


def of_causal_graphs(n: int, rows: int, columns: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """-> cells (n, R, F), classes (n, R)"""
    hidden = int(log_uniform(1, MOST_HIDDEN + 1, 1, generator=generator))
    K = columns + hidden
    label = int(torch.randint(K + 1, (), generator=generator))  # how many nodes come before it
    edges = torch.rand(n, K, K, generator=generator) < log_uniform(0.15, 0.9, n, 1, 1, generator=generator)
    weights = edges * torch.randn(n, K, K, generator=generator)  # [cause, effect]
    loud = log_uniform(0.05, 1.5, n, 1, K, generator=generator)
    noise = loud * torch.randn(n, rows, K, generator=generator)
    kind, shift = kinds(n, K, generator), 0.7 * torch.randn(n, 1, K, generator=generator)
    nodes = torch.zeros(n, rows, 0)
    effect = torch.zeros(n, rows, K)  # of the class on later nodes
    y = torch.zeros(n, rows, dtype=torch.long)
    for k in range(K + 1):
        if k == label:
            y = classes(_scores(nodes, rows, n, generator), generator)
            of_class = log_uniform(0.5, 6.0, n, 1, 1, generator=generator)
            of_class = of_class * torch.randn(n, CLASSES, K, generator=generator)
            follows = torch.rand(n, 1, K, generator=generator)
            follow = follows < uniform(0.2, 1.0, n, 1, 1, generator=generator)
            effect = (of_class * follow).gather(1, y[..., None].expand(-1, -1, K))
        if k < K:
            caused = nodes @ weights[:, :k, k : k + 1] + effect[..., k : k + 1]  # (n, R, 1)
            caused = bent(caused + shift[..., k : k + 1], kind[..., k : k + 1])
            node = standard(caused + noise[..., k : k + 1])
            nodes = torch.cat([nodes, node], 2)
    chosen = torch.rand(n, K, generator=generator).argsort(1)[:, :columns]
    return nodes.gather(2, chosen[:, None].expand(-1, rows, -1)), y


def _scores(nodes: Tensor, rows: int, n: int, generator: Generator) -> Tensor:
    """Of nodes before the label, or of chance where there are none.  -> (n, R, C)"""
    if nodes.shape[2] == 0:
        return torch.randn(n, rows, CLASSES, generator=generator)
    k = nodes.shape[2]
    causes = torch.rand(n, k, 1, generator=generator) < uniform(0.2, 1.0, n, 1, 1, generator=generator)
    scores = nodes @ (causes * torch.randn(n, k, CLASSES, generator=generator))
    shifted = standard(scores) + torch.randn(n, 1, CLASSES, generator=generator)
    scores = bent(shifted, kinds(n, CLASSES, generator))
    return scores + 1e-3 * torch.randn(scores.shape, generator=generator)  # where nothing causes it


# -----------------------------------------------------------------------------------------------------------
# Both in their shares, made ugly.

BEHAVIOUR = 1  # raise by hand when the same generator gives other tables

ROWS, COLUMNS = 256, 10  # of a table, at most


class Tables(NamedTuple):
    x: Tensor  # (n, R, F), NaN where a cell is missing
    y: Tensor  # (n, R), classes 0 .. CLASSES - 1


@dataclass(frozen=True)
class TablePrior:
    """As a training wants its prior; `length` is the number of rows that a table has at most."""

    causal: float = 0.5  # share of the tables that are from causal graphs
    missing: float = 0.0  # share of the tables with missing cells
    length: int = ROWS

    def behaviour(self) -> dict[str, int]:
        return {"tables": BEHAVIOUR}

    def sample(self, n: int, rows: int, columns: int, generator: Generator) -> Tables:
        caused = round(self.causal * n)
        halves = ((of_causal_graphs, caused), (of_random_networks, n - caused))
        made = [make(count, rows, columns, generator) for make, count in halves if count]
        x, y = (torch.cat(parts) for parts in zip(*made, strict=True))
        return Tables(holed(coarse(warped(standard(x), generator), generator), self.missing, generator), y)


def warped(x: Tensor, generator: Generator) -> Tensor:
    """A quarter of the columns, by a monotone function: long tails on one side or on both."""
    n, _, columns = x.shape
    kind = torch.rand(n, 1, columns, generator=generator)
    strength = uniform(0.3, 1.5, n, 1, columns, generator=generator)
    tails = x.sign() * x.abs() ** (1 + strength)
    return torch.where(kind < 0.12, (strength * x).clamp(max=6).exp(), torch.where(kind < 0.25, tails, x))


def coarse(x: Tensor, generator: Generator) -> Tensor:
    """A fifth of the columns, on 2 to 8 levels."""
    n, _, columns = x.shape
    low, high = x.aminmax(dim=1, keepdim=True)
    levels = log_uniform(1.0, 8.0, n, 1, columns, generator=generator).floor()
    share = (x - low) / (high - low + 1e-6)  # 0 .. 1
    stepped = (share * levels + torch.rand(n, 1, columns, generator=generator) - 0.5).round()
    return torch.where(torch.rand(n, 1, columns, generator=generator) < 0.2, stepped, x)


def holed(x: Tensor, share: float, generator: Generator) -> Tensor:
    """In this share of the tables, up to 60 % of the cells become NaN."""
    n = len(x)
    chosen = torch.rand(n, 1, 1, generator=generator) < share
    holes = torch.rand(x.shape, generator=generator) < uniform(0.0, 0.6, n, 1, 1, generator=generator)
    return x.masked_fill(chosen & holes, torch.nan) if share else x
