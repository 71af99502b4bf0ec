"""Does a forecaster of learning curves need a positional encoding?"""

import time
from dataclasses import dataclass, replace

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce._press.claim import Claim
from reproduce._press.where import Rows
from reproduce.encoding import _figures_and_tables, _unpractised_epochs
from reproduce.encoding._cell_names import CELLS, Cell
from reproduce.encoding._encoded_network import encoded, train
from reproduce.encoding.encodings import claims as claimed
from reproduce.trainings import TINY

STOPWATCHES = ("training.seconds",)


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=16_000)
    cells: tuple[str, ...] = ("none", "sincos", "rope")  # of CELLS; each with the epoch given and not given
    networks: tuple[str, ...] = ("pfn",)  # that forecast all epochs in one pass
    seeds: int = 3
    curves: int = 500  # of THE test set, the first ones, and as many long ones
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)
    seed: int = 0  # of the grids of epochs


SCALES = {
    "smoke": Config(
        replace(TINY["1x16"], curves=128), cells=tuple(CELLS), seeds=2, curves=4, cutoffs=(10, 40)
    ),
    "laptop": Config(TrainConfig(ModelConfig(64, 2, 2), curves=9_600), cells=("none", "sincos")),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(TrainConfig(ModelConfig(64, 2, 2), curves=32_000), cells=tuple(CELLS)),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    """Each cell with each seed; all cells with the first seed come first, so that a part of the run is of use."""
    return [
        Cell(network, name, fed, seed).part
        for seed in range(config.seeds)
        for network in config.networks
        for name in config.cells
        for fed in (True, False)
    ]


def measure(config: Config, part: str) -> Rows:
    cell = Cell.of(part)
    begin = time.process_time()
    net, losses = train(encoded(replace(config.train, seed=cell.seed), CELLS[cell.name].encoding, cell.fed))
    seconds = time.process_time() - begin
    curves = prior.test_set(config.curves)
    tasks = _unpractised_epochs.tasks(curves.noisy, config.cutoffs, config.seed)
    each = {task.name: _unpractised_epochs.likelihood(net, task).numpy().round(3) for task in tasks}
    size = sum(p.numel() for p in net.encoding.parameters()) if net.encoding is not None else 0
    last = torch.tensor(losses[-max(1, len(losses) // 10) :]).mean().item()
    return {
        "each": pd.DataFrame(each).rename_axis("curve").reset_index(),
        "horizon": _unpractised_epochs.horizon(net, curves),
        "training": pd.DataFrame([{"seconds": round(seconds, 1), "loss": last, "parameters": size}]),
    }


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return _figures_and_tables.figures(rows, config.cutoffs)


def tabulate(rows: Rows, config: Config) -> dict[str, pd.DataFrame]:
    return _figures_and_tables.tables(rows, config.cutoffs, config.train.curves)


def claims(rows: Rows, config: Config) -> list[Claim]:
    return claimed.claims(rows, config.cutoffs)
