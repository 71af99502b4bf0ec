"""The record of a run: accuracy and log-loss on the held-out rows after each step.

A step is an epoch, a tree or a number of training rows. Probabilities are clipped at LEAST, so that no loss exceeds WORST.
Once outputs are not finite, they count as predicting the first class with the worst loss, and `broke` is the first such
step. Shapes: s steps, m held-out rows, k classes.
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
    untrained: Score | None = None  # before the first step, if that is defined
    broke: int | None = None  # the first step whose outputs were not finite


def score(probabilities: Array, labels: Array) -> Score:
    """Of finite probabilities (m, k)."""
    p_correct = probabilities[np.arange(len(labels)), labels]
    loss = -np.log(p_correct.clip(LEAST, 1)).mean()
    return Score(float((probabilities.argmax(1) == labels).mean()), float(loss))


def broken(labels: Array) -> Score:
    return Score(float((labels == 0).mean()), WORST)


def measured(
    steps: Array, scores: list[Score | None], labels: Array, untrained: Score | None = None
) -> Measured:
    """From the scores of all steps, in order; None where the outputs were not finite."""
    broke = next((int(step) for step, known in zip(steps, scores, strict=True) if known is None), None)
    filled = [known or broken(labels) for known in scores]
    accuracy, loss = np.array(filled).T
    return Measured(np.asarray(steps), accuracy, loss, untrained, broke)
