"""Is AdamW the same as Adam with a penalty on the squares of the weights?

A toy in which only the decay moves weights in one direction: gradients are noise of mean 0, small for some weights and large
for others, and all weights begin at 1. A penalty adds lambda w to the gradient, and the optimiser rescales the sum. Decay
shrinks every weight by lr lambda in each step, whatever its gradient is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where

TABLES = {"rows": ("optimiser", "how", "seed", "gradient", "left")}
PENALTY, DECAY = "penalty", "decay"
MAKE: dict[tuple[str, str], Callable[..., torch.optim.Optimizer]] = {
    ("Adam", PENALTY): torch.optim.Adam,
    ("Adam", DECAY): torch.optim.AdamW,
    ("SGD", PENALTY): torch.optim.SGD,
    ("SGD", DECAY): torch.optim.SGD,  # torch has none with decay: done by hand below
}


@dataclass(frozen=True)
class Config:
    gradients: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # sizes of the noise
    weights: int = 1_000  # of each size
    seeds: int = 5
    steps: int = 500
    lr: float = 0.01
    decay: float = 0.1  # lambda


SCALES = {"smoke": Config(weights=20, seeds=2, steps=50), "laptop": Config(), "paper": Config()}


def measure(config: Config, part: str) -> pd.DataFrame:
    lines = []
    for seed in range(config.seeds):
        for optimiser, how in MAKE:
            left = shrunk(config, optimiser, how, seed).mean(1)
            for gradient, share in zip(config.gradients, left.tolist(), strict=True):
                lines.append(
                    {"optimiser": optimiser, "how": how, "seed": seed, "gradient": gradient, "left": share}
                )
    return pd.DataFrame(lines)


def shrunk(config: Config, optimiser: str, how: str, seed: int) -> Tensor:
    """The weights after all steps: (sizes, weights), in float64."""
    w = torch.nn.Parameter(torch.ones(len(config.gradients), config.weights).double())
    by_hand = (optimiser, how) == ("SGD", DECAY)
    more = {} if by_hand else {"weight_decay": config.decay}
    steps = MAKE[optimiser, how]([w], lr=config.lr, **more)
    sizes, draw = torch.tensor(config.gradients).double()[:, None], torch.Generator().manual_seed(seed)
    for _ in range(config.steps):
        w.grad = sizes * torch.randn(w.shape, generator=draw).double()
        if by_hand:
            with torch.no_grad():
                w.mul_(1 - config.lr * config.decay)
        steps.step()
    return w.detach()


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(6.8, 3.8))
    looks = {("Adam", PENALTY): ("ours", "-", "Adam, penalty"), ("Adam", DECAY): ("ours", "--", "AdamW (decay)"),
             ("SGD", PENALTY): ("large", "-", "SGD, penalty"), ("SGD", DECAY): ("large", ":", "SGD, decay")}  # fmt: skip
    for (optimiser, how), (colour, dashes, label) in looks.items():
        left = where(rows, optimiser=optimiser, how=how).groupby("gradient")["left"].mean()
        axis.plot(left.index, left, dashes, marker=".", color=style.colour(colour), label=label)
    axis.set(
        xlabel="size of the weight’s gradient (standard deviation)", ylabel="share of the weight that remains"
    )
    axis.set(xscale="log", ylim=(-0.05, 1.05))
    figure.legend(loc="outside right upper")
    return {"left": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    means = rows.assign(name=rows["optimiser"] + ", " + rows["how"]).pivot_table(
        index="gradient", columns="name", values="left"
    )
    means = means.rename(columns={"Adam, decay": "AdamW (decay)"})  # as the figure names it
    return {"left": means.map("{:.3f}".format).reset_index()}


def ends(rows: pd.DataFrame, config: Config, optimiser: str, how: str) -> pd.Series:
    """The remaining weight where gradients are largest, minus where they are smallest, seed by seed."""
    means = where(rows, optimiser=optimiser, how=how).set_index("seed")
    least, most = (where(means, gradient=end(config.gradients))["left"] for end in (min, max))
    return most - least


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    sgd = where(rows, optimiser="SGD").pivot_table(index=["seed", "gradient"], columns="how", values="left")
    apart = float((sgd[PENALTY] - sgd[DECAY]).abs().max()) if len(sgd) else None
    return [
        Claim("alike_for_sgd", "With plain SGD, do a penalty and a decay leave the same weights?",
              Interval.exactly(apart), AtMost(0.00001)),
        Claim("adamw_shrinks_alike", "Does AdamW shrink weights with large gradients as much as those with small ones?",
              Interval.of_mean(ends(rows, config, "Adam", DECAY)), Between(-0.1, 0.1)),
        Claim("adam_spares_the_large",
              "Does Adam with a penalty leave far more of weights with large gradients than of those with small ones?",
              Interval.of_mean(ends(rows, config, "Adam", PENALTY)), Above(0.5)),
    ]  # fmt: skip
