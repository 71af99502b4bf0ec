"""How every row is trained and scored: the same curves in the same order, with the settings that suit the row.

A training uses one thread, since parts of a question run side by side: seconds are those of one core.
"""

import time
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.ground.errors import UserError
from curvecast.scores import evaluate
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, fit
from presswork.estimates import where
from reproduce.protocols.timing import threads

CUTOFFS = (5, 10, 20, 40, 70)


class Setting(NamedTuple):  # fields of TrainConfig
    optimiser: str
    lr: float
    matrix_lr: float  # of Muon, for the matrices of hidden layers


SETTINGS = {  # six, the same for every row
    "Adam, 5e-4": Setting("adam", 5e-4, 0.0),
    "Adam, 1e-3": Setting("adam", 1e-3, 0.0),
    "Adam, 2e-3": Setting("adam", 2e-3, 0.0),
    "Muon, half": Setting("muon", 4e-4, 0.005),
    "Muon": Setting("muon", 8e-4, 0.01),
    "Muon, twice": Setting("muon", 1.6e-3, 0.02),
}


def best(sweep: pd.DataFrame, name: str) -> str:
    """The best setting of this backbone, by the rows of backbone_rates; never one whose loss became NaN."""
    mine = where(sweep, backbone=name)
    return str(mine.loc[mine["ll"].idxmax(), "setting"])


class Trained(NamedTuple):
    forecaster: Forecaster
    seconds: float  # of one core


def training(model: Any, setting: Setting, curves: int, seed: int) -> TrainConfig:
    """Curves are drawn by number, so that all rows train on the same ones."""
    return TrainConfig(model, curves=curves, seed=seed, draws="number", **setting._asdict())


def train(config: TrainConfig) -> Trained | None:
    """None: the loss became NaN."""
    with threads():
        net, begin = config.network(), time.process_time()
        try:
            with Training(config, net) as steps:
                history = fit(steps)
        except UserError as error:
            if "the loss of" not in str(error):
                raise
            return None
        return Trained(Forecaster(config, net.eval(), history), time.process_time() - begin)


@torch.no_grad()
def log_density(
    forecaster: Forecaster, y: Tensor, shown: Tensor, asked: Tensor, at_once: int, x: Tensor | None = None
) -> Tensor:
    """At queried epochs (n, Q), of curves (n, T); `shown` and `asked` are indices. `x`: epochs as the network gets them."""
    x, ask, densities = torch.arange(1.0, y.shape[1] + 1) if x is None else x, forecaster.log_density, []
    for some in y.split(at_once):
        epochs = x.expand(len(some), -1)
        densities.append(ask(epochs[:, shown], some[:, shown], epochs[:, asked], some[:, asked]))
    return torch.cat(densities).double()


@torch.no_grad()
def likelihoods(forecaster: Forecaster, noisy: Tensor) -> dict[int, Tensor]:
    """Mean log-density of each curve (n,), by the number of observed epochs."""
    return {cutoff: evaluate.likelihood(forecaster, noisy, cutoff) for cutoff in CUTOFFS}
