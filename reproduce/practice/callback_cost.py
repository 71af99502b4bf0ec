"""What does one check of a run cost while it trains?

A run that could still win is only forecast; a run that leads all others has its own best value to beat. A run that becomes
hopeless is also compared with curves of the network's prior, to say whether the forecast can be trusted: once, and not while
it stays hopeless. With finished runs the intervals are calibrated; the first run with so many values pays for all others.
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
from reproduce._press.claim import AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce.pictures.rounds import Row, every_round
from reproduce.protocols.timing import ROUNDS, in_turns, middle, seconds, threads

TABLES = {"rows": ("task", "round", "looks", "seconds", "training")}
STOPWATCHES = ("rows.seconds", "rows.training")


class Kind(NamedTuple):
    name: str  # of a claim
    run: str  # in words, with its number of values
    best: float  # of the other runs: the lowest or the highest accuracy there is
    odd: bool | None = None  # is the run unlike the prior, as the check before found?
    finished: bool = False
    asked: bool = True  # were the finished runs cut after so many values before?


KINDS = {
    "": Kind("look", "a run of {} that leads all others", 0.0),
    ", hopeless": Kind("hopeless", "a run of {} that becomes hopeless", 1.0),
    ", still hopeless": Kind("still_hopeless", "a run of {} that was hopeless before", 1.0, odd=False),
    ", calibrated": Kind("calibrated", "a run of {} with fifty finished runs", 0.0, finished=True),
    ", first calibrated": Kind(
        "first_calibrated", "the first run of {} with fifty finished runs", 0.0, finished=True, asked=False
    ),
}


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    looks: int = 40  # checks in a round
    seen: tuple[int, ...] = (10, 100)  # values
    horizon: int = 200
    training: float = 3.0  # seconds of a training loop, with a check each second


SCALES = {"smoke": Config(1, 1, training=0.02), "laptop": Config(6, 20, training=2.0), "paper": Config()}


def measure(config: Config, part: str) -> pd.DataFrame:
    """One core. A row for each round: `looks` checks after so many values, or the checks of one training loop."""
    lines = {
        f"{seen} values{words}": (seen, kind) for seen, (words, kind) in product(config.seen, KINDS.items())
    }
    turns = {task: partial(checks, config, *line) for task, line in lines.items()}
    with threads():
        return pd.DataFrame(
            {"task": task, "round": number} | costs
            for number, task, costs in in_turns(
                turns | {"training": partial(_training, config)}, config.rounds
            )
        )


def checks(config: Config, seen: int, kind: Kind) -> dict[str, float]:
    """Each as the pruner makes it: a new Stopper reads all values of the trial, and decides."""
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
    """Checks with new finished runs are slow, so there are fewer."""
    return config.looks if kind.asked else math.ceil(config.looks / 10)


def _finished(config: Config) -> np.ndarray:
    """Other curves, each value twice, so that they come to the horizon."""
    curves = prior.test_set(config.looks + finished_runs.MOST).noisy[config.looks :].clamp(0, 1)
    return np.repeat(curves.double().numpy(), config.horizon // curves.shape[1], axis=1)  # (MOST, horizon)


def _curves(config: Config) -> np.ndarray:
    return prior.test_set(config.looks).noisy.clamp(0, 1).double().numpy()  # (looks, 100)


def _training(config: Config) -> dict[str, float]:
    """Seconds inside the callback and outside of it, while a small network trains with a check each second."""
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
    """Percent by which a training is longer."""
    own = rows[rows["task"] == "training"]
    return (100 * own["seconds"] / own["training"]).tolist()


def _tasks(rows: pd.DataFrame) -> list[str]:
    return [task for task in rows["task"].unique() if task != "training"]


def _kind(task: str) -> tuple[str, Kind]:
    """The number of values, and of which kind the run is."""
    values, comma, words = task.partition(",")
    return values, KINDS[comma + words]


def _called(task: str) -> str:
    values, kind = _kind(task)
    return kind.run.format(values)


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Milliseconds per check, every round a dot."""
    lines = [Row(_called(task), _milliseconds(rows, task)) for task in _tasks(rows)]
    figure = every_round(lines, "milliseconds per check (lower is better)", height=0.4 * len(lines))
    figure.axes[0].set_ylim(len(lines) - 0.5, -0.5)
    return {"looks": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    cells = [
        {"one check of": _called(task), "ms": middle(_milliseconds(rows, task))} for task in _tasks(rows)
    ]
    return {"looks": pd.DataFrame(cells)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    of_tasks = []
    for task in _tasks(rows):
        values, kind = _kind(task)
        question = f"On one core, is a check by the pruner quick for {_called(task)}?"
        median = Interval.of_median(_milliseconds(rows, task))
        of_tasks.append(Claim(f"{kind.name}_{values.split()[0]}", question, median, AtMost(5), "ms"))
    question = "Does the callback, with a check each second, make a training only slightly longer?"
    return [*of_tasks, Claim("share", question, Interval.of_median(_shares(rows)), AtMost(1), "percent")]
