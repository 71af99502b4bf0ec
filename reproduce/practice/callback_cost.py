"""What does it cost to be told where a run will end?

A run that could still win is forecast, and that is all; one that is ahead of all others has itself to beat. One that turns
out to be hopeless is also held against the network's own curves, to say whether the verdict can be trusted; it pays for that
once, and not while it stays hopeless. With finished runs the bands are calibrated; what that takes is found once for each
number of values, by the first trial that comes there.
"""

import math
import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting import finished_runs
from curvecast.while_training.stopper import Stopper
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce.pictures.rounds import Row, every_round
from reproduce.protocols.timing import ROUNDS, in_turns, middle, seconds, threads

STOPWATCHES = ("rows.seconds", "rows.training")


class Kind(NamedTuple):
    name: str  # of a claim
    run: str  # as a sentence has it, of so many values
    best: float  # of the other runs: the least or the most that an accuracy can be
    odd: bool | None = None  # what is known of the run from the look before
    finished: bool = False
    asked: bool = True  # finished runs: were they asked about so many values before?


KINDS = {
    "": Kind("look", "a run of {} that is ahead of all others", 0.0),
    ", hopeless": Kind("hopeless", "a hopeless run of {}", 1.0),
    ", still hopeless": Kind("still_hopeless", "a run of {} that was hopeless before", 1.0, odd=False),
    ", calibrated": Kind("calibrated", "a run of {} beside fifty finished ones", 0.0, finished=True),
    ", first calibrated": Kind(
        "first_calibrated", "the first run of {} beside fifty finished ones", 0.0, finished=True, asked=False
    ),
}


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    looks: int = 40  # in a round
    seen: tuple[int, ...] = (10, 100)  # values
    horizon: int = 200
    training: float = 3.0  # seconds of a training loop, with a look a second


SCALES = {"smoke": Config(1, 1, training=0.02), "laptop": Config(), "paper": Config(rounds=15)}


def measure(config: Config, part: str) -> pd.DataFrame:
    """One core. A row for each round: `looks` looks after so many values, or the looks of one training loop."""
    lines = {
        f"{seen} values{words}": (seen, kind) for seen, (words, kind) in product(config.seen, KINDS.items())
    }
    turns = {task: partial(_looks, config, *line) for task, line in lines.items()}
    with threads():
        return pd.DataFrame(
            {"task": task, "round": number} | found
            for number, task, found in in_turns(
                turns | {"training": partial(_training, config)}, config.rounds
            )
        )


def _looks(config: Config, seen: int, kind: Kind) -> dict[str, float]:
    """Each as the pruner makes it: a new Stopper reads all values of the trial, and is asked."""
    curves = _curves(config)[: _times(config, kind), :seen]
    ended = _finished(config) if kind.finished else ()
    given = [finished_runs.given(ended, None, False)] * len(curves)
    if not kind.asked:
        given = [finished_runs.given(ended, None, False) for _ in curves]

    def look() -> None:
        for values, finished in zip(curves, given, strict=True):
            stopper = Stopper(config.horizon, best=kind.best, tell=lambda _: None, finished=finished)
            stopper.odd = kind.odd
            for step, value in enumerate(values.tolist(), 1):
                stopper.observe(step, value)
            stopper.should_stop()

    return {"looks": len(curves), "seconds": seconds(look), "training": 0.0}


def _times(config: Config, kind: Kind) -> int:
    """Looks at new finished runs are slow, and fewer."""
    return config.looks if kind.asked else math.ceil(config.looks / 10)


def _finished(config: Config) -> np.ndarray:
    """Other curves, each value twice, so that they come to the horizon."""
    curves = prior.test_set(config.looks + finished_runs.MOST).noisy[config.looks :].clamp(0, 1)
    return np.repeat(curves.double().numpy(), config.horizon // curves.shape[1], axis=1)  # (MOST, horizon)


def _curves(config: Config) -> np.ndarray:
    return prior.test_set(config.looks).noisy.clamp(0, 1).double().numpy()  # (looks, 100)


def _training(config: Config) -> dict[str, float]:
    """Seconds inside the callback and outside of it, while a small network trains and is looked at each second."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    optimiser = torch.optim.SGD(network.parameters(), 0.1)
    x, y = torch.randn(128, 64), torch.randint(10, (128,))
    stopper = Stopper(config.horizon, best=1.0, tell=lambda _: None)
    for step, value in enumerate(_curves(config)[0, :10].tolist(), 1):
        stopper.observe(step, value)
    inside, looked = 0.0, 0
    start = time.perf_counter()
    while (now := time.perf_counter() - start) < config.training:
        if now >= looked:
            stopper.observe(11 + looked, 0.5)
            stopper.should_stop()
            looked += 1
            inside += time.perf_counter() - start - now
        torch.nn.functional.cross_entropy(network(x), y).backward()
        optimiser.step()
        optimiser.zero_grad()
    return {"looks": 1, "seconds": inside, "training": now - inside}


def _milliseconds(rows: pd.DataFrame, task: str) -> list[float]:
    own = rows[rows["task"] == task]
    return (1000 * own["seconds"] / own["looks"]).tolist()


def _shares(rows: pd.DataFrame) -> list[float]:
    """Per cent by which a training is longer."""
    own = rows[rows["task"] == "training"]
    return (100 * own["seconds"] / own["training"]).tolist()


def _tasks(rows: pd.DataFrame) -> list[str]:
    return [task for task in rows["task"].unique() if task != "training"]


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Milliseconds a look, every round a dot."""
    lines = [Row(f"{task} seen", _milliseconds(rows, task)) for task in _tasks(rows)]
    figure = every_round(lines, "milliseconds a look", height=0.4 * len(lines))
    figure.axes[0].set_ylim(len(lines) - 0.5, -0.5)
    return {"looks": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    cells = [{"what": f"a look at {task}", "ms": middle(_milliseconds(rows, task))} for task in _tasks(rows)]
    return {"looks": pd.DataFrame(cells)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    found = []
    for task in _tasks(rows):
        values, comma, words = task.partition(",")
        kind = KINDS[comma + words]
        sentence = f"On one core a look of the pruner at {kind.run.format(values)} takes at most {{most}} milliseconds"
        found.append(
            claim(
                f"{kind.name}_{values.split()[0]}", f"{sentence}: {{value:.1f}}.",
                Interval.of_median(_milliseconds(rows, task)), "<= 5",
            )
        )  # fmt: skip
    sentence = "With a look a second the callback makes a training at most {most} % longer: {value:.2f} %."
    return [*found, claim("share", sentence, Interval.of_median(_shares(rows)), "<= 1")]
