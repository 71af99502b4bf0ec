"""Straight lines through the scores of several trainings or runs, against the logarithm of an effort."""

import math

import numpy as np

from presswork.intervals import Interval, Over, named, student


def slope(x: np.ndarray, heights: np.ndarray, over: Over = ()) -> Interval:
    """`heights`: (1 + resamples, trainings), first those of all test curves, then of test curves drawn anew, `over` these.

    One training a point: how far another seed may lie shows only in the scatter about the line, whose Student's t has two
    degrees of freedom less than there are points. It and the resampled test curves are added as if independent.
    """
    slopes, starts = np.polyfit(x, heights.T, 1)
    of_curves = Interval.of_resamples(slopes)
    left = heights[0] - (starts[0] + slopes[0] * x)
    error = math.sqrt((left**2).sum() / (len(x) - 2) / ((x - x.mean()) ** 2).sum())
    of_seeds, value = student(len(x) - 1) * error, of_curves.value
    return Interval(
        value,
        value - math.hypot(of_seeds, value - of_curves.low),
        value + math.hypot(of_seeds, of_curves.high - value),
        named("training", len(x)) + over,
    )


def enough(log_effort: np.ndarray, lead: np.ndarray) -> float:
    """How much effort is enough: where a lead first reaches 0. Efforts rise, and so should the lead.

    From the first on: the first. Never: infinity."""
    if lead[0] >= 0:
        return float(np.exp(log_effort[0]))
    for i in range(1, len(lead)):
        if lead[i] >= 0:
            share = lead[i - 1] / (lead[i - 1] - lead[i])
            return float(np.exp(log_effort[i - 1] + share * (log_effort[i] - log_effort[i - 1])))
    return float("inf")
