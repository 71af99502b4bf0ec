"""Tables whose label is a random network of their columns: linear to strongly bent boundaries, and columns without use.

Shapes: n tables, R rows, F columns, C classes.
"""

import torch
from torch import Generator, Tensor

from curvecast.tables.labels import CLASSES, bent, classes, kinds, log_uniform, standard, uniform

WIDTH = 16


def tables(n: int, rows: int, columns: int, generator: Generator) -> tuple[Tensor, Tensor]:
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
