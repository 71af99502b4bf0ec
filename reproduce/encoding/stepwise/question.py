"""Does a network that forecasts step by step, reading its own forecasts, need a positional encoding?"""

import time
from dataclasses import dataclass, replace

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce._press.where import Rows
from reproduce.encoding._cell_names import CELLS, Cell
from reproduce.encoding._encoded_network import encoded, train
from reproduce.encoding._unpractised_epochs import AT_ONCE, DISTANCES, epochs
from reproduce.encoding.stepwise import figures_tables_claims, median_forecasts
from reproduce.encoding.stepwise.stepwise_network import Free, free
from reproduce.trainings import TINY

SEEN = 20  # epochs

STOPWATCHES = ("training.seconds",)


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=12_800)
    cells: tuple[str, ...] = ("none",)  # of CELLS; each with the epoch given and not given
    seeds: int = 3
    curves: int = 100  # of THE test set, the first ones, and as many long ones
    seed: int = 0  # of the grids of epochs


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=64), cells=tuple(CELLS), seeds=1, curves=2),
    "laptop": Config(TrainConfig(ModelConfig(64, 2, 2), curves=3_200)),
    "paper": Config(TrainConfig(ModelConfig(64, 2, 2), curves=19_200), cells=tuple(CELLS), curves=100),
}


def parts(config: Config) -> list[str]:
    """Each cell with each seed, and a network as LC-PFN is: in one shot, and given the epoch."""
    return [
        cell.part
        for seed in range(config.seeds)
        for cell in [
            Cell("pfn", "none", True, seed),
            *(Cell("free", name, fed, seed) for name in config.cells for fed in (True, False)),
        ]
    ]


def measure(config: Config, part: str) -> Rows:
    """`each`: of each curve the likelihood and the error of the median; `horizon`: that error by distance."""
    cell = Cell.of(part)
    begin = time.process_time()
    kind = free if cell.network == "free" else encoded
    net, losses = train(kind(replace(config.train, seed=cell.seed), CELLS[cell.name].encoding, cell.fed))
    seconds = time.process_time() - begin
    each = {
        task: median_forecasts.errors(net, *asked)
        for task, asked in median_forecasts.tasks(config.curves, config.seed).items()
    }
    curves = prior.test_set(config.curves)
    x = epochs(config.curves, range(1, 101))
    forecast, density = median_forecasts.medians(net, x, curves.noisy[:, :SEEN])
    off = (forecast - curves.clean[:, SEEN:]).abs()  # (n, 80)
    hidden = zip(density, curves.noisy[:, SEEN:].split(AT_ONCE), strict=True)
    path = torch.cat([some.log_density(y) for some, y in hidden])
    each |= {"near": off[:, :10].mean(1), "far": off[:, -10:].mean(1), "path": path.mean(1)}
    if isinstance(net, Free):
        with torch.no_grad():
            each["next"] = net.next_log_density(curves.noisy)[:, SEEN - 1 :].mean(1)
    rows = pd.DataFrame({name: values.numpy().round(5) for name, values in each.items()})
    at = off[:, [distance - 1 for distance in DISTANCES]]
    last = torch.tensor(losses[-max(1, len(losses) // 10) :]).mean().item()
    return {
        "each": rows.rename_axis("curve").reset_index(),
        "horizon": pd.DataFrame({"ahead": DISTANCES, "error": at.mean(0).numpy()}),
        "training": pd.DataFrame([{"seconds": round(seconds, 1), "loss": last}]),
    }


draw, tabulate, claims = (
    figures_tables_claims.figures,
    figures_tables_claims.tables,
    figures_tables_claims.claims,
)
