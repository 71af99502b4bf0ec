"""The slope of a straight line through the scores of several trainings, with both kinds of variation in its interval."""

import math

import numpy as np

from reproduce._press.intervals import Interval, student


def slope(x: np.ndarray, heights: np.ndarray) -> Interval:
    """`heights`: (1 + resamples, trainings), first those of all test curves, then of test curves drawn anew.

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
    )
