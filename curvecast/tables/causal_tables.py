"""Tables from random causal graphs: columns and label are nodes anywhere, so a column may be a cause of the label, its
effect, both through others, or neither.

Shapes: n tables, R rows, F columns, K nodes, C classes.
"""

import torch
from torch import Generator, Tensor

from curvecast.tables.labels import CLASSES, bent, classes, kinds, log_uniform, standard, uniform

MOST_HIDDEN = 12  # nodes that are no columns


def tables(n: int, rows: int, columns: int, generator: Generator) -> tuple[Tensor, Tensor]:
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
