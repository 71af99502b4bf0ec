"""What the learning rate does to a run: it drops at once, or it is annealed to nothing until the run ends.

Either way a share of what is missing is gained, and the noise gets smaller. What is missing counts to the run's own end in
some runs, and to the best value that the metric can have in others.
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

STEPS = 0.15  # chance of a drop, twice
ANNEALED = 0.65
TO_THE_BEST = 0.55  # of the runs: what is missing counts to the best value that the metric can have
BEYOND = 1.1  # an end of its own lies a little further than growth alone would come


class Scheduled(NamedTuple):
    gain: Tensor  # (n, T), in units of the run's own way
    missing: Tensor  # (n, T), the share of the way to the best value that the schedule has left
    calm: Tensor  # (n, T), size of the noise beside that of the first epoch


def scheduled(gain: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice) -> Scheduled:
    to_the_best = dice.happens(TO_THE_BEST)
    missing = calm = torch.ones_like(gain)
    events = [_annealed(x, dice)] if "anneal" not in without else []
    if "steps" not in without:
        events = [_step(x, dice), _step(x, dice), *events]
    for gained, quiet in events:
        gain = gain + F.relu(BEYOND - gain) * torch.where(to_the_best, 0.0, gained)
        missing = missing * (1 - torch.where(to_the_best, gained, 0.0))
        calm = calm * quiet
    return Scheduled(gain, missing, calm)


def _step(x: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
    """Share gained and what is left of the noise, (n, T) each: the rate drops at some epoch."""
    there, when = dice.happens(STEPS), dice.uniform(2, 100)
    share, pace, quiet = dice.uniform(0.05, 0.7), dice.log_uniform(0.2, 8), dice.uniform(0.15, 0.9)
    after = there & (x > when)
    gained = torch.where(after, share * (1 - (-F.relu(x - when) / pace).exp()), 0.0)
    return gained, torch.where(after, quiet, 1.0)


def _annealed(x: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
    """The rate falls from some epoch on until the run ends, which is not always at the last epoch that is asked for."""
    there = dice.happens(ANNEALED)
    end = dice.one_of(0.4, dice.log_uniform(20, 100), torch.full_like(x[:, :1], 100.0))
    begins, share, bend = end * dice.uniform(0, 0.9), dice.uniform(0.05, 0.9), dice.log_uniform(0.6, 4)
    progress = ((x - begins) / (end - begins).clamp(min=1)).clamp(0, 1)
    return torch.where(there, share * progress**bend, 0.0), torch.where(there, 1 - 0.85 * progress, 1.0)
