"""Planned learning rates, relative to the highest: constant, in drops, or annealed to zero; some warm up first.

Drops often fall on round shares of the run, as people plan them. A run may end before the last epoch; its rate then stays.
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.laws.growth import Dice

SHAPES = ("constant", "drops", "cosine", "linear")
WARM = 0.35
AT_ONCE = 0.5  # of those that fall to zero: right after the warm-up, the others later
LEAST = 1e-3
ROUND = (0.25, 0.3, 1 / 3, 0.4, 0.5, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.75, 0.8, 0.85, 0.9)  # shares of a run
TENTH = 0.5  # of the drops: to a tenth


def rates(
    x: Tensor, span: Tensor, constant: float, drops: float, milestones: float, dice: Dice
) -> tuple[Tensor, Tensor]:
    """-> rate (n, T), above 0 and up to 1, and the number of its shape (n, 1)"""
    kind = dice.uniform(0, 1)
    warm = dice.one_of(WARM, (dice.uniform(0, 0.2) * span).round(), torch.zeros_like(kind))
    begins = warm + dice.one_of(AT_ONCE, torch.zeros_like(kind), dice.uniform(0, 0.9) * (span - warm))
    passed = (F.relu(x - 1 - begins) / (span - begins)).clamp(max=1)
    falling = (dropped(x, span, warm, milestones, dice), (1 + (math.pi * passed).cos()) / 2, 1 - passed)
    ends = (constant, constant + drops, (constant + drops + 1) / 2)  # half of the others fall linearly
    number = torch.cat([kind > level for level in ends], 1).sum(1, keepdim=True)
    shaped = torch.ones_like(passed)
    for i, one in enumerate(falling, 1):
        shaped = torch.where(number == i, one, shaped)
    return ((x / (warm + 1)).clamp(max=1) * shaped).clamp(min=LEAST), number


def dropped(x: Tensor, span: Tensor, warm: Tensor, milestones: float, dice: Dice) -> Tensor:
    """One to three drops after the warm-up, each by the same factor."""
    shares = torch.tensor(ROUND, dtype=x.dtype, device=x.device)
    fall = dice.one_of(TENTH, torch.full_like(span, 0.1), dice.log_uniform(0.03, 0.6))
    planned, rate = dice.happens(milestones), torch.ones_like(x)
    for chance in (1.0, 0.5, 0.25):
        there, anywhere = dice.happens(chance), dice.uniform(0.05, 0.95)
        round_share = shares[(dice.uniform(0, 1) * len(ROUND)).long().clamp(max=len(ROUND) - 1)]
        when = torch.maximum(torch.where(planned, round_share, anywhere) * span, warm + 1)
        rate = rate * torch.where(there & (x > when), fall, 1.0)
    return rate


def time_by_rate(rate: Tensor, by_rate: float, dice: Dice) -> Tensor:
    """1 at the first epoch; each later one advances by its rate.  -> (n, T)"""
    pace = rate ** dice.one_of(by_rate, torch.ones_like(rate[:, :1]), dice.uniform(0, 1))
    return (1 + pace.cumsum(1) - pace[:, :1]).clamp(min=1)  # a rounding below it has no power


def followed(aim: Tensor, pace: Tensor) -> Tensor:
    """What comes nearer to its aim by a share of the way each epoch.  (n, T), (n, 1) -> (n, T)"""
    kept, nearer = [aim[:, :1]], 1 - (-1 / pace).exp()
    for one in aim[:, 1:].split(1, dim=1):
        kept.append(kept[-1] + nearer * (one - kept[-1]))
    return torch.cat(kept, 1)


# -----------------------------------------------------------------------------------------------------------
# Effects of the learning rate on a run: the rate drops in a step, or is annealed to zero at the end of the run.
#
# Either way the run gains a share of the remaining distance, and its noise shrinks. The distance is measured to the run's
# own final value in some runs, and to the best possible value of the metric in others.

STEPS = 0.15  # chance of a step, drawn twice
ANNEALED = 0.65  # share of the runs
TO_THE_BEST = 0.55  # share of the runs whose distance is measured to the best possible value
BEYOND = 1.1  # the run's own final value, a little beyond the limit of growth


def scheduled(gain: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice) -> tuple[Tensor, Tensor, Tensor]:
    """-> gain in units of the run's own, the share of the distance to the best value that is left, scale of the noise"""
    to_the_best = dice.happens(TO_THE_BEST)
    missing = calm = torch.ones_like(gain)
    events = [_annealed(x, dice)] if "anneal" not in without else []
    if "steps" not in without:
        events = [_step(x, dice), _step(x, dice), *events]
    for gained, quiet in events:
        gain = gain + F.relu(BEYOND - gain) * torch.where(to_the_best, 0.0, gained)
        missing = missing * (1 - torch.where(to_the_best, gained, 0.0))
        calm = calm * quiet
    return gain, missing, calm  # (n, T) each


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
