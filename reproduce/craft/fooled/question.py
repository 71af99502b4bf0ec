"""How far can small changes of the inputs move an answer?

The fast gradient sign method moves all inputs by the same small size, each in the direction that hurts: pixels towards a
higher cost of the right digit, observed points towards a higher forecast of the last epoch. Several shorter steps, which stay
within the size, move a forecast further. None is the worst change of its size, so that what is found is a lower bound. Beside
them: random signs of the same size, and all points up.
"""

from dataclasses import dataclass

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval, means_again
from reproduce._press.where import minus, where
from reproduce.craft._digits import digits
from reproduce.craft._runs import Steps, layers, train
from reproduce.craft.fooled import figure_and_table
from reproduce.craft.fooled.changes import GRADIENT, RANDOM, STEPS, on_digits, on_forecasts
from reproduce.craft.fooled.figure_and_table import by_curve, inside

TABLES = {
    "digits": ("change", "size", "seed", "accuracy"),
    # room: to the upper end of the 90 % interval
    "forecasts": ("change", "size", "cutoff", "curve", "moved", "room"),
}
TOLERANCES = {"digits.accuracy": (0.02, "on another processor, a few images may fall to another digit")}


@dataclass(frozen=True)
class Config:
    pixels: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2)  # sizes; pixels lie between 0 and 1
    pixel: float = 0.1  # the size that claims are about
    seeds: int = 5  # networks and their images
    hidden: int = 100
    steps: Steps = Steps(epochs=30)
    points: tuple[float, ...] = (0.002, 0.005, 0.01, 0.02, 0.05)  # the noise of the median curve is 0.02
    point: float = 0.01
    model: str = "paper-prior"
    curves: int = 200  # of its prior's test set
    cutoffs: tuple[int, ...] = (10, 20, 40)
    along: int = 15  # steps along the gradient


SCALES = {
    "smoke": Config((0.1,), 0.1, 2, 10, Steps(epochs=2), (0.01,), 0.01, "paper-prior", 4, (10, 20), 3),
    "laptop": Config(seeds=2, steps=Steps(epochs=10), points=(0.01,), curves=50),
    "paper": Config(),
}


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    network = torch_network.load(shipped.path_of(config.model)).model
    y = prior.test_set(config.curves).noisy
    moved = [
        on_forecasts(network, y[:, :cutoff], config.points, config.along).assign(cutoff=cutoff)
        for cutoff in config.cutoffs
    ]
    fooled = [digits_of_a_seed(config, seed).assign(seed=seed) for seed in range(config.seeds)]
    return {"digits": pd.concat(fooled).round(6), "forecasts": pd.concat(moved).round(6)}


def digits_of_a_seed(config: Config, seed: int) -> pd.DataFrame:
    split = digits(seed)
    torch.manual_seed(seed)
    net = layers(config.hidden)
    train(net, split, config.steps, seed)
    return on_digits(net, split, config.pixels, seed)


draw, tabulate = figure_and_table.draw, figure_and_table.tabulate


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    """About digits over seeds; about the one network that forecasts over curves."""
    forecast = by_curve(rows, config.point)
    along, random = means_again(forecast[[STEPS, RANDOM]].to_numpy()).T  # single random moves may be nothing
    lost = minus(where(rows["digits"], size=config.pixel), "change", RANDOM, GRADIENT, "accuracy", by="seed")
    return [
        Claim("digits_fooled", "Do signs of the gradient lower the accuracy on digits more than random signs do?",
              Interval.of_mean(lost), Above(0), "%"),
        Claim("forecast_moves_further", "Can small moves of the points move this network’s forecast further than the points?",
              Interval.of_many(forecast[STEPS]), Above(1), "×"),
        Claim("further_than_by_chance", "Do steps along the gradient move this forecast further than random signs do?",
              Interval.of_resamples(along / random), Above(1), "×"),
        Claim("stays_inside", "Do nearly all medians stay in this network’s 90 % interval when points move so little?",
              inside(rows, config.point), AtLeast(0.9), "%"),
    ]  # fmt: skip
