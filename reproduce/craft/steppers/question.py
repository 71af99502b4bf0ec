"""Which optimiser is fastest, on a bowl and on a network?

On a quadratic bowl, methods that know its curvature need few steps; how many do the others need? On a network the gradient is
noisy, and curvature would cost too much. We count steps and not their price: Newton's solves a linear system, and a line
search evaluates the cost more than once. Rates are tuned by theory, or on seeds that are not reported.
"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import minus, sides, where
from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps
from reproduce.craft.steppers.bowl import CG, NEWTON, adaptive, all_races, bowl, tuned
from reproduce.craft.steppers.figure import races_and_runs
from reproduce.craft.steppers.methods import DESCENT, MOMENTUM, OPTIMISERS, best, last_cost, trained

TABLES = {
    "bowl": ("method", "step", "cost"),  # shares of the first cost, on the first bowl
    "needed": ("method", "seed", "rate", "steps"),  # missing where the goal was not reached
    "network": ("method", "seed", "rate", "epoch", "cost", "test_accuracy", "test_cost"),
}
USUAL = "Adam, usual rate"
PARTS = {name.replace(" ", "-"): name for name in OPTIMISERS}


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


def parts(config: Config) -> list[str]:
    return ["bowl", *PARTS]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
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
    def run(rate: float, seed: int, epochs: int) -> pd.DataFrame:
        steps = Steps(epochs, config.batch, rate)
        return trained(OPTIMISERS[name], config.hidden, digits(seed, config.images), steps, seed)

    rates = {
        name: best({
            rate: last_cost([run(rate, seed, config.tuned_for) for seed in config.tuned_on])
            for rate in config.network_rates
        })
    } | ({USUAL: config.usual} if name == "Adam" else {})  # fmt: skip
    runs = [
        run(rate, seed, config.epochs).assign(method=method, seed=seed, rate=rate)
        for method, rate in rates.items() for seed in range(config.seeds)
    ]  # fmt: skip
    return pd.concat(runs, ignore_index=True)


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    return {"steppers": races_and_runs(rows["bowl"], rows["network"], config.condition, config.goal)}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    lines, raced = [], rows["needed"].groupby("method", sort=False)["steps"].agg(list)
    for name in dict.fromkeys((*raced.index, *rows["network"]["method"])):
        steps = pd.Series(raced.get(name, []), dtype=float)
        reached = f"{steps.mean():.0f}" if steps.notna().all() else f"over {config.steps:,}"
        ends, later = (
            where(rows["network"], method=name, epoch=e) for e in (config.tuned_for, config.epochs)
        )
        lines.append({
            "method": name, "steps on the bowl": reached if len(steps) else "–",
            "rate": f"{ends['rate'].iloc[0]:g}" if len(ends) else "–",
            "cost on the network": in_cell(Interval.of_mean(ends["cost"]), ".4f", "–"),
            "at the end": in_cell(Interval.of_mean(later["cost"]), ".5f", "–"),
        })  # fmt: skip
    return {"steppers": pd.DataFrame(lines)}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    steps = sides(rows["needed"], "method", DESCENT, MOMENTUM, "steps", "seed")
    most = rows["needed"].fillna({"steps": config.steps + 1}).groupby("method")["steps"].max()
    last, later = (where(rows["network"], epoch=epoch) for epoch in (config.tuned_for, config.epochs))
    ahead = Interval.of_mean(minus(later, "method", DESCENT, "Adam", "cost", "seed"))
    return [
        Claim("momentum_is_faster", "On an elongated bowl, does gradient descent need more steps than momentum, both tuned?",
              Interval.of_mean(steps[DESCENT] / steps[MOMENTUM]), Above(1), "×"),
        Claim("conjugate_gradients_end",
              "In double precision, do conjugate gradients reach the bottom in no more steps than the bowl has dimensions?",
              Interval.exactly(most.get(CG)), AtMost(config.dimensions)),
        Claim("newton_ends_at_once", "Does a single step of Newton’s method reach the bottom of a quadratic bowl?",
              Interval.exactly(most.get(NEWTON)), AtMost(1)),
        Claim("adam_ends_lower", "On the network, does gradient descent end with a higher training cost than Adam?",
              Interval.of_mean(minus(last, "method", DESCENT, "Adam", "cost", "seed")), Above(0), "nats"),
        Claim("adam_is_lower_later", "Past the epochs that rates were tuned for, is gradient descent’s cost above Adam’s?",
              ahead if config.epochs > config.tuned_for else None, Above(0), "nats"),
    ]  # fmt: skip
