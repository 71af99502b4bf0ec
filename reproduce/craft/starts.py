"""How should weights start, and what do norms change?

A neuron whose input is too large is saturated, and learns slowly. We measure how widely the inputs of neurons spread, how
fast networks of three depths learn from weights of three sizes, and how the deepest trains at a high rate with norms. Two
networks of sigmoids, from small and from large weights, are trained for their curves, which craft_forecasts forecasts.

Batch norm scales each neuron over the images of a batch, and on test images with averages that it kept in training. Layer
norm scales each image over the neurons of a layer, always alike. Both divide by sqrt(variance + epsilon).
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.ground.errors import UserError
from reproduce._press import style
from reproduce._press.claim import Above, Between, Claim
from reproduce._press.estimates import by_mean, cells, leads
from reproduce._press.where import Rows, where
from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps, layers, train
from reproduce.pictures.panels import around, legend, panels

START: dict[str, Callable[[Tensor], Tensor]] = {  # of weights (neurons, inputs)
    "N(0, 1)": nn.init.normal_,
    "N(0, 1/inputs)": lambda weight: nn.init.normal_(weight, std=weight.shape[1] ** -0.5),
    "Glorot": nn.init.xavier_normal_,  # variance 2 / (inputs + neurons)
    "torch": lambda weight: weight,  # as torch has drawn them: variance 1 / (3 inputs)
}
OLD, NEW, GLOROT, TORCH = START
NORM: dict[str, Callable[[int], nn.Module] | None] = {
    "none": None, "batch": nn.BatchNorm1d, "layer": nn.LayerNorm,
}  # fmt: skip
UNIT: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "sigmoid": nn.Sigmoid}
SETTING = ["unit", "start", "depth", "norm", "rate"]


@dataclass(frozen=True)
class Config:
    inputs: int = 1_000
    neurons: int = 20_000
    draws: int = 25  # of so many neurons
    seeds: int = 5  # of networks
    depths: tuple[int, ...] = (1, 3, 5)
    width: int = 30
    images: int = 1_000
    batch: int = 10
    epochs: int = 60
    early: int = 3  # the first epochs
    rate: float = 0.1
    times: float = 10.0  # the higher rate of the comparison of norms
    late: int = 10  # the epoch in which the networks are compared
    sigmoids: tuple[int, float] = (3, 0.5)  # layers and rate


SCALES = {
    "smoke": Config(1_000, 400, 2, 2, (1, 5), 30, 40, 10, 2, 1, 0.1, 10.0, 2, (3, 0.5)),
    "laptop": Config(draws=5, seeds=3, epochs=4, late=4),
    "paper": Config(),
}
TABLES = {
    "spread": ("start", "seed", "sd"),
    "runs": (*SETTING, "seed", "epoch", "test_accuracy", "test_cost"),
}
TOLERANCES = dict.fromkeys(
    ("runs.test_accuracy", "runs.test_cost"),
    (0.05, "at ten times the rate, rounding changes the answers to a few images"),
)


def measure(config: Config, part: str) -> Rows:
    spreads = [
        {"start": start, "seed": seed, "sd": spread(start, config.inputs, config.neurons, seed)}
        for start in (OLD, NEW) for seed in range(config.draws)
    ]  # fmt: skip
    usual, deepest = config.rate, max(config.depths)
    sigmoid_layers, sigmoid_rate = config.sigmoids
    settings = [
        *(("tanh", start, depth, "none", usual) for start in (OLD, NEW, GLOROT) for depth in config.depths),
        *(("tanh", GLOROT, deepest, norm, rate) for norm in NORM for rate in (usual, config.times * usual)),
        *(("sigmoid", start, sigmoid_layers, "none", sigmoid_rate) for start in (TORCH, OLD)),
    ]
    runs = [trained(config, *setting) for setting in dict.fromkeys(settings)]  # each once
    return {"spread": pd.DataFrame(spreads), "runs": pd.concat(runs, ignore_index=True)}


def spread(start: str, inputs: int, neurons: int, seed: int) -> float:
    """Standard deviation of the weighted input over neurons, where half of the inputs are one and biases are from N(0, 1)."""
    torch.manual_seed(seed)
    x = (torch.arange(inputs) < inputs // 2).float()  # (inputs,)
    weights = START[start](torch.empty(neurons, inputs))  # (neurons, inputs)
    return (weights @ x + torch.randn(neurons)).std().item()


def trained(config: Config, unit: str, start: str, depth: int, norm: str, rate: float) -> pd.DataFrame:
    """Accuracy and cost on test images, a row for each seed and epoch."""
    check(norm, config.images, config.batch)
    runs = []
    for seed in range(config.seeds):
        torch.manual_seed(seed)
        net = layers(*[config.width] * depth, activation=UNIT[unit], between=NORM[norm])
        begin(net, start)
        run = train(net, digits(seed, config.images), Steps(config.epochs, config.batch, rate), seed)
        runs.append(run[["epoch", "test_accuracy", "test_cost"]].assign(seed=seed))
    return pd.concat(runs).assign(unit=unit, start=start, depth=depth, norm=norm, rate=rate)


def begin(net: nn.Sequential, start: str) -> None:
    """Only weights differ between the starts: all biases begin at 0."""
    for layer in net:
        if isinstance(layer, nn.Linear):
            START[start](layer.weight)
            nn.init.zeros_(layer.bias)


def check(norm: str, images: int, batch: int) -> None:
    """Within a batch of one, each value is its own mean, and batch norm would leave nothing but zeros."""
    if norm == "batch" and 1 in (batch, images, images % batch):
        raise UserError(
            "batch normalisation compares an image with others of its batch, and a batch here has one image: "
            "choose another batch size, or layer normalisation"
        )


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """Means over seeds: a panel for each depth, and one for the norms at the higher rate."""
    titles = [f"{depth} hidden layer{'s' * (depth > 1)}" for depth in config.depths]
    titles.append(f"{max(config.depths)} layers, {config.times:g} × the rate")
    figure, axes = panels(titles, (8.4, 3.2), sharey=True)
    for axis, depth in zip(axes, config.depths, strict=False):
        some = where(rows["runs"], unit="tanh", depth=depth, norm="none", rate=config.rate)
        draw_means(axis, some, "start", {OLD: ("large", ":"), NEW: ("ours", "-"), GLOROT: ("exact", "--")})
    looks = {"none": ("last", "-"), "batch": ("laws", "-"), "layer": ("new", "--")}
    draw_means(axes[-1], where(rows["runs"], rate=config.times * config.rate), "norm", looks)
    around(figure, "epoch", "accuracy on test images")
    legend(figure, axes)
    return {"starts": figure}


def draw_means(axis: Axes, some: pd.DataFrame, column: str, looks: dict[str, tuple[str, str]]) -> None:
    for value, (colour, dashes) in looks.items():
        means = where(some, **{column: value}).groupby("epoch")["test_accuracy"].mean()
        label = f"{value} norm".replace("none", "no") if column == "norm" else value
        axis.plot(means, dashes, color=style.colour(colour), label=label)


def tabulate(rows: Rows, config: Config) -> Rows:
    found = by_mean(rows["runs"], [*SETTING, "epoch"], "test_accuracy")
    titles = {epoch: f"% right, epoch {epoch}" for epoch in (config.early, config.late, config.epochs)}
    lines = []
    for setting in rows["runs"][SETTING].drop_duplicates().itertuples(index=False, name=None):
        unit, start, depth, norm, rate = setting
        line = {"start": start, "hidden layers": f"{depth} {unit}", "norm": norm, "rate": f"{rate:g}"}
        lines.append(line | cells(found, setting, titles, ".1f", times=100))
    return {"starts": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    spreads, tanh = by_mean(rows["spread"], "start", "sd"), where(rows["runs"], unit="tanh")
    early = where(tanh, depth=max(config.depths), norm="none", rate=config.rate, epoch=config.early)
    late = where(tanh, rate=config.times * config.rate, epoch=config.late)
    return [
        Claim("spread_old",
              "With weights from N(0, 1), does a neuron's input from 500 ones spread as widely as the book prints?",
              spreads.get(OLD), Between(22.2, 22.6), printed=22.4),
        Claim("spread_new",
              "With weights from N(0, 1/1000), does a neuron's input from 500 ones spread as widely as the book prints?",
              spreads.get(NEW), Between(1.20, 1.24), printed=1.22),
        Claim("small_weights_learn_sooner",
              "With five hidden layers, is accuracy after three epochs higher from N(0, 1/inputs) than from N(0, 1)?",
              leads(early, "start", OLD, "test_accuracy", "seed").get(NEW), Above(0), "%"),
        Claim("batch_norm_bears_ten_times_the_rate",
              "At ten times the usual rate, is a network of five hidden layers more accurate with batch norm than without?",
              leads(late, "norm", "none", "test_accuracy", "seed").get("batch"), Above(0), "%"),
    ]  # fmt: skip
