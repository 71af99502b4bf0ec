"""How a run improves: from 0 at its first epoch towards 1, along one shape or a mixture of two.

Shapes: n runs, T epochs x = 1 .. T (1, T); z = x - 1; every parameter is a column (n, 1).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves.counter import Draw, RandomSource

# -----------------------------------------------------------------------------------------------------------
# Random numbers, one for each of n curves, as a column (n, 1).


class Dice:
    def __init__(self, n: int, generator: RandomSource):
        self.n, self.draw = n, Draw(generator)

    def uniform(self, low: float, high: float) -> Tensor:
        return self.draw.uniform(low, high, self.n)[:, None]

    def log_uniform(self, low: float, high: float) -> Tensor:
        """Uniform in the logarithm: as often between 1 and 10 as between 10 and 100."""
        return self.uniform(math.log(low), math.log(high)).exp()

    def normal(self, mean: float, sd: float, columns: int = 1) -> Tensor:
        return self.draw.normal(mean, sd, self.n, columns)

    def happens(self, chance: float | Tensor) -> Tensor:
        return self.uniform(0, 1) < chance

    def one_of(self, chance: float | Tensor, then: Tensor, other: Tensor) -> Tensor:
        """`then` with this chance, else `other`."""
        return torch.where(self.happens(chance), then, other)


HALF_TIME = (0.4, 400.0)  # epochs until half of the growth is reached
SOFT = 199.0  # z at which the logarithm reaches 1


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
    """Slow, then fast, then slow."""
    rate = 4 * sharp / half.clamp(min=1)
    start = torch.sigmoid(-rate * half)
    return (torch.sigmoid(rate * (z - half)) - start) / (1 - start)


def still_going(z: Tensor, half: Tensor, sharp: Tensor) -> Tensor:
    """A power of time: it does not saturate."""
    return (z / 99) ** sharp.clamp(0.4, 3)


SHAPES = (power, exponential, janoschek, logarithm, hill, logistic, logistic, still_going, still_going)


def growth(x: Tensor, dice: Dice) -> Tensor:
    """One shape, or a mixture of two of which the second may start later.  -> (n, T)"""
    second_start = dice.one_of(0.5, dice.log_uniform(1, 90), torch.ones_like(x[:1, :1]))
    share = dice.one_of(0.5, dice.uniform(0, 1), torch.ones_like(second_start))
    return share * _single_shape(x, dice) + (1 - share) * _single_shape(F.relu(x - second_start) + 1, dice)


def late(x: Tensor, dice: Dice) -> Tensor:
    """No growth for a while, then fast growth."""
    start, pace = dice.log_uniform(2, 80), dice.log_uniform(1, 60)
    return 1 - (-F.relu(x - start) / pace).exp()


def _single_shape(x: Tensor, dice: Dice) -> Tensor:
    half, sharp = dice.log_uniform(*HALF_TIME), dice.normal(0, 0.6).exp()
    shape_index = (dice.uniform(0, 1) * len(SHAPES)).long()  # (n, 1)
    z = x - 1
    grown = torch.zeros(len(shape_index), x.shape[1], dtype=half.dtype, device=half.device)
    for i, shape in enumerate(SHAPES):
        rows = (shape_index[:, 0] == i).nonzero()[:, 0]
        grown[rows] = shape(z.expand(len(shape_index), -1)[rows], half[rows], sharp[rows])
    return grown


# -----------------------------------------------------------------------------------------------------------
# How a run gets worse: a slow turn, such as overfitting, or a collapse to chance level.

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


# -----------------------------------------------------------------------------------------------------------
# What a smooth curve leaves out: slow wiggles, and autocorrelated noise with a changing scale.

WIGGLES = 0.6  # share of the runs that have wiggles
WAVES = 5
QUIET = 0.67  # share of the runs; the others have the noise of the paper
FALLS = 0.5  # share with noise that shrinks
REMEMBERS = 0.45  # share with autocorrelated noise
HEAVY = 0.2  # share with Student's t noise, three degrees of freedom


def wiggles(x: Tensor, total_gain: Tensor, dice: Dice) -> Tensor:
    """A sum of slow waves in log time, 0 at the first epoch; larger where the run gains more.  -> (n, T)"""
    has_wiggles, size = dice.happens(WIGGLES), dice.log_uniform(0.003, 0.4) * (0.01 + total_gain)
    total = torch.zeros(dice.n, x.shape[1], dtype=x.dtype, device=x.device)
    for _ in range(WAVES):
        pitch, phase = dice.log_uniform(0.3, 5), dice.uniform(0, 2 * math.pi)
        total = total + (pitch * x.log() + phase).sin() * dice.normal(0, 0.7) / pitch.clamp(min=1)
    return torch.where(has_wiggles, size * (total - total[:, :1]), 0.0)


def noise(x: Tensor, calm: Tensor, without: tuple[str, ...], dice: Dice) -> tuple[Tensor, Tensor]:
    """-> noise (n, T), and its scale at the first epoch (n, 1)"""
    quiet = 0.0 if "quiet noise" in without else QUIET
    size = dice.one_of(quiet, dice.normal(-5.3, 1.2), dice.normal(-4, 1)).exp()
    falls = dice.one_of(FALLS, dice.uniform(0, 0.8), torch.zeros_like(size))
    memory = dice.one_of(REMEMBERS, dice.uniform(0, 0.97), torch.zeros_like(size))
    heavy = dice.happens(HEAVY)
    e = dice.normal(0, 1, x.shape[1])
    squares = sum((dice.normal(0, 1, x.shape[1]) ** 2 for _ in range(3)), torch.zeros(()))
    chi = squares.div(3).sqrt()  # a normal number divided by it is Student's t
    if "tails" not in without:
        e = torch.where(heavy, e / chi.clamp(min=0.15) / 1.5, e)
    if "memory" not in without:
        e = _autocorrelated(e, memory)
    if "falling noise" not in without:
        calm = calm * x**-falls
    return e * size * calm, size


def _autocorrelated(e: Tensor, memory: Tensor) -> Tensor:
    """AR(1): each value keeps the share `memory` of the previous one; the variance does not change."""
    fresh_share = (1 - memory**2).sqrt()
    columns = [e[:, :1]]
    for innovation in e[:, 1:].split(1, dim=1):
        columns.append(memory * columns[-1] + fresh_share * innovation)
    return torch.cat(columns, 1)
