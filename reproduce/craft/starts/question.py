"""How should weights start, and what do norms change?

A neuron whose input is too large is saturated, and learns slowly. We measure how widely the inputs of neurons spread, how
fast networks of three depths learn from weights of three sizes, and how the deepest trains at a high rate with norms. Two
networks of sigmoids, from small and from large weights, are trained for their curves, which craft_forecasts forecasts.
"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Between, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import minus, where
from reproduce.craft._runs import Steps
from reproduce.craft.starts.networks import NORM, trained
from reproduce.craft.starts.weights import GLOROT, NEW, OLD, TORCH, spread
from reproduce.pictures.panels import around, legend, panels

TABLES = {
    "spread": ("start", "seed", "sd"),
    "runs": ("unit", "start", "depth", "norm", "rate", "seed", "epoch", "test_accuracy", "test_cost"),
}
TOLERANCES = dict.fromkeys(
    ("runs.test_accuracy", "runs.test_cost"),
    (0.05, "at ten times the rate, rounding changes the answers to a few images"),
)


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


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    spreads = [
        {"start": start, "seed": seed, "sd": spread(start, config.inputs, config.neurons, seed)}
        for start in (OLD, NEW) for seed in range(config.draws)
    ]  # fmt: skip
    usual, deepest = config.rate, max(config.depths)
    layers, sigmoid_rate = config.sigmoids
    settings = [
        *(("tanh", start, depth, "none", usual) for start in (OLD, NEW, GLOROT) for depth in config.depths),
        *(("tanh", GLOROT, deepest, norm, rate) for norm in NORM for rate in (usual, config.times * usual)),
        *(("sigmoid", start, layers, "none", sigmoid_rate) for start in (TORCH, OLD)),
    ]
    runs = [
        trained(
            unit,
            start,
            depth,
            norm,
            config.width,
            config.images,
            Steps(config.epochs, config.batch, rate),
            config.seeds,
        )
        for unit, start, depth, norm, rate in dict.fromkeys(settings)  # each once
    ]
    return {"spread": pd.DataFrame(spreads), "runs": pd.concat(runs, ignore_index=True)}


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    """Means over seeds: a panel for each depth, and one for the norms at the higher rate."""
    titles = [f"{depth} hidden layer{'s' * (depth > 1)}" for depth in config.depths]
    titles.append(f"{max(config.depths)} layers, {config.times:g} × the rate")
    figure, axes = panels(titles, (8.4, 3.2), sharey=True)
    for axis, depth in zip(axes, config.depths, strict=False):
        some = where(rows["runs"], unit="tanh", depth=depth, norm="none", rate=config.rate)
        lines(axis, some, "start", {OLD: ("large", ":"), NEW: ("ours", "-"), GLOROT: ("exact", "--")})
    looks = {"none": ("last", "-"), "batch": ("laws", "-"), "layer": ("new", "--")}
    lines(axes[-1], where(rows["runs"], rate=config.times * config.rate), "norm", looks)
    around(figure, "epoch", "accuracy on test images")
    legend(figure, axes)
    return {"starts": figure}


def lines(axis: Axes, some: pd.DataFrame, column: str, looks: dict[str, tuple[str, str]]) -> None:
    for value, (colour, dashes) in looks.items():
        means = where(some, **{column: value}).groupby("epoch")["test_accuracy"].mean()
        label = f"{value} norm".replace("none", "no") if column == "norm" else value
        axis.plot(means, dashes, color=style.colour(colour), label=label)


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    cells, setting = [], ["unit", "start", "depth", "norm", "rate"]
    for (unit, start, depth, norm, rate), some in rows["runs"].groupby(setting, sort=False):
        cell = {"start": start, "hidden layers": f"{depth} {unit}", "norm": norm, "rate": f"{rate:g}"}
        for epoch in dict.fromkeys((config.early, config.late, config.epochs)):
            found = Interval.of_mean(100 * where(some, epoch=epoch)["test_accuracy"])
            cell[f"% right, epoch {epoch}"] = in_cell(found, ".1f", "–")
        cells.append(cell)
    return {"starts": pd.DataFrame(cells)}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    spreads = {start: Interval.of_mean(where(rows["spread"], start=start)["sd"]) for start in (OLD, NEW)}
    first = where(
        rows["runs"], unit="tanh", depth=max(config.depths), norm="none", rate=config.rate, epoch=config.early
    )
    last = where(rows["runs"], unit="tanh", rate=config.times * config.rate, epoch=config.late)
    return [
        Claim("spread_old",
              "With weights from N(0, 1), does a neuron's input from 500 ones spread as widely as the book prints?",
              spreads[OLD], Between(22.2, 22.6), printed=22.4),
        Claim("spread_new",
              "With weights from N(0, 1/1000), does a neuron's input from 500 ones spread as widely as the book prints?",
              spreads[NEW], Between(1.20, 1.24), printed=1.22),
        Claim("small_weights_learn_sooner",
              "With five hidden layers, is accuracy after three epochs higher from N(0, 1/inputs) than from N(0, 1)?",
              Interval.of_mean(minus(first, "start", NEW, OLD, "test_accuracy", "seed")), Above(0), "%"),
        Claim("batch_norm_bears_ten_times_the_rate",
              "At ten times the usual rate, is a network of five hidden layers more accurate with batch norm than without?",
              Interval.of_mean(minus(last, "norm", "batch", "none", "test_accuracy", "seed")), Above(0), "%"),
    ]  # fmt: skip
