"""A run's own steps, and the epochs 1 .. 100 that the network knows.

One epoch is the usual gap between two logged steps, whatever the unit: 1, 500 or 0.25. Where a run is to go on for
more than a hundred of them, its axis is shrunk to a hundred, and of the points that fall on one epoch the last stays.
"""

from typing import NamedTuple

import numpy as np

from curvecast.ground.errors import demand

Array = np.ndarray
LENGTH = 100  # epochs
FAR = 1e9


class Epochs(NamedTuple):
    kept: Array  # indices of the points that the network sees
    x: Array  # their epochs, rising, 1 or more
    x_ahead: Array  # epochs to forecast; none where the run has come to its end
    ahead: Array  # the same in the run's own steps
    thinned: bool


class Axis(NamedTuple):
    unit: float  # one epoch, in the run's own steps
    shift: float  # how far steps that count from 0 are moved, so that they count from 1


def axis(steps: Array) -> Axis:
    """Of all steps of a run, those without a value too if they are known: a hole does not make an epoch longer."""
    unit = usual(np.diff(steps)) if len(steps) > 1 else float(steps[0]) or 1.0
    return Axis(unit, unit if steps[0] == 0 else 0.0)


def usual(gaps: Array) -> float:
    """The gap that is there most often, the smallest of several; if none is there twice, the middle one."""
    if gaps.max() <= gaps.min() * (1 + 1e-6):  # the usual case, told at once
        return float(gaps.min())
    sizes, counts = np.unique(gaps, return_counts=True)  # of a million gaps few differ
    smaller = np.concatenate([[0], counts.cumsum()])
    like = smaller[sizes.searchsorted(sizes * (1 + 1e-6), side="right")] - smaller[:-1]  # from here on
    return float(sizes[like.argmax()] if like.max() > 1 else sizes[(len(sizes) - 1) // 2])


def default_horizon(steps: Array, axis: Axis) -> float:
    """A hundred epochs, or twice as far as the run has come."""
    unit, shift = axis
    return max(LENGTH * unit, 2 * (float(steps[-1]) + shift)) - shift


def epochs(steps: Array, axis: Axis, horizon: float, where: str) -> Epochs:
    """The steps at which there are values, and where they lie among the network's epochs."""
    unit, shift = axis
    before = f"is before the last step {steps[-1]:.12g}: give it in the unit of the steps"
    demand(not horizon < steps[-1], f"{where}: the horizon {horizon:.12g} {before}")
    length = (horizon + shift) / unit
    over = f"is over {FAR:g} times the usual gap {unit:g}: is it in the unit of the steps?"
    demand(length < FAR, f"{where}: the horizon {horizon:g} {over}")
    stretch = max(1.0, length / LENGTH)
    x = np.maximum((steps + shift) / unit / stretch, 1.0)  # the network knows nothing before epoch 1
    place = np.ceil(x - 1e-6)
    same = x if stretch == 1 else place
    last = np.ones(len(x), dtype=bool)  # of those on one epoch
    last[:-1] = same[1:] - same[:-1] > 1e-9
    kept = np.flatnonzero(last)
    x = x[kept]
    end = length / stretch
    ahead = np.arange(np.floor(x[-1] + 1e-6) + 1, np.floor(end + 1e-6) + 1)
    if end - max([x[-1], *ahead[-1:]]) > 1e-3:
        ahead = np.append(ahead, end)  # a horizon between two epochs
    later = ahead * stretch * unit - shift
    if len(ahead) and ahead[-1] >= end - 1e-3:
        later[-1] = horizon  # as it was asked for, to the last digit
    return Epochs(kept, x, ahead, later, len(kept) < len(steps))
