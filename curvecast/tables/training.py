"""The training of a small TabPFN: as of every network here, on tables instead of curves.

A step has a few groups of tables; those of a group have the same numbers of context rows and of columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from curvecast.ground.errors import demand
from curvecast.tables.labels import log_uniform
from curvecast.tables.network import TableNetworkConfig
from curvecast.tables.prior import COLUMNS, TablePrior
from curvecast.training.batches import Batch, TrainConfig, seed_of

FEWEST, MOST = 8, 200  # context rows
HOLED = 0.4  # share of the tables with missing cells
BORDERS = torch.zeros(2)  # classes need none, but every network has some


@dataclass(frozen=True)
class TableTraining(TrainConfig):
    """`curves` is the number of tables, `cutoffs` that of groups in a step, `queries` that of rows asked for in a table."""

    model: Any = TableNetworkConfig()
    prior: Any = TablePrior()
    batch: int = 32
    queries: int = 32
    lr: float = 2e-3
    matrix_lr: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        usual = (self.draws, self.stock, self.early) == ("generator", 0, 1.0)
        demand(usual, "TableTraining: draws, stock and early are of curves; leave them as they are")

    def network(self) -> Any:
        torch.manual_seed(self.seed)
        return self.model.network(BORDERS.clone())

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(seed_of(self.seed, "tables", step))
        n = self.batch // self.cutoffs
        for _ in range(self.cutoffs):
            T = int(log_uniform(FEWEST, MOST + 1, 1, generator=generator))
            columns = int(log_uniform(2, COLUMNS + 1, 1, generator=generator))
            x, y = self.prior.sample(n, T + self.queries, columns, generator)
            x, y = x.to(device), y.to(device)
            yield Batch(x[:, :T], y[:, :T], x[:, T:], y[:, T:], None)


def training(tables: int, network: TableNetworkConfig, **more: Any) -> TableTraining:
    """With missing cells in the prior if the network is told of them, and without any if it is not."""
    return TableTraining(network, TablePrior(missing=HOLED if network.mask else 0.0), curves=tables, **more)
