"""Which optimiser is fastest, on a bowl and on a network?

On a quadratic bowl, methods that know its curvature need few steps; how many do the others need? On a network the gradient is
noisy, and curvature would cost too much. We count steps and not their price: Newton's solves a linear system, and a line
search evaluates the cost more than once. Rates are tuned by theory, or on seeds that are not reported.

The bowl is (x - low)' A (x - low) / 2, and a race starts from x = 0 and ends when the cost has fallen to a given share. A is
turned at random, so that no axis is a direction of A, and its eigenvalues lie from 1 to the condition number at equal ratios.
The lowest point is not 0, to which AdamW's decay pulls. A race is a list: the share of cost left after each step.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.sparse.linalg import cg
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer, RMSprop

from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.estimates import by_mean, cells, leads
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, sides, where
from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps, layers, train
from reproduce.pictures.panels import legend, panels

Make = Callable[..., Optimizer]  # of parameters and lr
DESCENT, MOMENTUM, NESTEROV = "gradient descent", "momentum", "Nesterov"
OPTIMISERS: dict[str, Make] = {
    DESCENT: SGD,
    MOMENTUM: partial(SGD, momentum=0.9),
    NESTEROV: partial(SGD, momentum=0.9, nesterov=True),
    "RMSprop": RMSprop,
    "Adam": Adam,
    "AdamW": AdamW,
}
USUAL = "Adam, usual rate"
PARTS = {name.replace(" ", "-"): name for name in OPTIMISERS}
NEWTON, CG, SEARCHED_CG, BFGS = "Newton", "conjugate gradients", "the same with line searches", "BFGS"
WITH_CURVATURE = (NEWTON, CG, SEARCHED_CG, BFGS)
LOOKS = {
    DESCENT: ("last", "-"), MOMENTUM: ("ours", "-"), NESTEROV: ("ours", "--"), "RMSprop": ("laws", "-."),
    "Adam": ("shipped", "-"), "AdamW": ("shipped", ":"), NEWTON: ("oracle", "o-"), CG: ("new", "-"), BFGS: ("exact", "--"),
}  # fmt: skip


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


SCALES = {
    "smoke": Config(4, 10.0, 2, 60, 1e-8, (0.1, 0.3), 100, 6, 40, 10, 2, 2, (0.01, 0.1), (100,), 1, 0.001),
    "laptop": Config(bowls=2, epochs=2, seeds=2, tuned_on=(100,), tuned_for=2),
    "paper": Config(),
}
TABLES = {
    "bowl": ("method", "step", "cost"),  # shares of the first cost, on the first bowl
    "needed": ("method", "seed", "rate", "steps"),  # missing where the goal was not reached
    "network": ("method", "seed", "rate", "epoch", "cost", "test_accuracy", "test_cost"),
}


def parts(config: Config) -> list[str]:
    return ["bowl", *PARTS]


def measure(config: Config, part: str) -> Rows:
    if part == "bowl":
        return dict(zip(("bowl", "needed"), races(config), strict=True))
    return {"network": networks(config, PARTS[part])}


def races(config: Config) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The course of all races on the first bowl, and the steps that each race took."""
    chosen_on, *bowls = (
        bowl(config.dimensions, config.condition, seed) for seed in (config.chosen_on, *range(config.bowls))
    )
    make = tuned(config.condition) | adaptive(config.bowl_rates, chosen_on, config.steps, config.goal)
    curves, needed = [], []
    for seed, on in enumerate(bowls):
        for name, race in all_races(on, make, config.steps, config.goal).items():
            steps = len(race) - 1 if race[-1] <= config.goal else None
            rate = make[name][1] if name in make else None
            needed.append({"method": name, "seed": seed, "rate": rate, "steps": steps})
            if seed == 0:
                curves.append(pd.DataFrame({"method": name, "step": range(len(race)), "cost": race}))
    return pd.concat(curves, ignore_index=True), pd.DataFrame(needed)


def networks(config: Config, name: str) -> pd.DataFrame:
    """With the best rate on seeds that are not reported; Adam also with the usual one."""
    tried = {
        rate: last_cost([trained(config, name, rate, seed, config.tuned_for) for seed in config.tuned_on])
        for rate in config.network_rates
    }
    rates = {name: best(tried)} | ({USUAL: config.usual} if name == "Adam" else {})
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


def best(losses: Mapping[float, tuple[float, ...]]) -> float:
    """The rate of the least losses, of which the first counts and the next decides between equals."""
    return min(losses, key=losses.__getitem__)


def last_cost(runs: list[pd.DataFrame]) -> tuple[float]:
    """Their mean. A run that diverged has none, and makes its rate worse than all others."""
    return (sum(float(run["cost"].fillna(math.inf).iloc[-1]) for run in runs) / len(runs),)


# ----------------------------------------------------------------------------------------- races on the bowl


@dataclass(frozen=True)
class Bowl:
    a: Tensor  # (d, d)
    low: Tensor  # (d,)

    def cost(self, x: Tensor) -> Tensor:
        return (x - self.low) @ self.a @ (x - self.low) / 2


def bowl(dimensions: int, condition: float, seed: int) -> Bowl:
    chance = torch.Generator().manual_seed(seed)
    turn = torch.linalg.qr(torch.randn(dimensions, dimensions, generator=chance).double()).Q
    steepness = torch.logspace(0, math.log10(condition), dimensions).double()
    return Bowl(turn * steepness @ turn.T, torch.randn(dimensions, generator=chance).double())


def tuned(condition: float) -> dict[str, tuple[Make, float]]:
    """With the rates and momenta that theory finds best, for eigenvalues from 1 to the condition number."""
    root = math.sqrt(condition)
    less = (root - 1) / (root + 1)
    return {
        DESCENT: (SGD, 2 / (1 + condition)),
        MOMENTUM: (partial(SGD, momentum=less**2), 4 / (root + 1) ** 2),
        NESTEROV: (partial(SGD, momentum=less, nesterov=True), 1 / condition),
    }


