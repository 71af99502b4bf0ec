"""Does clipping save a recurrent network from a cliff?

Elman's network reads 20 numbers, two of them marked, and answers with the sum of these two. Its gradient passes through the
same matrix 20 times, so it can grow a hundredfold within a few steps, and one such step throws the weights far away. Clipping
shortens a gradient that is longer than a limit, and keeps its direction. Losses are shares of that of a constant answer.
"""

import math
from dataclasses import dataclass

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Below, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import minus, sides, where
from reproduce.pictures.panels import around, panels

WITHOUT, WITH = "without clipping", "with clipping"
CONSTANT = 1 / 6  # variance of the sum of two numbers that are uniform from 0 to 1
TABLES = {
    "curves": ("clipping", "seed", "step", "loss"),
    "runs": ("clipping", "seed", "blew_up", "norm", "end"),
}
DIVERGES = "a run that blows up multiplies differences of rounding until its numbers overflow"
TOLERANCES = dict.fromkeys(("curves.loss", "runs.norm", "runs.end"), ("chaotic", DIVERGES))


@dataclass(frozen=True)
class Config:
    seeds: int = 10
    steps: int = 2_000
    every: int = 20  # steps, of which a curve shows the mean loss
    times: int = 20  # numbers to read
    units: int = 30
    batch: int = 20
    rate: float = 0.1
    limit: float = 1.0  # of the gradient's norm
    blown: float = 100.0  # times the loss of the constant answer, which no sound run reaches


SCALES = {
    "smoke": Config(2, 40, 10, 20, 6, 5, 0.1, 1.0, 100.0),
    "laptop": Config(seeds=4, steps=1_000),
    "paper": Config(),
}


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    curves, runs = [], []
    for clipping, limit in ((WITHOUT, math.inf), (WITH, config.limit)):
        for seed in range(config.seeds):
            losses, norms = training(config, limit, seed)
            blocks = losses.view(-1, config.every).nanmean(1).tolist()  # (blocks,), of what is finite
            run = {"clipping": clipping, "seed": seed}
            curves += [run | {"step": config.every * (i + 1), "loss": loss} for i, loss in enumerate(blocks)]
            blew_up = not bool((losses <= config.blown).all())  # what is missing is not small
            runs.append(run | {"blew_up": int(blew_up), "norm": norms.max().item(), "end": blocks[-1]})
    return {"curves": pd.DataFrame(curves), "runs": pd.DataFrame(runs)}


def training(config: Config, limit: float, seed: int) -> tuple[Tensor, Tensor]:
    """Losses and norms of gradients before clipping; both missing from where the loss is not finite.  (steps,), (steps,)"""
    torch.manual_seed(seed)
    network, output = nn.RNN(2, config.units, batch_first=True), nn.Linear(config.units, 1)
    nn.init.orthogonal_(
        network.get_parameter("weight_hh_l0")
    )  # at first gradients neither vanish nor explode
    weights = [*network.parameters(), *output.parameters()]
    optimiser = torch.optim.SGD(weights, config.rate)
    losses, norms = torch.full((config.steps,), math.nan), torch.zeros(config.steps)
    for step in range(config.steps):
        x, y = marked_sums(config.batch, config.times)
        answers = output(network(x)[0][:, -1]).squeeze(1)  # (batch,)
        loss = nn.functional.mse_loss(answers, y)
        if not torch.isfinite(loss):
            break
        losses[step] = loss.detach() / CONSTANT
        optimiser.zero_grad()
        loss.backward()
        norms[step] = nn.utils.clip_grad_norm_(weights, limit).nan_to_num()
        optimiser.step()
    return losses, norms


def marked_sums(count: int, times: int) -> tuple[Tensor, Tensor]:
    """Numbers beside marks, one in each half, and the sum of what is marked.  (count, times, 2), (count,)"""
    numbers, marks, half = torch.rand(count, times), torch.zeros(count, times), times // 2
    marks.scatter_(1, torch.randint(half, (count, 1)), 1.0)
    marks.scatter_(1, torch.randint(half, times, (count, 1)), 1.0)
    return torch.stack([numbers, marks], -1), (numbers * marks).sum(1)


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    """A line for each seed; where the run blows up, it leaves the picture."""
    figure, axes = panels([WITHOUT, f"{WITH} at norm {config.limit:g}"], (7.6, 3.4), sharey=True)
    for axis, clipping in zip(axes, (WITHOUT, WITH), strict=True):
        for _, run in where(rows["runs"], clipping=clipping).iterrows():
            curve = where(rows["curves"], clipping=clipping, seed=run["seed"])
            colour, dots = ("paper", "o-") if run["blew_up"] else ("ours", "-")
            axis.plot(curve["step"], curve["loss"], dots, color=style.colour(colour), linewidth=1, ms=3)
        axis.set(xscale="log", yscale="log", ylim=(0.05, config.blown))
    around(figure, "step", "loss ÷ loss of a constant answer")
    return {"cliff": figure}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    lines = []
    for clipping, runs in rows["runs"].groupby("clipping", sort=False):
        ends = where(runs, blew_up=0)["end"]
        lines.append({
            "training": clipping, "blew up": f"{runs['blew_up'].sum()} of {len(runs)}",
            "largest norm (median)": f"{runs['norm'].median():.3g}",
            "last loss of the others": in_cell(Interval.of_mean(ends), missing="–"),
        })  # fmt: skip
    return {"cliff": pd.DataFrame(lines)}


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    runs = rows["runs"]
    survived = sides(where(runs, blew_up=0), "clipping", WITH, WITHOUT, "end", "seed")
    return [
        Claim("blow_up", "Do more trainings of a recurrent network blow up without clipping than with it?",
              Interval.of_mean(minus(runs, "clipping", WITHOUT, WITH, "blew_up", "seed")), Above(0), "%"),
        Claim("learns", "With clipping, does the recurrent network end with a smaller loss than a constant answer?",
              Interval.of_mean(where(runs, clipping=WITH)["end"]), Below(1), "×"),
        Claim("no_price", "Where both trainings survive, is the last loss with clipping about as low as without?",
              Interval.of_mean(survived[WITH] - survived[WITHOUT]), AtMost(0.1)),
    ]  # fmt: skip
