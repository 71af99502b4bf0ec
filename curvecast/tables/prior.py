"""The tables that a small TabPFN expects: half from random networks, half from causal graphs, with ugly columns.

Shapes: n tables, R rows, F columns.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from curvecast.tables import causal_tables, random_networks
from curvecast.tables.labels import log_uniform, standard, uniform

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
        kinds = ((causal_tables, caused), (random_networks, n - caused))
        made = [kind.tables(count, rows, columns, generator) for kind, count in kinds if count]
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
