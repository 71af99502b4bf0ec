"""What is kept of a run: accuracy and log-loss on the held-out rows after each step.

A step is an epoch, a tree or a number of training rows. The chance of a class counts as at least LEAST, so that no loss is
above WORST. What is not finite any more names the first class, and its loss is the worst one: it stays a curve, and `broke`
says from where on. Shapes: s steps, m held-out rows, k classes.
"""

import math
from typing import NamedTuple

import numpy as np

Array = np.ndarray

LEAST = 1e-7
WORST = -math.log(LEAST)


class Score(NamedTuple):
    accuracy: float
    loss: float


class Measured(NamedTuple):
    steps: Array  # (s,), rising
    accuracy: Array  # (s,)
    loss: Array  # (s,)
    untrained: Score | None = None  # before the first step, where there is such a thing
    broke: int | None = None  # the first step whose outputs were not finite


def score(chances: Array, labels: Array) -> Score:
    """Of chances (m, k) that are finite."""
    of_the_right = chances[np.arange(len(labels)), labels]
    loss = -np.log(of_the_right.clip(LEAST, 1)).mean()
    return Score(float((chances.argmax(1) == labels).mean()), float(loss))


def broken(labels: Array) -> Score:
    return Score(float((labels == 0).mean()), WORST)


def measured(
    steps: Array, scores: list[Score | None], labels: Array, untrained: Score | None = None
) -> Measured:
    """Of the scores of all steps, in order; None where the outputs were not finite."""
    broke = next((int(step) for step, one in zip(steps, scores, strict=True) if one is None), None)
    whole = [one or broken(labels) for one in scores]
    accuracy, loss = np.array(whole).T
    return Measured(np.asarray(steps), accuracy, loss, untrained, broke)
