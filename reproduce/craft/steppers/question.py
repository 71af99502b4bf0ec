"""Which optimiser is fastest, on a bowl and on a network, and how should weights start?

On a quadratic bowl, methods that know its curvature need few steps; how many do the others need? On a network the gradient is
noisy, and curvature would cost too much. We count steps and not their price: Newton's solves a linear system, and a line
search evaluates the cost more than once. Rates are tuned by theory, or on seeds that are not reported.

A neuron whose input is too large is saturated, and learns slowly: how fast do networks of three depths learn from weights of
three sizes, and how does the deepest train at a high rate with norms? Two networks of sigmoids, from small and from large
weights, are trained for their curves, which craft_forecasts forecasts. Batch norm scales each neuron over the images of a
batch, and on test images with averages that it kept in training; layer norm each image over the neurons of a layer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.ground.errors import UserError
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, there, where
from presswork.estimates import leads, sides
from reproduce.craft._runs import Steps, digits, layers, train
from reproduce.craft.steppers import bowl
from reproduce.craft.steppers.bowl import BFGS, CG, DESCENT, MOMENTUM, NESTEROV, NEWTON, OPTIMISERS
from reproduce.pictures.panels import legend, mean_lines, panels

USUAL = "Adam, usual rate"
LOOKS = {
    DESCENT: ("last", "-"), MOMENTUM: ("ours", "-"), NESTEROV: ("ours", "--"), "RMSprop": ("laws", "-."),
    "Adam": ("shipped", "-"), "AdamW": ("shipped", ":"), NEWTON: ("oracle", "o-"), CG: ("new", "-"), BFGS: ("exact", "--"),
}  # fmt: skip
START: dict[str, Callable[[Tensor], Tensor]] = {  # of weights (neurons, inputs)
    "N(0, 1)": nn.init.normal_,
    "N(0, 1/inputs)": lambda weight: nn.init.normal_(weight, std=weight.shape[1] ** -0.5),
    "Glorot": nn.init.xavier_normal_,  # variance 2 / (inputs + neurons)
    "torch": lambda weight: weight,  # as torch has drawn them: variance 1 / (3 inputs)
}
OLD, NEW, GLOROT, TORCH = START
STARTS = {OLD: ("large", ":"), NEW: ("ours", "-"), GLOROT: ("exact", "--")}  # that are drawn
NORMS = {"none": ("last", "-"), "batch": ("laws", "-"), "layer": ("new", "--")}
Norm = Callable[[int], nn.Module] | None
NORM: dict[str, Norm] = {"none": None, "batch": nn.BatchNorm1d, "layer": nn.LayerNorm}
UNIT: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


@dataclass(frozen=True)
class Starts:
    seeds: int = 5
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


@dataclass(frozen=True)
class Config:
    dimensions: int = 20
    condition: float = 100.0
    bowls: int = 5
    steps: int = 1_000  # at most
    goal: float = 2.2e-16  # share of the first cost: the rounding error of double precision
    bowl_rates: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # for RMSprop, Adam and AdamW
    chosen_on: int = 100  # the seed of the bowl on which rates are chosen, and which is not reported
    hidden: int = 30
    images: int = 1_000
    batch: int = 10
    epochs: int = 60
    seeds: int = 8
    network_rates: tuple[float, ...] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
    tuned_on: tuple[int, ...] = (100, 101, 102)  # seeds of the network, which are not reported
    tuned_for: int = 20  # epochs, after which the methods are compared as well
    usual: float = 3e-4  # a rate for Adam that many take untuned
    starts: Starts = Starts()


SCALES = {
    "smoke": Config(
        4, 10.0, 2, 60, 1e-8, (0.1, 0.3), 100, 6, 40, 10, 2, 2, (0.01, 0.1), (100,), 1, 0.001,
        Starts(2, (1, 5), 30, 40, 10, 2, 1, 0.1, 10.0, 2, (3, 0.5)),
    ),
    "laptop": Config(bowls=2, epochs=2, seeds=2, tuned_on=(100,), tuned_for=2, starts=Starts(3, epochs=4, late=4)),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    "bowl": ("method", "step", "cost"),  # shares of the first cost, on the first bowl
    "needed": ("method", "seed", "rate", "steps"),  # missing where the goal was not reached
    "network": ("method", "seed", "rate", "epoch", "cost", "test_accuracy", "test_cost"),
    "runs": ("unit", "start", "depth", "norm", "rate", "seed", "epoch", "test_accuracy", "test_cost"),
}
TOLERANCES = dict.fromkeys(
    ("runs.test_accuracy", "runs.test_cost"),
    (0.05, "at ten times the rate, rounding changes the answers to a few images"),
)


def parts(config: Config) -> dict[str, dict[str, str]]:
    return {"bowl": {}, **{name.replace(" ", "-"): {"name": name} for name in OPTIMISERS}, "starts": {}}


def measure(config: Config, part: str, name: str | None) -> Rows:
    if name:
        return {"network": networks(config, name)}
    return races(config) if part == "bowl" else {"runs": started(config.starts)}


def races(config: Config) -> Rows:
    """The course of all races on the first bowl, and the steps that each race took."""
    seeds, rates = (config.chosen_on, *range(config.bowls)), config.bowl_rates
    chosen_on, *bowls = (bowl.bowl(config.dimensions, config.condition, seed) for seed in seeds)
    make = bowl.tuned(config.condition) | bowl.adaptive(rates, chosen_on, config.steps, config.goal)
    curves, needed = [], []
    for seed, on in enumerate(bowls):
        raced = {name: bowl.by_gradients(on, *how, config.steps, config.goal) for name, how in make.items()}
        raced |= {name: bowl.with_curvature(on, name, config.goal) for name in bowl.WITH_CURVATURE}
        for name, race in raced.items():
            steps = len(race) - 1 if race[-1] <= config.goal else None
            rate = make[name][1] if name in make else None
            needed.append({"method": name, "seed": seed, "rate": rate, "steps": steps})
            if seed == 0:
                curves.append(pd.DataFrame({"method": name, "step": range(len(race)), "cost": race}))
    return {"bowl": pd.concat(curves, ignore_index=True), "needed": pd.DataFrame(needed)}


def networks(config: Config, name: str) -> pd.DataFrame:
    """With the best rate on seeds that are not reported; Adam also with the usual one."""
    tried = {
        rate: last_cost([trained(config, name, rate, seed, config.tuned_for) for seed in config.tuned_on])
        for rate in config.network_rates
    }
    rates = {name: bowl.best(tried)} | ({USUAL: config.usual} if name == "Adam" else {})
    runs = [
        trained(config, name, rate, seed, config.epochs).assign(method=method, seed=seed, rate=rate)
        for method, rate in rates.items() for seed in range(config.seeds)
    ]  # fmt: skip
    return pd.concat(runs, ignore_index=True)


def trained(config: Config, name: str, rate: float, seed: int, epochs: int) -> pd.DataFrame:
    """Training and test cost, and test accuracy, by epoch."""
    torch.manual_seed(seed)
    net, steps = layers(config.hidden, activation=nn.Tanh), Steps(epochs, config.batch, rate)
    optimiser = OPTIMISERS[name](net.parameters(), lr=rate)
    run = train(net, digits(seed, config.images), steps, seed, optimiser=optimiser)
    return run[["epoch", "test_accuracy", "test_cost"]].assign(cost=run["train_cost"])


def last_cost(runs: list[pd.DataFrame]) -> tuple[float]:
    """Their mean. A run that diverged has none, and makes its rate worse than all others."""
    return (sum(float(run["cost"].fillna(math.inf).iloc[-1]) for run in runs) / len(runs),)


def started(config: Starts) -> pd.DataFrame:
    """Networks from several first weights, without and with norms."""
    usual, deepest, (sigmoid_layers, sigmoid_rate) = config.rate, max(config.depths), config.sigmoids
    settings = [
        *(("tanh", start, depth, "none", usual) for start in (OLD, NEW, GLOROT) for depth in config.depths),
        *(("tanh", GLOROT, deepest, norm, rate) for norm in NORM for rate in (usual, config.times * usual)),
        *(("sigmoid", start, sigmoid_layers, "none", sigmoid_rate) for start in (TORCH, OLD)),
    ]
    return pd.concat([run(config, *one) for one in dict.fromkeys(settings)], ignore_index=True)  # each once


def run(config: Starts, unit: str, start: str, depth: int, norm: str, rate: float) -> pd.DataFrame:
    """Accuracy and cost on test images, a row for each seed and epoch."""
    check(norm, config.images, config.batch)
    runs = []
    for seed in range(config.seeds):
        torch.manual_seed(seed)
        net = layers(*[config.width] * depth, activation=UNIT[unit], between=NORM[norm])
        for layer in (one for one in net if isinstance(one, nn.Linear)):
            START[start](layer.weight)
            nn.init.zeros_(layer.bias)  # so that only weights differ between the starts
        history = train(net, digits(seed, config.images), Steps(config.epochs, config.batch, rate), seed)
        runs.append(history[["epoch", "test_accuracy", "test_cost"]].assign(seed=seed))
    return pd.concat(runs).assign(unit=unit, start=start, depth=depth, norm=norm, rate=rate)


def check(norm: str, images: int, batch: int) -> None:
    """Within a batch of one, each value is its own mean, and batch norm would leave nothing but zeros."""
    if norm == "batch" and 1 in (batch, images, images % batch):
        raise UserError(
            "batch normalisation compares an image with others of its batch, and a batch here has one image: "
            "choose another batch size, or layer normalisation"
        )


def estimates(rows: Rows, config: Config) -> Estimates:
    """By the names of the claims, over bowls or seeds."""
    steps = sides(rows["needed"], "method", DESCENT, MOMENTUM, "steps", "seed")
    needed = rows["needed"].fillna({"steps": config.steps + 1}).set_index("seed")
    last, later = (
        leads(where(rows["network"], epoch=epoch), "method", "Adam", "cost", "seed").get(DESCENT)
        for epoch in (config.tuned_for, config.epochs)
    )
    starts, tanh = config.starts, where(rows["runs"], unit="tanh")
    early = where(tanh, depth=max(starts.depths), norm="none", rate=starts.rate, epoch=starts.early)
    late = where(tanh, rate=starts.times * starts.rate, epoch=starts.late)
    return there({
        "momentum_is_faster": Interval.of_mean(steps[DESCENT] / steps[MOMENTUM]),
        "conjugate_gradients_end": Interval.of_mean(where(needed, method=CG)["steps"]),
        "adam_ends_lower": last, "adam_is_lower_later": later if config.epochs > config.tuned_for else None,
        "small_weights_learn_sooner": leads(early, "start", OLD, "test_accuracy", "seed").get(NEW),
        "batch_norm_bears_ten_times_the_rate": leads(late, "norm", "none", "test_accuracy", "seed").get("batch"),
    })  # fmt: skip


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return {"steppers": draw_races(rows, config), "starts": draw_starts(rows["runs"], config.starts)}


def draw_races(rows: Rows, config: Config) -> Figure:
    """Axes of races are logarithmic, so that one step and a thousand fit; costs below the goal are drawn at it."""
    titles = [f"bowl, condition number {config.condition:g}", "network on digits"]
    figure, (race, training) = panels(titles, (8.4, 4.2))
    races = rows["bowl"].assign(cost=rows["bowl"]["cost"].clip(lower=config.goal))
    mean_lines(race, races, "step", "cost", "method", LOOKS)
    mean_lines(training, rows["network"], "epoch", "cost", "method", LOOKS)
    race.set_xscale("symlog", linthresh=1)  # logarithmic from the first step, with a place for the start
    race.set(yscale="log", xlabel="step", ylabel="cost ÷ cost at the start")
    training.set(yscale="log", xlabel="epoch", ylabel="training cost (nats)")
    legend(figure, [race], 5)
    return figure


def draw_starts(runs: pd.DataFrame, config: Starts) -> Figure:
    """Means over seeds: a panel for each depth, and one for the norms at the higher rate."""
    titles = [f"{depth} hidden layer{'s' * (depth > 1)}" for depth in config.depths]
    titles.append(f"{max(config.depths)} layers, {config.times:g} × the rate")
    figure, axes = panels(titles, (8.4, 3.2), across="epoch", up="accuracy on test images", sharey=True)
    for axis, depth in zip(axes, config.depths, strict=False):
        some = where(runs, unit="tanh", depth=depth, norm="none", rate=config.rate)
        mean_lines(axis, some, "epoch", "test_accuracy", "start", STARTS)
    faster = where(runs, rate=config.times * config.rate)
    called = {norm: f"{norm} norm".replace("none", "no") for norm in NORMS}
    mean_lines(axes[-1], faster, "epoch", "test_accuracy", "norm", NORMS, label=called.get)
    legend(figure, axes)
    return figure


def claims(config: Config) -> list[Claim]:
    stated = (
        ("momentum_is_faster", "On an elongated bowl, does gradient descent need more steps than momentum, both tuned?",
         Above(1), "×"),
        ("conjugate_gradients_end",
         "In double precision, do conjugate gradients reach the bottom in no more steps than the bowl has dimensions?",
         AtMost(config.dimensions), ""),
        ("adam_ends_lower", "On the network, does gradient descent end with a higher training cost than Adam?",
         Above(0), "nats"),
        ("adam_is_lower_later", "Past the epochs that rates were tuned for, is gradient descent’s cost above Adam’s?",
         Above(0), "nats"),
        ("small_weights_learn_sooner",
         "With five hidden layers, is accuracy after three epochs higher from N(0, 1/inputs) than from N(0, 1)?",
         Above(0), "%"),
        ("batch_norm_bears_ten_times_the_rate",
         "At ten times the usual rate, is a network of five hidden layers more accurate with batch norm than without?",
         Above(0), "%"),
    )  # fmt: skip
    return [Claim(name, asks, name, needs, unit) for name, asks, needs, unit in stated]
