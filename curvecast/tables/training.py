"""The training of a small TabPFN: as of every network here, on tables instead of curves.

A step has a few groups of tables; those of a group have the same numbers of context rows and of columns.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from curvecast.ground import weights, weights_file
from curvecast.ground.config import canonical, restore
from curvecast.ground.errors import reading
from curvecast.tables.network import BEHAVIOUR, TableNetwork, TableNetworkConfig
from curvecast.tables.prior import COLUMNS, TablePrior, log_uniform
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


# -----------------------------------------------------------------------------------------------------------
# The weights that come along, in half precision, and how they are made from those of a training:
#
# python -m curvecast.tables.training weights/NAME.safetensors

PATH = Path(__file__).parent / "weights" / "tables.safetensors"


def write(source: Path, path: Path = PATH) -> None:
    """From the file of a training; of its history the last line is kept."""
    state, info = weights.read(source)
    info = info | {"history": canonical(json.loads(info["history"])[-1:])}
    weights.write(path, {name: tensor.half() for name, tensor in state.items()}, info)


def load(path: Path = PATH) -> TableNetwork:
    """From this file, or from the file of a training."""
    state, info = weights.read(path)
    # "network" is a mark for those who load curves
    ours = {name: text for name, text in info.items() if name != "network"}
    config = weights_file.config_of(ours, path, {"table_network": BEHAVIOUR})
    with reading(path, "does not hold what its header says", "delete it or fetch it again"):
        network: TableNetwork = restore(TableTraining, config).model.network(BORDERS.clone())
    weights.fill(network, {name: tensor.float() for name, tensor in state.items()}, path)
    return network.eval()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
