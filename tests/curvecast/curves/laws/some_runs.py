"""What laws are tried on: the dice of six thousand runs of a hundred epochs."""

import numpy as np
import torch

from curvecast.curves.laws.dice import Dice

N = 6000
X = torch.arange(1.0, 101, dtype=torch.float64)[None]


def dice() -> Dice:
    return Dice(N, np.random.default_rng(0))
