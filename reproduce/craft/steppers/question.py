"""Which optimiser is fastest, on a bowl and on a network?

On a quadratic bowl, methods that know its curvature need few steps; how many do the others need? On a network the gradient is
noisy, and curvature would cost too much. We count steps and not their price: Newton's solves a linear system, and a line
search evaluates the cost more than once. Rates are tuned by theory, or on a seed that is not reported.
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
    "network": ("method", "seed", "rate", "epoch", "cost"),
}


@dataclass(frozen=True)
class Config:
    dimensions: int = 20
    condition: float = 100.0
    bowls: int = 5
    steps: int = 1_000  # at most
    goal: float = 2.2e-16  # share of the first cost: the rounding error of double precision
    bowl_rates: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # for RMSprop, Adam and AdamW
    chosen_on: int = 100  # the seed on which rates are chosen, and which is not reported
    hidden: int = 30
    images: int = 1_000
    batch: int = 10
    epochs: int = 20
    seeds: int = 5
    network_rates: tuple[float, ...] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


SCALES = {
    "smoke": Config(4, 10.0, 2, 60, 1e-8, (0.1, 0.3), 100, 6, 40, 10, 2, 2, (0.01, 0.1)),
    "laptop": Config(bowls=2, epochs=2, seeds=2),
    "paper": Config(),
}


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    curve, needed = races(config)
    return {"bowl": curve, "needed": needed, "network": networks(config)}


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


def networks(config: Config) -> pd.DataFrame:
    def run(name: str, rate: float, seed: int) -> pd.DataFrame:
        steps = Steps(config.epochs, config.batch, rate)
        return trained(OPTIMISERS[name], config.hidden, digits(seed, config.images), steps, seed)

    runs = []
    for name in OPTIMISERS:
        rate = best({rate: last_cost(run(name, rate, config.chosen_on)) for rate in config.network_rates})
        for seed in range(config.seeds):
            runs.append(run(name, rate, seed).assign(method=name, seed=seed, rate=rate))
    return pd.concat(runs, ignore_index=True)


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    return {"steppers": races_and_runs(rows["bowl"], rows["network"], config.condition, config.goal)}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    lines = []
    for name, some in rows["needed"].groupby("method", sort=False):
        reached = f"{some['steps'].mean():.0f}" if some["steps"].notna().all() else f"over {config.steps:,}"
        ends = where(rows["network"], method=name, epoch=config.epochs)
        cost = in_cell(Interval.of_mean(ends["cost"]), ".4f", "–")
        rate = f"{ends['rate'].iloc[0]:g}" if len(ends) else "–"
        lines.append(
            {"method": name, "steps on the bowl": reached, "rate": rate, "cost on the network": cost}
        )
    return {"steppers": pd.DataFrame(lines)}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    steps = sides(rows["needed"], "method", DESCENT, MOMENTUM, "steps", "seed")
    most = rows["needed"].fillna({"steps": config.steps + 1}).groupby("method")["steps"].max()
    last = where(rows["network"], epoch=config.epochs)
    return [
        Claim("momentum_is_faster", "On an elongated bowl, does gradient descent need more steps than momentum, both tuned?",
              Interval.of_mean(steps[DESCENT] / steps[MOMENTUM]), Above(1), "×"),
        Claim("conjugate_gradients_end",
              "In double precision, do conjugate gradients reach the bottom in no more steps than the bowl has dimensions?",
              Interval.exactly(float(most[CG])), AtMost(config.dimensions)),
        Claim("newton_ends_at_once", "Does a single step of Newton’s method reach the bottom of a quadratic bowl?",
              Interval.exactly(float(most[NEWTON])), AtMost(1)),
        Claim("adam_ends_lower", "On the network, does gradient descent end with a higher training cost than Adam?",
              Interval.of_mean(minus(last, "method", DESCENT, "Adam", "cost", "seed")), Above(0), "nats"),
    ]  # fmt: skip
