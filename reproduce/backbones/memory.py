"""How far back does a backbone line_style, before it is trained and after?

What the state after the last point takes from each point before it: the size of its gradient by that point's token, for 60
points of curves of the prior. To its logarithm, between 5 and 40 epochs back, a straight line is fitted: a factor an epoch,
which is below 1 where the past fades.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _kinds, _rows, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.pictures.panels import panels

SEEN, DIRECTIONS = 60, 8
WHEN = {"first": "at first weights", "trained": "trained"}
SWEEP = "backbone_rates/paper"
TABLES = {"rows": ("backbone", "seed", "when", "lag", "size")}
DASHES = {
    "LSTM": "--",
    "GRU": ":",
    "Mamba": "--",
    "transformer, decoder": "--",
}  # the second and third of a kind


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = (
        "Elman", "LSTM", "GRU", "S4, HiPPO", "Mamba", "linear attention", "transformer, decoder", "transformer, encoder",
    )  # fmt: skip
    seeds: int = 3
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    looked_at: int = 64  # curves
    near: int = 5  # between these lags fading is measured
    far: int = 40


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, looked_at=4),
    "laptop": Config(("Elman", "LSTM", "S4, HiPPO", "transformer, encoder"), 1, curves=3_008),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return _rows.parts(config.rows, config.seeds)


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    name, seed = _rows.of_part(part)
    setting = SETTINGS[_trainings.best(read[SWEEP], name)]
    train = _trainings.training(_rows.reader(name, config.parameters), setting, config.curves, seed)
    y = prior.second_test_set(config.looked_at).noisy[:, :SEEN]
    nets = {"first": train.network()}
    if done := _trainings.train(train):
        nets["trained"] = done.forecaster.model
    some = [
        pd.DataFrame({"lag": range(SEEN), "size": sizes(net, y).flip(0)}).assign(when=when)
        for when, net in nets.items()
    ]
    return pd.concat(some).assign(backbone=name, seed=seed)


def sizes(net: Any, y: Tensor) -> Tensor:
    """Of the gradient of the last state by each token, over curves and random directions: (n, T) -> (T,)"""
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    level = net.inputs.stand(x, y, None)
    tokens = net.inputs(x, y, x[:, -1:] + 1, level)[:, :-1].detach().requires_grad_()  # (n, T, d)
    state = net.layers[0](tokens, x, None).states[:, -1]  # (n, d)
    draw = torch.Generator().manual_seed(0)
    squares = torch.zeros(y.shape[1], dtype=torch.double)
    for _ in range(DIRECTIONS):
        direction = torch.randn(state.shape, generator=draw)
        (found,) = torch.autograd.grad((state * direction).sum(), tokens, retain_graph=True)
        squares += found.double().square().sum(-1).mean(0)
    return (squares / DIRECTIONS).sqrt()


def fading(rows: pd.DataFrame, config: Config, name: str, when: str) -> pd.Series:
    """The factor by which it shrinks an epoch further back, of each seed."""
    mine = where(rows, backbone=name, when=when)
    mine = mine[mine["lag"].between(config.near, config.far)]
    slopes = {seed: np.polyfit(one["lag"], np.log(one["size"]), 1)[0] for seed, one in mine.groupby("seed")}
    return pd.Series(slopes, dtype=float).pipe(np.exp)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figure, axes = panels(WHEN.values(), (9.6, 4.2), sharey=True)
    for axis, when in zip(axes, WHEN, strict=True):
        for name in config.rows:
            _line(axis, where(rows, backbone=name, when=when), name)
        axis.set(yscale="log", ylim=(1e-6, 3), xlabel="epochs back")
    axes[0].set_ylabel("what is taken from a point, of the nearest")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return {"back": figure}


def _line(axis: Axes, rows: pd.DataFrame, name: str) -> None:
    """The mean over seeds, relative to one epoch back: the last point itself goes past what mixes points."""
    if not rows.empty:
        middle = rows.groupby("lag")["size"].mean().iloc[1:]
        line_style: dict[str, Any] = {"linestyle": DASHES.get(name, "-"), "color": _kinds.colour(name)}
        axis.plot(middle.index, middle / middle.iloc[0], linewidth=1.5, label=name, **line_style)


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    lines = []
    for name in config.rows:
        line = {"backbone": name}
        for when, title in WHEN.items():
            found = fading(rows, config, name, when)
            line[f"factor an epoch, {title}"] = f"{found.mean():.3f}" if len(found) else ""
        lines.append(line)
    return {"fading": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    def fades(name: str, when: str) -> pd.Series:
        return fading(rows, config, name, when)

    first = "At first weights what"
    return [
        claim("elman_fades",
              f"{first} Elman's state takes from a point fades by a factor below {{most}} an epoch: {{value:.2f}}.",
              Interval.of_mean(fades("Elman", "first")), "< 0.95"),
        claim("lstm_fades_later",
              f"{first} an LSTM's state takes from a point fades more slowly than Elman's: by {{value:+.2f}} in its factor.",
              Interval.of_mean((fades("LSTM", "first") - fades("Elman", "first")).dropna()), "> 0"),
        claim("attention_does_not_fade",
              f"{first} attention takes from a point changes by a factor of {{least}} to {{most}} an epoch: {{value:.3f}}.",
              Interval.of_mean(fades("transformer, encoder", "first")), "between 0.98 and 1.02"),
        claim("s4_fades_little",
              f"{first} S4 takes from a point fades by a factor above {{least}} an epoch: {{value:.2f}}.",
              Interval.of_mean(fades("S4, HiPPO", "first")), "> 0.9"),
        claim("lstm_learns_to_remember",
              "Training makes what an LSTM takes from a point fade more slowly: by {value:+.2f} in its factor.",
              Interval.of_mean((fades("LSTM", "trained") - fades("LSTM", "first")).dropna()), "> 0"),
        claim("elman_learns_to_remember",
              "Training makes what Elman's state takes from a point fade more slowly: by {value:+.2f} in its factor.",
              Interval.of_mean((fades("Elman", "trained") - fades("Elman", "first")).dropna()), "> 0"),
    ]  # fmt: skip
