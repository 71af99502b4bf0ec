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


def ten_times(effort: dict[str, float], means: np.ndarray, over: Over = ()) -> Interval:
    """By what ten times the effort divides these means (1 + resamples, trainings): a line through the logarithms."""
    found = slope(np.log10([*effort.values()]), np.log10(means), over).negated()
    return found.ends(*(10**end for end in found))


def enough(log_effort: np.ndarray, lead: np.ndarray) -> float:
    """How much effort is enough: where a lead first reaches 0. Efforts rise, and so should the lead.

    From the first on: the first. Never: infinity."""
    reached = np.flatnonzero(lead >= 0)
    if not len(reached):
        return math.inf
    i, before = reached[0], max(reached[0] - 1, 0)
    share = lead[before] / (lead[before] - lead[i]) if i else 0.0
    return float(np.exp(log_effort[before] + share * (log_effort[i] - log_effort[before])))
