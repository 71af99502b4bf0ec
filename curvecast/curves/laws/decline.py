"""How a run gets worse again: a slow turn, such as overfitting, or a collapse to what guessing gives.

Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

TURNS = 0.65
UPWARDS = 0.5  # of the turns: it goes on better than it began
BRIEF = 0.4
COLLAPSES = 0.04
RECOVERS = 0.5  # of the collapses


def turned(gain: Tensor, x: Tensor, dice: Dice) -> Tensor:
    """From some epoch on another slope is added: along a line in time, or in its logarithm, or for a while only."""
    there, when, size = dice.happens(TURNS), dice.log_uniform(1, 100), dice.log_uniform(0.08, 1.5)
    along = dice.one_of(0.5, F.relu(x - when) / 100, (x / when).clamp(min=1).log() / math.log(100))
    along = dice.one_of(BRIEF, (F.relu(x - when) / dice.log_uniform(3, 60)).clamp(max=1) / 2, along)
    signed = dice.one_of(UPWARDS, size, -size)
    return gain + torch.where(there, signed * along, 0.0)


def collapsed(y: Tensor, low: Tensor, x: Tensor, dice: Dice) -> Tensor:
    """From some epoch on the run is at `low` (n, T), for good or until it has recovered."""
    there, when, pace = dice.happens(COLLAPSES), dice.log_uniform(1, 110), dice.log_uniform(1, 300)
    back = dice.one_of(RECOVERS, 1 - (-F.relu(x - when) / pace).exp(), torch.zeros_like(y))
    return torch.where(there & (x > when), low + (y - low) * back, y)