def adaptive(rates: tuple[float, ...], on: Bowl, steps: int, goal: float) -> dict[str, tuple[Make, float]]:
    """With the rate of the shortest race on this bowl; of races that end too early, that which ends lowest."""
    chosen = {}
    for name in ("RMSprop", "Adam", "AdamW"):
        raced = {rate: by_gradients(on, OPTIMISERS[name], rate, steps, goal) for rate in rates}
        chosen[name] = OPTIMISERS[name], best({rate: (len(race), race[-1]) for rate, race in raced.items()})
    return chosen


def all_races(
    on: Bowl, make: dict[str, tuple[Make, float]], steps: int, goal: float
) -> dict[str, list[float]]:
    races = {name: by_gradients(on, *make[name], steps, goal) for name in make}
    return races | {name: with_curvature(on, name, goal) for name in WITH_CURVATURE}


def by_gradients(on: Bowl, make: Make, rate: float, steps: int, goal: float) -> list[float]:
    x = torch.nn.Parameter(torch.zeros_like(on.low))
    optimiser, race = make([x], lr=rate), list[float]()
    first = float(on.cost(x.detach()))
    while True:
        cost = on.cost(x)
        race.append(cost.item() / first)
        if race[-1] <= goal or len(race) > steps:
            return race
        optimiser.zero_grad()
        cost.backward()
        optimiser.step()


def with_curvature(on: Bowl, name: str, goal: float) -> list[float]:
    """Newton's method solves for its step; the others are scipy's."""
    start, race = np.zeros(len(on.low)), [1.0]

    def cost(x: np.ndarray) -> float:
        return float(on.cost(torch.from_numpy(x)))

    def slope(x: np.ndarray) -> np.ndarray:
        return (on.a @ (torch.from_numpy(x) - on.low)).numpy()

    def record(x: np.ndarray) -> None:
        if race[-1] > goal:
            race.append(cost(x) / cost(start))

    if name == NEWTON:
        record(start - np.linalg.solve(on.a.numpy(), slope(start)))
    elif name == CG:
        cg(on.a.numpy(), -slope(start), rtol=0, atol=1e-14, callback=record)
    else:
        method = "BFGS" if name == BFGS else "CG"
        minimize(cost, start, jac=slope, method=method, callback=record, options={"gtol": 1e-12})
    return race


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """Axes of races are logarithmic, so that one step and a thousand fit; costs below the goal are drawn at it."""
    titles = [f"bowl, condition number {config.condition:g}", "network on digits"]
    figure, (race, training) = panels(titles, (8.4, 4.2))
    for name, (colour, dashes) in LOOKS.items():
        one = where(rows["bowl"], method=name)
        mean = where(rows["network"], method=name).groupby("epoch")["cost"].mean()
        race.plot(
            one["step"], one["cost"].clip(lower=config.goal), dashes, color=style.colour(colour), label=name
        )
        training.plot(mean, dashes, color=style.colour(colour))
    race.set_xscale("symlog", linthresh=1)  # logarithmic from the first step, with a place for the start
    race.set(yscale="log", xlabel="step", ylabel="cost ÷ cost at the start")
    training.set(yscale="log", xlabel="epoch", ylabel="training cost (nats)")
    legend(figure, [race], 5)
    return {"steppers": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    raced = rows["needed"].groupby("method", sort=False)["steps"].agg(list)
    rates = rows["network"].groupby("method")["rate"].first()
    costs, lines = by_mean(rows["network"], ["method", "epoch"], "cost"), []
    for name in dict.fromkeys((*raced.index, *rows["network"]["method"])):
        steps = pd.Series(raced.get(name, []), dtype=float)
        reached = f"{steps.mean():.0f}" if steps.notna().all() else f"over {config.steps:,}"
        lines.append(
            {"method": name, "steps on the bowl": reached if len(steps) else "–",
             "rate": f"{rates[name]:g}" if name in rates else "–"}
            | cells(costs, name, {config.tuned_for: "cost on the network"}, ".4f")
            | cells(costs, name, {config.epochs: "at the end"}, ".5f")
        )  # fmt: skip
    return {"steppers": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    steps = sides(rows["needed"], "method", DESCENT, MOMENTUM, "steps", "seed")
    most = rows["needed"].fillna({"steps": config.steps + 1}).groupby("method")["steps"].max()
    last, later = (
        leads(where(rows["network"], epoch=epoch), "method", "Adam", "cost", "seed").get(DESCENT)
        for epoch in (config.tuned_for, config.epochs)
    )
    return [
        Claim("momentum_is_faster", "On an elongated bowl, does gradient descent need more steps than momentum, both tuned?",
              Interval.of_mean(steps[DESCENT] / steps[MOMENTUM]), Above(1), "×"),
        Claim("conjugate_gradients_end",
              "In double precision, do conjugate gradients reach the bottom in no more steps than the bowl has dimensions?",
              Interval.exactly(most.get(CG)), AtMost(config.dimensions)),
        Claim("newton_ends_at_once", "Does a single step of Newton’s method reach the bottom of a quadratic bowl?",
              Interval.exactly(most.get(NEWTON)), AtMost(1)),
        Claim("adam_ends_lower", "On the network, does gradient descent end with a higher training cost than Adam?",
              last, Above(0), "nats"),
        Claim("adam_is_lower_later", "Past the epochs that rates were tuned for, is gradient descent’s cost above Adam’s?",
              later if config.epochs > config.tuned_for else None, Above(0), "nats"),
    ]  # fmt: skip
