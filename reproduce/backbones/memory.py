"""How far back does a backbone remember, before training and after?

The influence of a point is the size of the gradient of the last state by that point's token, for 60 points of curves of the
prior. A straight line is fitted to its logarithm between 5 and 40 epochs back. The result is a factor per epoch, which is
below 1 where the past fades. Two more rows say what depth and first weights have to do with it: Elman’s network with as many
layers as the LSTM, and an LSTM whose forget gates begin half open (bias 0) instead of nearly open (bias 1).
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.networks.backbones.reader import FAMILIES
from curvecast.networks.backbones.recurrent import LSTM, RecurrentConfig
from presswork import Above, Below, Claim, Estimates, Interval, Rows, there, where
from presswork.estimates import table
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.pictures.panels import panels

SEEN, DIRECTIONS = 60, 8
WHEN = {"first": "before training", "trained": "after training"}
SWEEP = "backbone_rates/paper"
DEEPER, HALF_OPEN = "Elman, two layers", "LSTM, forget bias 0"
TABLES = {"rows": ("backbone", "seed", "when", "lag", "size")}
# the second and third of a kind
DASHES = {"LSTM": "--", "GRU": ":", "Mamba": "--", "transformer, decoder": "--"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = (
        "Elman", "LSTM", "GRU", "S4, HiPPO", "Mamba", "linear attention", "transformer, decoder", "transformer, encoder",
    )  # fmt: skip
    seeds: int = 3
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    looked_at: int = 64  # curves
    near: int = 5  # fading is measured between these lags
    far: int = 40
    beside: tuple[str, ...] = later((DEEPER, HALF_OPEN))  # the LSTM; in the table alone

    @property
    def backbones(self) -> tuple[str, ...]:
        return (*self.rows, *self.beside)


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, looked_at=4, beside=()),
    "laptop": Config(("Elman", "LSTM", "S4, HiPPO", "transformer, encoder"), 3, curves=512),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = dict.fromkeys(("beside", "parts"), "two more rows, of which a test trains one")
PARTS = "{backbone}-{seed}"


class HalfOpen(LSTM):
    def __init__(self, width: int):
        super().__init__(width)
        nn.init.zeros_(self.new.bias[width : 2 * width])


class HalfOpenConfig(RecurrentConfig):
    name, cell = "lstm-half-open", HalfOpen


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, backbone: str, seed: int, read: dict[str, Any]) -> pd.DataFrame:
    model = _rows.reader_of((FAMILIES | {HALF_OPEN: HalfOpenConfig(layers=2)})[backbone], config.parameters)
    setting = SETTINGS[_trainings.best(read[SWEEP], "LSTM" if backbone == HALF_OPEN else backbone)]
    train = _trainings.training(model, setting, config.curves, seed)
    y = prior.second_test_set(config.looked_at).noisy[:, :SEEN]
    nets = {"first": train.network()}
    if done := _trainings.train(train):
        nets["trained"] = done.forecaster.model
    some = [
        pd.DataFrame({"lag": range(SEEN), "size": sizes(net, y).flip(0)}).assign(when=when)
        for when, net in nets.items()
    ]
    return pd.concat(some).assign(backbone=backbone, seed=seed)


def sizes(net: Any, y: Tensor) -> Tensor:
    """Of the gradient of the last state by each token, averaged over curves and random directions: (n, T) -> (T,)"""
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    level = net.inputs.stand(x, y, None)
    tokens = net.inputs(x, y, x[:, -1:] + 1, level)[:, :-1].detach().requires_grad_()  # (n, T, d)
    state = net.layers[0](tokens, x, None).states[:, -1]  # (n, d)
    draw = torch.Generator().manual_seed(0)
    squares = torch.zeros(y.shape[1], dtype=torch.double)
    for _ in range(DIRECTIONS):
        direction = torch.randn(state.shape, generator=draw)
        (gradient,) = torch.autograd.grad((state * direction).sum(), tokens, retain_graph=True)
        squares += gradient.double().square().sum(-1).mean(0)
    return (squares / DIRECTIONS).sqrt()


def fading(rows: pd.DataFrame, config: Config) -> dict[tuple[str, str], pd.Series]:
    """By backbone and time of training: the factor by which influence changes with each epoch further back, by seed."""
    near = rows[rows["lag"].between(config.near, config.far)]
    slopes: dict[tuple[str, str], dict[int, float]] = {}
    for (name, when, seed), mine in near.groupby(["backbone", "when", "seed"]):
        slopes.setdefault((name, when), {})[seed] = np.polyfit(mine["lag"], np.log(mine["size"]), 1)[0]
    return {key: np.exp(pd.Series(by_seed)).rename_axis("seed") for key, by_seed in slopes.items()}


def estimates(rows: pd.DataFrame, config: Config) -> Estimates:
    """{(backbone, when): factor per epoch}, and by claim the difference of two such factors; seeds vary."""
    decay = defaultdict(lambda: pd.Series(dtype=float), fading(rows, config))
    first, last = WHEN
    slower = {
        "trained_lstm_fades_later": decay["LSTM", last] - decay[DEEPER, last],
        "forget_bias_at_first": decay["LSTM", first] - decay[HALF_OPEN, first],
        "forget_bias_after_training": decay["LSTM", last] - decay[HALF_OPEN, last],
        "lstm_learns_to_remember": decay["LSTM", last] - decay["LSTM", first],
    }
    return there({key: Interval.of_mean(factors) for key, factors in {**decay, **slower}.items()})


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    """Relative to one epoch back: the last point reaches the state by a direct path."""
    figure, axes = panels(WHEN.values(), (9.6, 4.2), sharey=True)
    for axis, when in zip(axes, WHEN, strict=True):
        middle = where(rows, when=when).groupby(["backbone", "lag"])["size"].mean()  # over seeds
        for name in (name for name in config.rows if name in middle.index):
            mine, dashes = middle[name].iloc[1:], DASHES.get(name, "-")
            axis.plot(mine / mine.iloc[0], dashes, color=_rows.colour(name), linewidth=1.5, label=name)
        axis.set(yscale="log", ylim=(1e-6, 3), xlabel="epochs back")
    axes[0].set_ylabel("influence of a point, relative to one epoch back")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return {"back": figure}


def tabulate(found: Estimates, config: Config) -> Rows:
    columns = {when: f"factor per epoch, {title}" for when, title in WHEN.items()}
    return {"fading": table(found, "backbone", config.backbones, columns, "{0.value:.3f}".format, missing="")}


def claims() -> list[Claim]:
    before, after = (f"{when} training, does the influence of a past point" for when in ("Before", "After"))
    return [
        Claim("elman_fades", f"{before} fade markedly with every epoch in Elman’s network?",
              ("Elman", "first"), Below(0.95)),
        Claim("trained_lstm_fades_later", f"{after} fade more slowly in an LSTM than in Elman’s network with as many layers?",
              "trained_lstm_fades_later", Above(0)),
        Claim("forget_bias_at_first", f"{before} fade more slowly in an LSTM whose forget bias is 1 than with a bias of 0?",
              "forget_bias_at_first", Above(0)),
        Claim("forget_bias_after_training", f"{after} fade more slowly in an LSTM whose forget bias began at 1 than at 0?",
              "forget_bias_after_training", Above(0)),
        Claim("s4_fades_little", f"{before} fade only a little with every epoch in S4?",
              ("S4, HiPPO", "first"), Above(0.9)),
        Claim("lstm_learns_to_remember", "Does training make an LSTM remember past points longer?",
              "lstm_learns_to_remember", Above(0)),
    ]  # fmt: skip
