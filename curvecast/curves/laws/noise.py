"""What a smooth curve leaves out: slow wiggles, and autocorrelated noise with a changing scale.

Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor

from curvecast.curves.laws.growth import Dice

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
