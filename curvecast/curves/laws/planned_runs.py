"""Runs with their planned learning rates, as people log them: what the rate does to growth and noise, and what it does not.

In some runs progress is slow where the rate is low: their time goes by the rate, or by a power of it. What the rate has
fallen from its height is gained after some epochs: a share of what is missing, to the run's own end or to the best value,
or so many sizes of its noise. And the noise falls with the rate. Some runs stay at chance level, for good or for long;
some end early.
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.counter import RandomSource
from curvecast.curves.laws import growth, rates
from curvecast.curves.laws.growth import Dice
from curvecast.curves.laws.rates import BEYOND, SHAPES, TO_THE_BEST
from curvecast.curves.laws.real_runs import CLIPPED, LOSSES, QUANTISED, normalised, remaining

BEHAVIOUR = 2  # raise by hand when the same generator gives other curves, here or in rates.py

SHORTEST = 8.0  # epochs
BY_NOISE = 0.5  # of those: by so many sizes of their noise
BY_RATE = 0.4  # of the runs with such a clock: by the rate itself, in the others by a power of it
FLAT = 0.12
WAYS = (2, 2, 3, 4, 4, 5, 10, 20, 100, 1000)  # to guess


@dataclass(frozen=True)
class Shares:
    """Of the runs, unless something else is said."""

    constant: float = 0.2  # rate
    drops: float = 0.3
    gains: float = 0.4  # of those that are annealed: become better where the rate falls
    leaps: float = 0.9  # of those with drops
    by_clock: float = 0.3  # have a clock that goes by the rate
    milestones: float = 0.5  # of the plans with drops: at round shares of the run
    calmer: float = 0.8  # highest power of the rate by which the noise falls
    settles: float = 0.2  # have noise that ends with the growth
    short: float = 0.4  # end before the last epoch
    chance: float = 0.09  # of the scores: begin at chance level
    late: float = 0.12
    smooth: float = 0.2  # have hardly any noise
    drift: float = 0.3  # wander slowly, however little they gain


class Planned(NamedTuple):
    clean: Tensor  # (n, T)
    noisy: Tensor  # (n, T) as a network reads it: 0 to 1, more is better
    sigma: Tensor  # (n,) scale of the noise in the first epoch
    rate: Tensor  # (n, T) relative to the highest planned rate
    shape: Tensor  # (n,) its place in rates.SHAPES
    end: Tensor  # (n,) the last epoch of the run; what follows is no run any more


def planned_runs(shares: Shares, n: int, length: int, generator: RandomSource) -> Planned:
    dice = Dice(n, generator)
    like = dice.uniform(0, 1)
    x = torch.arange(1.0, length + 1, dtype=like.dtype, device=like.device)[None]
    whole = torch.full_like(like, length)
    span = dice.one_of(shares.short, dice.log_uniform(SHORTEST, length), whole)
    rate, shape = rates.rates(x, span, shares.constant, shares.drops, shares.milestones, dice)
    clock = torch.where(dice.happens(shares.by_clock), rates.time_by_rate(rate, BY_RATE, dice), x)
    gain = growth.growth(clock, dice)
    gain = torch.where(dice.happens(shares.late), growth.late(clock, dice), gain)
    fallen = 1 - rate / rate.cummax(1).values
    calm = (rate / rate.cummax(1).values) ** dice.uniform(0, shares.calmer)
    settled = dice.one_of(shares.settles, dice.uniform(0.2, 1.5), torch.zeros_like(like))
    left = (1 - gain).clamp(0.003, 1) ** settled
    e, size = growth.noise(x, (calm * left).clamp(min=0.003), (), dice)
    quieter = dice.one_of(shares.smooth, dice.log_uniform(0.003, 0.3), torch.ones_like(size))
    e, size = e * quieter, size * quieter
    is_loss, flat = dice.happens(LOSSES), dice.happens(FLAT)
    drift = growth.wiggles(x, torch.zeros_like(size), dice)
    wanders = dice.happens(shares.drift)
    drift = torch.where(wanders, drift * dice.log_uniform(0.3, 10), 0.0)
    gains = torch.where(shape == SHAPES.index("drops"), shares.leaps, shares.gains)
    scores = _scores(shares, x, clock, gain, gains, fallen, e, size, flat, drift, dice)
    losses = _losses(x, clock, gain, gains, fallen, e, size, flat, drift, dice)
    clean, noisy = (torch.where(is_loss, loss, score) for loss, score in zip(losses, scores, strict=True))
    return Planned(clean, noisy, size[:, 0], rate, shape[:, 0], span[:, 0].round().long())


def _grown(
    gains: Tensor, clock: Tensor, gain: Tensor, fallen: Tensor, size: Tensor, distance: Tensor, dice: Dice
) -> tuple[Tensor, Tensor]:
    """-> gain (n, T) in units of the run's own, and the share of the distance to the best value that is missing"""
    by_noise = (dice.log_uniform(0.5, 12) * size / distance.clamp(min=1e-4)).clamp(max=0.9)
    share = dice.one_of(BY_NOISE, by_noise, dice.uniform(0.0, 0.9))  # of what is missing, that is gained
    share = dice.one_of(gains, share, torch.zeros_like(share))
    gained = rates.followed(share * fallen ** dice.log_uniform(0.5, 4), dice.log_uniform(0.1, 8))
    beyond = dice.one_of(TO_THE_BEST, gained, torch.zeros_like(gained))
    return growth.turned(gain + F.relu(BEYOND - gain) * (gained - beyond), clock, dice), 1 - beyond


