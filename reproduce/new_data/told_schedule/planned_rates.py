"""Random planned learning rates, relative to the highest: constant, drops, cosine or linear to zero; some warm up first.

Shapes: n runs, T epochs x = 1 .. T (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

SHAPES = ("constant", "drops", "cosine", "linear")
CONSTANT, DROPS = 0.3, 0.3  # of the runs; the others fall to zero, half of them linearly
WARM = 0.35
AT_ONCE = 0.6  # of those that fall to zero: right after the warm-up, the others later
LEAST = 1e-4


def rates(x: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
    """-> rate (n, T), above 0 and up to 1, and the number of its shape (n, 1)"""
    kind, T = dice.uniform(0, 1), x.shape[1]
    warm = dice.one_of(WARM, dice.uniform(1, T / 5).round(), torch.zeros_like(kind))
    begins = warm + dice.one_of(AT_ONCE, torch.zeros_like(kind), dice.uniform(0, 0.9) * (T - warm))
    passed = (F.relu(x - 1 - begins) / (T - begins)).clamp(max=1)
    falling = (dropped(x, dice), (1 + (math.pi * passed).cos()) / 2, 1 - passed)
    number = (
        (kind > CONSTANT).long()
        + (kind > CONSTANT + DROPS).long()
        + (kind > (1 + CONSTANT + DROPS) / 2).long()
    )
    shaped = torch.ones_like(passed)
    for i, one in enumerate(falling, 1):
        shaped = torch.where(number == i, one, shaped)
    return ((x / (warm + 1)).clamp(max=1) * shaped).clamp(min=LEAST), number


def dropped(x: Tensor, dice: Dice) -> Tensor:
    """One to three drops, each by the same factor."""
    fall, T = dice.log_uniform(0.03, 0.5), x.shape[1]
    rate = torch.ones_like(x)
    for chance in (1.0, 0.5, 0.25):
        there, when = dice.happens(chance), dice.uniform(0.05 * T, 0.95 * T)
        rate = rate * torch.where(there & (x > when), fall, 1.0)
    return rate
