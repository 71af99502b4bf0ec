"""How every row is trained and scored: the same curves in the same order, with the settings that suit the row.

A training uses one thread, since parts of a question run side by side: seconds are those of one core. Scores are nats per
point on fresh curves, and below the exact posterior where that is known.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from curvecast.scores import baselines, evaluate
from curvecast.scores.kernel_regression import CurveKernel, gaussian_process, ridge_regression
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, fit
from presswork.estimates import where
from reproduce import printed
from reproduce.backbones import _rows
from reproduce.protocols.timing import threads

CUTOFFS = (5, 10, 20, 40, 70)
CLOSED_FORMS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {  # without training
    "last value": partial(baselines.forecast, "last value"),
    "kernel ridge regression": partial(ridge_regression, CurveKernel()),
    "Gaussian process": partial(gaussian_process, CurveKernel()),
}


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


def scores(of: Callable[[Tensor], dict[int, Tensor]], judged: pd.DataFrame, scored: int) -> pd.DataFrame:
    """By cutoff: nats per point on fresh curves, and below the exact posterior on the curves where that is known.

    `of` gives those of curves (n, T), by cutoff (n,).
    """
    fresh = of(prior.second_test_set(scored).noisy)
    known = of(prior.test_set(min(scored, 1 + int(judged["curve"].max()))).noisy)
    lines = []
    for cutoff in CUTOFFS:
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"]
        both = [i for i in exact.index if i < len(known[cutoff])]
        lost = exact[both].to_numpy() - known[cutoff][both].double().numpy()
        lines.append((cutoff, round(float(fresh[cutoff].mean()), 4), round(float(lost.mean()), 4)))
    return pd.DataFrame(lines, columns=["cutoff", "ll", "lost"])


def closed_form(name: str, y: Tensor) -> dict[int, Tensor]:
    x, forecast = torch.arange(1.0, y.shape[1] + 1), CLOSED_FORMS[name]
    return {c: forecast(x[:c], y[:, :c], x[c:]).log_density(y[:, c:].double()).mean(1) for c in CUTOFFS}


def at_budget(budget: str, config: Any, name: str, seed: int, how: str, judged: pd.DataFrame) -> pd.DataFrame:
    """A row after one training: on as many curves as all others, or on as many as its speed allows at equal time.

    `config` has parameters, curves, core_seconds and the number of curves to be scored on. No number: the loss became NaN.
    """
    curves = config.curves if budget == "parameters" else affordable(config.core_seconds, name)
    model = _rows.reader(name, config.parameters)
    done, nan = train(training(model, SETTINGS[how], curves, seed)), float("nan")
    frame = pd.DataFrame({"cutoff": CUTOFFS, "ll": nan, "lost": nan})
    if done:
        frame = scores(partial(likelihoods, done.forecaster), judged, config.scored)
    frame["seconds"] = round(done.seconds, 1) if done else nan
    about = {"backbone": name, "budget": budget, "seed": seed, "setting": how}
    return frame.assign(**about, width=model.width, curves=curves)


def affordable(core_seconds: float, name: str) -> int:
    """Training curves of a row at equal time, in whole batches, by the seconds that a step took when budgets were set."""
    steps = pd.read_csv(Path(printed.__file__).with_name("budgets.csv")).set_index("backbone")["step"]
    return 64 * max(1, round(core_seconds / steps[name]))
