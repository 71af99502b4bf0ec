"""How a run gets better: from 0 at its first epoch towards 1, by one shape or by two of them.

Shapes: n runs, T epochs x = 1 .. T (1, T); z = x - 1; every parameter is a column (n, 1).
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

HALF_TIME = (0.4, 400.0)  # epochs until half of it is there: some are done at once, some have hardly begun
SOFT = 199.0  # z at which the logarithm has come to 1


def power(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    return 1 - (1 + z / half) ** -sharp


def exponential(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    return 1 - 0.5 ** (z / half)


def janoschek(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    return 1 - 0.5 ** ((z / half) ** sharp.clamp(0.3, 3))


def logarithm(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    return (z / half).log1p() / (SOFT / half).log1p()


def hill(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    eta = sharp.clamp(0.4, 4)
    return z**eta / (half**eta + z**eta)


def logistic(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    """It takes off late: slow, then fast, then slow."""
    rate = 4 * sharp / half.clamp(min=1)
    start = torch.sigmoid(-rate * half)
    return (torch.sigmoid(rate * (z - half)) - start) / (1 - start)


def still_going(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    """A power of time: no end is in sight."""
    return (z / 99) ** sharp.clamp(0.4, 3)


SHAPES = (power, exponential, janoschek, logarithm, hill, logistic, logistic, still_going, still_going)


def growth(x: Tensor, dice: Dice) -> Tensor:
    """One shape, or one and later another on top of it.  -> (n, T)"""
    begins = dice.one_of(0.5, dice.log_uniform(1, 90), torch.ones_like(x[:1, :1]))
    share = dice.one_of(0.5, dice.uniform(0, 1), torch.ones_like(begins))
    return share * _one(x, dice) + (1 - share) * _one(F.relu(x - begins) + 1, dice)


def late(x: Tensor, dice: Dice) -> Tensor:
    """Nothing at all for a while, then quickly."""
    waits, pace = dice.log_uniform(2, 80), dice.log_uniform(1, 60)
    return 1 - (-F.relu(x - waits) / pace).exp()


def _one(x: Tensor, dice: Dice) -> Tensor:
    half, sharp = dice.log_uniform(*HALF_TIME), dice.normal(0, 0.6).exp()
    which = (dice.uniform(0, 1) * len(SHAPES)).long()  # (n, 1)
    z = x - 1 + 1e-6
    found = torch.zeros(len(which), x.shape[1], dtype=half.dtype, device=half.device)
    for i, shape in enumerate(SHAPES):
        some = (which[:, 0] == i).nonzero()[:, 0]
        found[some] = shape(z.expand(len(which), -1)[some], half[some], sharp[some])
    return found
