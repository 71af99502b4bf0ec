"""Random planned learning rates, and simulated curves that follow from them.

Rates are relative to the highest: constant, drops, cosine or linear to zero; some warm up first.

The laws of curvecast.curves.laws draw the schedule's effect by chance; here the rate itself has it. Progress is slow where
the rate is low, as time counts by rates in many runs. What the rate has fallen from its height is gained after some
epochs: a share of what is missing, to the run's own end or to the best value. And the noise falls with the rate.
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.draw import Generator
from curvecast.curves.laws import decline, growth, noise
from curvecast.curves.laws.dice import Dice
from curvecast.curves.laws.schedule import BEYOND, TO_THE_BEST
from curvecast.forecasting.normalise import METRICS, Scale

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves

SHAPES = ("constant", "drops", "cosine", "linear")
CONSTANT, DROPS = 0.3, 0.3  # of the runs; the others fall to zero, half of them linearly
WARM = 0.35
AT_ONCE = 0.6  # of those that fall to zero: right after the warm-up, the others later
LEAST = 1e-4

LOSSES, FLAT, LATE = 0.35, 0.1, 0.08
BY_RATE = 0.5  # of the runs: time counts by rates, in the others by a power of them
GAINS = 0.8  # of the runs: a falling rate makes them better
LOWEST = 1e-4  # of a loss, relative to its first value


class Planned(NamedTuple):
    rate: Tensor  # (n, T) relative to the highest planned rate
    shape: Tensor  # (n,) its place in SHAPES
    y: Tensor  # (n, T) as a network reads it: 0 to 1, more is better


def planned_runs(n: int, length: int, generator: Generator) -> Planned:
    dice = Dice(n, generator)
    x = torch.arange(1.0, length + 1, dtype=dice.uniform(0, 1).dtype)[None]
    rate, shape = rates(x, dice)
    clock = time_by_rate(rate, dice)
    gain = torch.where(dice.happens(LATE), growth.late(clock, dice), growth.growth(clock, dice))
    fallen = 1 - rate / rate.cummax(1).values
    gained = gained_by(fallen, dice)
    beyond = dice.one_of(TO_THE_BEST, gained, torch.zeros_like(gained))
    gain = decline.turned(gain + F.relu(BEYOND - gain) * (gained - beyond), clock, dice)
    e, _ = noise.noise(x, 1 - dice.uniform(0, 0.9) * fallen, (), dice)
    flat, is_loss = dice.happens(FLAT), dice.happens(LOSSES)
    y = torch.where(is_loss, _losses(gain, beyond, e, flat, dice), _scores(gain, beyond, e, flat, x, dice))
    return Planned(rate, shape[:, 0], y.to(rate.dtype))


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


def time_by_rate(rate: Tensor, dice: Dice) -> Tensor:
    """1 at the first epoch; each later one takes as long as its rate is high.  -> (n, T)"""
    pace = rate ** dice.one_of(BY_RATE, torch.ones_like(rate[:, :1]), dice.uniform(0, 1))
    return (1 + pace.cumsum(1) - pace[:, :1]).clamp(min=1)  # a rounding below it has no power


def gained_by(fallen: Tensor, dice: Dice) -> Tensor:
    """The share of what is missing that a rate fallen so far has gained, a while later.  -> (n, T)"""
    share = dice.one_of(GAINS, dice.uniform(0.02, 0.9), torch.zeros_like(fallen[:, :1]))
    aim, pace = share * fallen ** dice.log_uniform(0.5, 4), dice.log_uniform(0.2, 8)
    kept, nearer = [aim[:, :1]], 1 - (-1 / pace).exp()
    for one in aim[:, 1:].split(1, dim=1):
        kept.append(kept[-1] + nearer * (one - kept[-1]))
    return torch.cat(kept, 1)


def _scores(gain: Tensor, beyond: Tensor, e: Tensor, flat: Tensor, x: Tensor, dice: Dice) -> Tensor:
    start = dice.one_of(0.3, dice.uniform(0, 0.15), dice.uniform(0, 1))
    share = dice.one_of(0.75, dice.uniform(0, 1), dice.log_uniform(0.003, 1))
    way = torch.where(flat, 0.0, (1 - start) * share)
    clean = start + way * gain
    clean = clean + torch.minimum((1 - clean).clamp(min=0), way) * beyond
    return (clean + noise.wiggles(x, way, dice) + e).clamp(0, 1)


def _losses(gain: Tensor, beyond: Tensor, e: Tensor, flat: Tensor, dice: Dice) -> Tensor:
    """A loss that starts at 1, by the map of all losses."""
    floor = dice.one_of(0.5, dice.uniform(0, 1), dice.log_uniform(0.003, 1))
    way = torch.where(flat, 0.0, 1 - floor)
    clean = dice.one_of(0.4, ((1 - way).log() * gain).clamp(max=1).exp(), 1 - way * gain)
    clean = clean - torch.minimum(clean.clamp(min=0), way) * beyond
    y = (clean * (1 - 1.5 * e)).clamp(min=LOWEST)
    told = Scale(METRICS["loss"], 1.0).to((y / y[:, :1]).numpy())
    return torch.from_numpy(told).clamp(0, 1)
