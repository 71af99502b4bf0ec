"""What is not the law of a run: smooth wiggles, and noise with a memory and with a size that changes.

Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor

from curvecast.curves.laws.dice import Dice

WIGGLES = 0.6  # share of the runs that have some
WAVES = 5
QUIET = 0.67  # of the runs; the others have the noise of the paper
FALLS = 0.5
REMEMBERS = 0.45
HEAVY = 0.2  # Student's t, three degrees of freedom


def wiggles(x: Tensor, way: Tensor, dice: Dice) -> Tensor:
    """A sum of slow waves in the logarithm of time, 0 at the first epoch; larger where there is more to gain.  -> (n, T)"""
    there, size = dice.happens(WIGGLES), dice.log_uniform(0.003, 0.4) * (0.01 + way)
    total = torch.zeros(dice.n, x.shape[1], dtype=x.dtype, device=x.device)
    for _ in range(WAVES):
        pitch, phase = dice.log_uniform(0.3, 5), dice.uniform(0, 2 * math.pi)
        total = total + (pitch * x.log() + phase).sin() * dice.normal(0, 0.7) / pitch.clamp(min=1)
    return torch.where(there, size * (total - total[:, :1]), 0.0)


def noise(x: Tensor, calm: Tensor, without: tuple[str, ...], dice: Dice) -> tuple[Tensor, Tensor]:
    """-> noise (n, T), and its size at the first epoch (n, 1)"""
    size = dice.one_of(QUIET, dice.normal(-5.3, 1.2), dice.normal(-4, 1)).exp()
    falls = dice.one_of(FALLS, dice.uniform(0, 0.8), torch.zeros_like(size))
    memory = dice.one_of(REMEMBERS, dice.uniform(0, 0.97), torch.zeros_like(size))
    heavy = dice.happens(HEAVY)
    e, chi = dice.normal(0, 1, x.shape[1]), _root_mean_square(dice, x.shape[1])
    if "tails" not in without:
        e = torch.where(heavy, e / chi.clamp(min=0.15) / 1.5, e)
    if "memory" not in without:
        e = _remembered(e, memory)
    if "falling noise" not in without:
        calm = calm * x**-falls
    return e * size * calm, size


def _root_mean_square(dice: Dice, columns: int) -> Tensor:
    """Of three normal numbers: below it a normal number becomes Student's t."""
    return sum((dice.normal(0, 1, columns) ** 2 for _ in range(3)), torch.zeros(())).div(3).sqrt()


def _remembered(e: Tensor, memory: Tensor) -> Tensor:
    """Each value keeps this share of the one before; the size stays."""
    fresh = (1 - memory**2).sqrt()
    kept = [e[:, :1]]
    for one in e[:, 1:].split(1, dim=1):
        kept.append(memory * kept[-1] + fresh * one)
    return torch.cat(kept, 1)