def _scores(
    shares: Shares, x: Tensor, clock: Tensor, gain: Tensor, gains: Tensor, fallen: Tensor, e: Tensor,
    size: Tensor, flat: Tensor, drift: Tensor, dice: Dice,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    ways = torch.tensor(WAYS, dtype=x.dtype, device=x.device)
    level = 1 / ways[(dice.uniform(0, 1) * len(WAYS)).long().clamp(max=len(WAYS) - 1)]
    guesses, evaluated = dice.happens(shares.chance), dice.log_uniform(50, 20_000)
    start = dice.one_of(0.3, dice.uniform(0, 0.15), dice.uniform(0, 1))
    start = torch.where(guesses, level, start)
    share = dice.one_of(0.7, dice.uniform(0, 1), dice.log_uniform(0.003, 1))
    flat = torch.where(guesses, dice.happens(0.5), flat)
    by_count = (start * (1 - start) / evaluated).sqrt() * dice.uniform(0.2, 1.5)  # of a set to evaluate on
    factor = torch.where(guesses, by_count / size.clamp(min=1e-9), torch.ones_like(size))
    e, size = e * factor, size * factor
    total_gain = torch.where(flat, 0.0, (1 - start) * share)
    distance = (1 - start) * (1 - share) + 0.5 * total_gain
    grown, missing = _grown(gains, clock, gain, fallen, size, distance, dice)
    clean = 1 - (1 - start) * remaining(grown, torch.where(flat, 0.0, share), dice)
    clean = clean + torch.minimum((1 - clean).clamp(min=0), total_gain) * (1 - missing)
    clean = clean + growth.wiggles(x, total_gain, dice) + drift
    y = clean + e
    guessing = dice.one_of(0.5, start * dice.uniform(0.3, 1), dice.uniform(0, 0.2))
    y = growth.collapsed(y, guessing + 0.3 * e, x, dice)
    grain = torch.where(guesses, evaluated, dice.log_uniform(30, 5000)).round()
    y = torch.where(dice.happens(QUANTISED) | (guesses & dice.happens(0.5)), (y * grain).round() / grain, y)
    return clean, torch.where(dice.happens(CLIPPED), y.clamp(0, 1), y)


def _losses(
    x: Tensor, clock: Tensor, gain: Tensor, gains: Tensor, fallen: Tensor, e: Tensor, size: Tensor,
    flat: Tensor, drift: Tensor, dice: Dice,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """A loss that starts at 1, by the map of all losses."""
    floor = dice.one_of(0.5, dice.uniform(0, 1), dice.log_uniform(0.003, 1))
    total_gain = torch.where(flat, 0.0, 1 - floor)
    grown, missing = _grown(gains, clock, gain, fallen, size, floor + 0.2 * total_gain, dice)
    clean = remaining(grown, total_gain, dice)
    clean = clean - torch.minimum(clean.clamp(min=0), total_gain) * (1 - missing)
    clean = clean * (1 - growth.wiggles(x, total_gain, dice) - drift).clamp(min=0.05)
    y = clean - 1.5 * e * clean.clamp(0.02, 3)
    y = growth.collapsed(y, 1 + 0.3 * dice.log_uniform(1, math.exp(3)), x, dice)
    first = y[:, :1].clamp(min=1e-4)
    return normalised(clean.clamp(min=1e-4) / first), normalised(y.clamp(min=1e-4) / first)
