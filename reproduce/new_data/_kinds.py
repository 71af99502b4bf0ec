"""What kind of curve a run is, by its held-out accuracy and log-loss. The first kind that fits counts."""

import math
from typing import NamedTuple

from reproduce.protocols.own_runs import OwnRun

LEARNT = 0.05  # accuracy above guessing, from which on a run counts as learning
LATE = 0.1  # of the points: a run without gain until then starts late
WORSE = 1.1  # a loss that ends above this multiple of its best value has overfitted

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
