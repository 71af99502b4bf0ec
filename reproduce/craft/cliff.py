"""Does clipping save a recurrent network from a cliff?

Elman's network reads 20 numbers, two of them marked, and answers with the sum of the two. Its gradient passes 20 times
through one matrix: it can grow a hundredfold within a few steps, and throw the weights far away. Clipping shortens it.
"""

import math
from dataclasses import dataclass
from itertools import product

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Below, Claim
from reproduce._press.estimates import by_mean, cells, leads
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import around, panels

WITHOUT, WITH = "without clipping", "with clipping"
CONSTANT = 1 / 6  # loss of always answering the mean of two uniform numbers' sum; losses are shares of it
RUN = ("rate", "clipping", "seed")


@dataclass(frozen=True)
class Config:
    seeds: int = 10
    steps: int = 2_000
    every: int = 20  # steps, of which a curve shows the mean loss
    times: int = 20  # numbers to read
    units: int = 30
    batch: int = 20
    rates: tuple[float, ...] = (0.1, 0.3)  # the network learns at the first
    limit: float = 1.0  # of the gradient's norm
    blown: float = 100.0  # times the loss of the constant answer, which no sound run reaches


SCALES = {
    "smoke": Config(2, 40, 10, 20, 6, 5, (0.1, 0.3), 1.0, 100.0),
    "laptop": Config(seeds=4, steps=1_000),
    "paper": Config(),
}
TABLES = {"curves": (*RUN, "step", "loss"), "runs": (*RUN, "blew_up", "end")}
DIVERGES = "a run that blows up multiplies differences of rounding"
TOLERANCES = dict.fromkeys(("curves.loss", "runs.end"), ("chaotic", DIVERGES))


def measure(config: Config, part: str) -> Rows:
    curves, runs, limits = [], [], {WITHOUT: math.inf, WITH: config.limit}
    for rate, clipping, seed in product(config.rates, limits, range(config.seeds)):
        losses = training(config, rate, limits[clipping], seed)
        blocks = losses.view(-1, config.every).nanmean(1).tolist()  # (blocks,), of what is finite
        run = {"rate": rate, "clipping": clipping, "seed": seed}
        curves += [run | {"step": config.every * (i + 1), "loss": loss} for i, loss in enumerate(blocks)]
        runs.append(run | {"blew_up": int(not (losses <= config.blown).all()), "end": blocks[-1]})
    return {"curves": pd.DataFrame(curves), "runs": pd.DataFrame(runs)}


def training(config: Config, rate: float, limit: float, seed: int) -> Tensor:
    """Losses; where one is not finite, it and all later ones are missing.  (steps,)"""
    torch.manual_seed(seed)
    network, output = nn.RNN(2, config.units, batch_first=True), nn.Linear(config.units, 1)
    nn.init.orthogonal_(network.get_parameter("weight_hh_l0"))  # gradients neither vanish nor explode
    weights = [*network.parameters(), *output.parameters()]
    optimiser = torch.optim.SGD(weights, rate)
    losses = torch.full((config.steps,), math.nan)
    for step in range(config.steps):
        x, y = marked_sums(config.batch, config.times)
        loss = nn.functional.mse_loss(output(network(x)[0][:, -1])[:, 0], y)  # of answers (batch,)
        if not torch.isfinite(loss):
            break
        losses[step] = loss.detach() / CONSTANT
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, limit)
        optimiser.step()
    return losses


def marked_sums(count: int, times: int) -> tuple[Tensor, Tensor]:
    """Numbers beside marks, one in each half, and the sum of what is marked.  (count, times, 2), (count,)"""
    numbers, marks, half = torch.rand(count, times), torch.zeros(count, times), times // 2
    marks.scatter_(1, torch.randint(half, (count, 1)), 1.0)
    marks.scatter_(1, torch.randint(half, times, (count, 1)), 1.0)
    return torch.stack([numbers, marks], -1), (numbers * marks).sum(1)


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """A line for each seed; one that blows up ends with dots at the upper edge."""
    cells = list(product(config.rates, (WITHOUT, WITH)))
    titles = [f"rate {rate:g}, {clipping}" for rate, clipping in cells]
    figure, axes = panels(titles, (7.6, 5.2), 2, sharey=True)
    for axis, (rate, clipping) in zip(axes, cells, strict=True):
        blown = where(rows["runs"], rate=rate, clipping=clipping).set_index("seed")["blew_up"]
        for seed, curve in where(rows["curves"], rate=rate, clipping=clipping).groupby("seed"):
            colour, dots = ("paper", "o-") if blown[seed] else ("ours", "-")
            axis.plot(curve["step"], curve["loss"].clip(upper=config.blown), dots, color=style.colour(colour))
        axis.set(yscale="log", xlim=(0, config.steps))
    around(figure, "step", "loss ÷ loss of a constant answer")
    return {"cliff": figure}


def tabulate(rows: Rows) -> Rows:
    ends, lines = by_mean(where(rows["runs"], blew_up=0), ["rate", "clipping"], "end"), []
    for (rate, clipping), runs in rows["runs"].groupby(["rate", "clipping"], sort=False):
        blown = f"{runs['blew_up'].sum()} of {len(runs)}"
        line = {"rate": f"{rate:g}", "training": clipping, "blew up": blown}
        lines.append(line | cells(ends, rate, {clipping: "last loss"}, ".2f"))
    return {"cliff": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    low, high = (where(rows["runs"], rate=rate) for rate in config.rates)
    more = [leads(runs, "clipping", WITH, "blew_up", "seed").get(WITHOUT) for runs in (low, high)]
    return [
        Claim("blow_up", "Do more trainings of a recurrent network blow up without clipping than with it?",
              more[0], Above(0), "%"),
        Claim("blow_up_at_a_high_rate", "At three times the rate, do more trainings blow up without clipping than with it?",
              more[1], Above(0), "%"),
        Claim("learns", "With clipping, does the recurrent network end with a smaller loss than a constant answer?",
              by_mean(low, "clipping", "end").get(WITH), Below(1), "×"),
        Claim("no_price", "Where both trainings survive, is the last loss with clipping about as low as without?",
              leads(where(low, blew_up=0), "clipping", WITHOUT, "end", "seed").get(WITH), AtMost(0.1)),
    ]  # fmt: skip
