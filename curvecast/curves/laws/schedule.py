"""Effects of the learning rate on a run: the rate drops in a step, or is annealed to zero at the end of the run.

Either way the run gains a share of the remaining distance, and its noise shrinks. The distance is measured to the run's
own final value in some runs, and to the best possible value of the metric in others.
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.dice import Dice

STEPS = 0.15  # chance of a step, drawn twice
ANNEALED = 0.65  # share of the runs
TO_THE_BEST = 0.55  # share of the runs whose distance is measured to the best possible value
BEYOND = 1.1  # the run's own final value, a little beyond the limit of growth


class Scheduled(NamedTuple):
    gain: Tensor  # (n, T), in units of the run's total gain
    missing: Tensor  # (n, T), share of the distance to the best value that the schedule leaves
    calm: Tensor  # (n, T), scale of the noise relative to the first epoch


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
    """The rate drops at a random epoch.  -> share gained, factor of the noise, (n, T) each"""
    has_step, start = dice.happens(STEPS), dice.uniform(2, 100)
    share, pace, quiet = dice.uniform(0.05, 0.7), dice.log_uniform(0.2, 8), dice.uniform(0.15, 0.9)
    after = has_step & (x > start)
    gained = torch.where(after, share * (1 - (-F.relu(x - start) / pace).exp()), 0.0)
    return gained, torch.where(after, quiet, 1.0)


def _annealed(x: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
    """The rate falls until the run ends, which may be before the last epoch.  -> as `_step`"""
    is_annealed = dice.happens(ANNEALED)
    end = dice.one_of(0.4, dice.log_uniform(20, 100), torch.full_like(x[:, :1], 100.0))
    start, share, bend = end * dice.uniform(0, 0.9), dice.uniform(0.05, 0.9), dice.log_uniform(0.6, 4)
    progress = ((x - start) / (end - start).clamp(min=1)).clamp(0, 1)
    gained = torch.where(is_annealed, share * progress**bend, 0.0)
    return gained, torch.where(is_annealed, 1 - 0.85 * progress, 1.0)
