"""How a run gets worse: a slow turn, such as overfitting, or a collapse to chance level.

Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

TURNS = 0.75  # share of the runs
UPWARDS = 0.5  # share of the turns after which the run improves faster
BRIEF = 0.4  # share of the turns that end
COLLAPSES = 0.04  # share of the runs
RECOVERS = 0.5  # share of the collapses


def turned(gain: Tensor, x: Tensor, dice: Dice) -> Tensor:
    """From a random epoch on another slope is added: linear in time or in its logarithm, for good or for a while."""
    turns, start, size = dice.happens(TURNS), dice.log_uniform(1, 100), dice.log_uniform(0.08, 1.5)
    shape = dice.one_of(0.5, F.relu(x - start) / 100, (x / start).clamp(min=1).log() / math.log(100))
    shape = dice.one_of(BRIEF, (F.relu(x - start) / dice.log_uniform(3, 60)).clamp(max=1) / 2, shape)
    slope = dice.one_of(UPWARDS, size, -size)
    return gain + torch.where(turns, slope * shape, 0.0)


def collapsed(y: Tensor, low: Tensor, x: Tensor, dice: Dice) -> Tensor:
    """From a random epoch on the run is at `low` (n, T), for good or until it has recovered."""
    collapses, start, pace = dice.happens(COLLAPSES), dice.log_uniform(1, 110), dice.log_uniform(1, 300)
    recovery = dice.one_of(RECOVERS, 1 - (-F.relu(x - start) / pace).exp(), torch.zeros_like(y))
    return torch.where(collapses & (x > start), low + (y - low) * recovery, y)
