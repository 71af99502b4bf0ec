"""Our own runs: of which kind they are, and which of them forecasters get."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from presswork.estimates import Rows
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import Trial, trial_of

# A benchmark is a metric and what a step is.
TITLES = {
    "accuracy-epoch": "accuracy by epoch", "loss-epoch": "log-loss by epoch", "accuracy-tree": "accuracy by tree",
    "loss-tree": "log-loss by tree", "accuracy-rows": "accuracy by training rows", "loss-rows": "log-loss by training rows",
}  # fmt: skip
LEARNT = 0.05  # accuracy above guessing, from which on a run counts as learning
LATE = 0.1  # of the points: a run without gain until then starts late
WORSE = 1.1  # a loss that ends above this multiple of its best value has overfitted

# A run is of the first kind that fits its held-out accuracy and log-loss.
KINDS = {
    "diverges": "overflows, or ends at twice the log-loss of guessing",
    "flat": "never learns",
    "collapses": "loses most of what it had learnt",
    "late": "takes off late",
    "overfits": "log-loss ends a tenth above its best",
    "rises": "none of these",
}


class Pair(NamedTuple):
    """Both curves of a run."""

    accuracy: OwnRun
    loss: OwnRun


def pairs(runs: list[OwnRun]) -> list[Pair]:
    losses = {run.name: run for run in runs if run.metric == "loss"}
    return [Pair(run, losses[run.name]) for run in runs if run.metric == "accuracy"]


def kind(pair: Pair) -> str:
    if diverges(pair):
        return "diverges"
    if best_gain(pair) < LEARNT:
        return "flat"
    if collapses(pair):
        return "collapses"
    if late(pair):
        return "late"
    return "overfits" if overfits(pair) else "rises"


def diverges(pair: Pair) -> bool:
    """The loss of guessing is that of chances which are the same for all classes."""
    return pair.loss.broke is not None or bool(pair.loss.values[-1] > 2 * math.log(pair.loss.classes))


def best_gain(pair: Pair) -> float:
    """The best accuracy above guessing."""
    return float(pair.accuracy.values.max() - pair.accuracy.guess)


def collapses(pair: Pair) -> bool:
    """It ends with less than half of its best gain."""
    return bool(pair.accuracy.values[-1] - pair.accuracy.guess < best_gain(pair) / 2)


def late(pair: Pair) -> bool:
    """In the first tenth of the points it has gained less than a tenth of what it gains in the end."""
    y, guess = pair.accuracy.values, pair.accuracy.guess
    first = y[: max(1, round(LATE * len(y)))]
    return best_gain(pair) >= 2 * LEARNT and bool(first.max() - guess < LATE * best_gain(pair))


def overfits(pair: Pair) -> bool:
    return bool(pair.loss.values[-1] > WORSE * pair.loss.values.min())


def ends_lower(pair: Pair) -> bool:
    """Its last value is below its first."""
    y = pair.accuracy.values
    return bool(y[-1] < y[0])


class ChosenRun(NamedTuple):
    run: OwnRun
    kind: str
    trial: Trial


def put(rows: Rows, row: str, most: int, seed: int) -> list[ChosenRun]:
    """At most so many runs of a benchmark, in random order: fewer are the first of more."""
    metric, _, x = row.partition("-")
    both = [pair for pair in pairs(own_runs(rows)) if pair.accuracy.x == x]
    order = np.random.default_rng([seed, list(TITLES).index(row)]).permutation(len(both))
    tried = ((getattr(both[i], metric), kind(both[i])) for i in order)
    attempts = ((run, what, trial_of(run)) for run, what in tried)
    return [ChosenRun(run, what, one) for run, what, one in attempts if one is not None][:most]


def about(row: str, found: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, run.name, run.learner, run.task, run.group, kind, one.learns(), len(one.values), one.clipped)
         for i, (run, kind, one) in enumerate(found)],
        columns=["row", "curve", "run", "learner", "task", "group", "kind", "learns", "points", "clipped"],
    )  # fmt: skip
