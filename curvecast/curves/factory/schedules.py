"""Learning-rate schedules: the factor of the rate in each epoch. Rates change only between epochs.

Shapes: e epochs.
"""

import math
from dataclasses import dataclass

import numpy as np

from curvecast.ground.errors import UserError

SHAPES = ("constant", "drops", "cosine", "linear")


@dataclass(frozen=True)
class Schedule:
    shape: str = "constant"
    warm_up: int = 0  # epochs of linear growth before the shape begins
    drops: tuple[int, ...] = ()  # shape `drops`: the epochs after which the rate falls
    fall: float = 0.1  # factor at each drop


def factors(schedule: Schedule, epochs: int) -> np.ndarray:
    """(e,), between 0 and 1"""
    epoch = np.arange(1, epochs + 1)
    ramp = np.minimum(1, epoch / (schedule.warm_up + 1))
    passed = (epoch - 1 - schedule.warm_up).clip(0) / max(epochs - schedule.warm_up, 1)  # 0 up to below 1
    return ramp * _shape(schedule, epoch, passed)


def _shape(schedule: Schedule, epoch: np.ndarray, passed: np.ndarray) -> np.ndarray:
    if schedule.shape == "constant":
        return np.ones(len(epoch))
    if schedule.shape == "drops":
        fallen = sum((epoch > drop).astype(int) for drop in schedule.drops) + np.zeros(len(epoch))
        return schedule.fall**fallen
    if schedule.shape == "cosine":
        return (1 + np.cos(math.pi * passed)) / 2
    if schedule.shape == "linear":
        return 1 - passed
    raise UserError(f"schedule {schedule.shape!r} is unknown: take one of {', '.join(SHAPES)}")
