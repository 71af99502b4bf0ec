"""How far can small changes of the observed points move a forecast?

The fast gradient sign method moves all points by the same small size, each in the direction that raises the forecast of the
last epoch. Several shorter steps, which stay within the size, move it further. None is the worst change of its size, so that
what is found is a lower bound. Beside them: random signs of the same size, and all points up.

Shapes: n = curves, T = observed epochs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, style
from presswork.estimates import by_mean, those_of
from reproduce.pictures.panels import legend, panels, ticks

GRADIENT, RANDOM, UP = "signs of the gradient", "random signs", "all points up"
STEPS = "several steps along the gradient"
COLOURS = {STEPS: "shipped", GRADIENT: "paper", RANDOM: "ours", UP: "exact"}


@dataclass(frozen=True)
class Config:
    points: tuple[float, ...] = (0.002, 0.005, 0.01, 0.02, 0.05)  # the noise of the median curve is 0.02
    point: float = 0.01  # the size that claims are about
    model: str = "paper-prior"
    curves: int = 200  # of its prior's test set
    cutoffs: tuple[int, ...] = (10, 20, 40)
    along: int = 15  # steps along the gradient


SCALES = {
    "smoke": Config((0.01,), 0.01, "paper-prior", 4, (10, 20), 3),
    "laptop": Config(points=(0.01,), curves=50),
    "paper": Config(),
}
# room: to the upper end of the 90 % interval
TABLES = {"forecasts": ("change", "size", "cutoff", "curve", "moved", "room")}


def measure(config: Config) -> Rows:
    network = torch_network.load(shipped.path_of(config.model)).model
    y = prior.test_set(config.curves).noisy
    moved = [
        on_forecasts(network, y[:, :c], config.points, config.along).assign(cutoff=c) for c in config.cutoffs
    ]
    return {"forecasts": pd.concat(moved).round(6)}


def on_forecasts(network: Any, y: Tensor, sizes: tuple[float, ...], steps: int) -> pd.DataFrame:
    """How far the median at epoch 100 rises, and the room that it had in its 90 % interval.  y: (n, T)"""

    def score(y: Tensor) -> Tensor:
        return quantile(network, y)

    before = score(y).detach()
    room = quantile(network, y, 0.95).detach() - before
    signs = torch.randint(2, y.shape, generator=torch.Generator().manual_seed(0)) * 2.0 - 1
    ways = {GRADIENT: uphill(score, y), RANDOM: signs, UP: torch.ones_like(y)}
    frames = []
    for change in (*ways, STEPS):
        for size in sizes:
            there = by_steps(score, y, size, steps) if change == STEPS else y + size * ways[change]
            moved = score(there).detach() - before
            columns = {"curve": range(len(y)), "moved": moved.double(), "room": room.double()}
            frames.append(pd.DataFrame(columns).assign(change=change, size=size))
    return pd.concat(frames)


def quantile(network: Any, y: Tensor, level: float = 0.5) -> Tensor:
    """Of the forecast of epoch 100, with its gradient.  (n, T) -> (n,)"""
    x, last = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1), torch.full((len(y), 1), 100.0)
    return network.head.density(*network.read(x, y, last)).quantile(level)[:, 0]


def uphill(score: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """The sign of the gradient: to first order, no other change within the same size raises the score more."""
    leaf = inputs.clone().requires_grad_()
    return torch.autograd.grad(score(leaf).sum(), leaf)[0].sign()


def by_steps(score: Callable[[Tensor], Tensor], inputs: Tensor, size: float, steps: int) -> Tensor:
    """The highest score on a way of short steps along the signs, which stays within the size; then the inputs there."""
    at = best = inputs
    highest = score(at).detach()
    for _ in range(steps):
        at = (at + 2.5 * size / steps * uphill(score, at)).clamp(inputs - size, inputs + size)
        now = score(at).detach()
        best = torch.where((now > highest)[:, None], at, best)
        highest = torch.maximum(now, highest)
    return best


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: Rows) -> Estimates:
    """{("times" or "inside", size, change): mean over curves of the one network that forecasts}: over cutoffs, how many times
    as far as its points a forecast moves, and the share of medians that stay in the 90 % interval before the change."""
    told = rows["forecasts"]
    moved = told["moved"].where(told["change"] != RANDOM, told["moved"].abs())  # to either side
    told = told.assign(times=moved / told["size"], inside=told["moved"] <= told["room"])
    told = told.groupby(["size", "change", "curve"])[["times", "inside"]].mean().reset_index()
    means = {what: by_mean(told, ["size", "change"], what, Interval.of_many) for what in ("times", "inside")}
    return {(what, *key): one for what, by_change in means.items() for key, one in by_change.items()}


def draw(found: Estimates, config: Config) -> dict[str, Figure]:
    figure, (axis,) = panels(["how far the forecast of epoch 100 moves"], (5.6, 3.9))
    times = those_of(found, "times")
    for change, colour in COLOURS.items():
        moved = {size: size * one.value for (size, which), one in times.items() if which == change}
        axis.plot([*moved], [*moved.values()], "o-", color=style.colour(colour), label=change)
    axis.plot(config.points, config.points, ":", color=style.ink(), label="as far as the points")
    axis.set(xlabel="size of the change of a point", xscale="log", yscale="log")
    ticks(axis, config.points, "g")
    ticks(axis, (0.001, 0.002, 0.005, 0.01, 0.02, 0.05), "g", "y")
    legend(figure, [axis], 2)
    return {"fooled": figure}


def claims(config: Config) -> list[Claim]:
    return [
        Claim("forecast_moves_further", "Can small moves of the points move this network’s forecast further than the points?",
              ("times", config.point, STEPS), Above(1), "×"),
        Claim("stays_inside", "Do nearly all medians stay in this network’s 90 % interval when points move so little?",
              ("inside", config.point, STEPS), AtLeast(0.9), "%"),
    ]  # fmt: skip
