"""Runs as people log them: growth, schedule, turns, wiggles, noise and collapses, as a score or as a loss.

A score lies between 0 and 1, higher is better. A loss starts at 1, falls, and is normalised as every loss without an
upper bound is: by a logistic curve around its first value (curvecast.forecasting.normalise).
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor

from curvecast.curves.counter import RandomSource
from curvecast.curves.laws import growth, rates
from curvecast.curves.laws.growth import Dice

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves, for all files of this folder

FEATURES = (
    "late", "flat", "steps", "anneal", "turns", "wiggles", "quiet noise", "falling noise", "memory", "tails",
    "collapse", "quantised", "clipped", "losses",
)  # fmt: skip
# shares of the runs
LOSSES = 0.35
FLAT = 0.15
LATE = 0.08
QUANTISED = 0.12
CLIPPED = 0.7
BY_A_FACTOR = 0.4


def real_runs(
    n: int, length: int, without: tuple[str, ...], generator: RandomSource
) -> tuple[Tensor, Tensor, Tensor]:
    """-> without noise (n, T), as logged (n, T), initial scale of the noise (n,)"""
    dice = Dice(n, generator)
    x = torch.arange(1.0, length + 1, dtype=dice.uniform(0, 1).dtype, device=dice.uniform(0, 1).device)[None]
    is_loss = dice.happens(0.0 if "losses" in without else LOSSES)
    gain = growth.growth(x, dice)
    if "late" not in without:
        gain = torch.where(dice.happens(LATE), growth.late(x, dice), gain)
    gain, missing, calm = rates.scheduled(gain, x, without, dice)
    gain = gain if "turns" in without else growth.turned(gain, x, dice)
    flat = dice.happens(0.0 if "flat" in without else FLAT)
    e, size = growth.noise(x, calm, without, dice)
    scores = _scores(gain, missing, e, flat, x, without, dice)
    losses = _losses(gain, missing, e, flat, x, without, dice)
    clean, noisy = (torch.where(is_loss, loss, score) for loss, score in zip(losses, scores, strict=True))
    return clean, noisy, size[:, 0]


def _scores(
    gain: Tensor, missing: Tensor, e: Tensor, flat: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice
) -> tuple[Tensor, Tensor]:  # fmt: skip
    start = dice.one_of(0.3, dice.uniform(0, 0.15), dice.uniform(0, 1))
    share = dice.one_of(0.75, dice.uniform(0, 1), dice.log_uniform(0.003, 1))  # of the distance to the best
    total_gain = torch.where(flat, 0.0, (1 - start) * share)
    clean = 1 - (1 - start) * remaining(gain, torch.where(flat, 0.0, share), dice)
    clean = clean + _gained(1 - clean, total_gain, missing)
    if "wiggles" not in without:
        clean = clean + growth.wiggles(x, total_gain, dice)
    y = clean + e
    if "collapse" not in without:
        guessing = dice.one_of(0.5, start * dice.uniform(0.3, 1), dice.uniform(0, 0.2))
        y = growth.collapsed(y, guessing + 0.3 * e, x, dice)
    if "quantised" not in without:
        grain = dice.log_uniform(30, 5000).round()  # size of the evaluation set
        y = torch.where(dice.happens(QUANTISED), (y * grain).round() / grain, y)
    return clean, y if "clipped" in without else torch.where(dice.happens(CLIPPED), y.clamp(0, 1), y)


def _losses(
    gain: Tensor, missing: Tensor, e: Tensor, flat: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice
) -> tuple[Tensor, Tensor]:  # fmt: skip
    floor = dice.one_of(0.5, dice.uniform(0, 1), dice.log_uniform(0.003, 1))  # relative to the first loss
    total_gain = torch.where(flat, 0.0, 1 - floor)
    clean = remaining(gain, total_gain, dice)
    clean = clean - _gained(clean, total_gain, missing)
    if "wiggles" not in without:
        clean = clean * (1 - growth.wiggles(x, total_gain, dice)).clamp(min=0.05)
    y = clean - 1.5 * e * clean.clamp(0.02, 3)
    if "collapse" not in without:
        y = growth.collapsed(y, 1 + 0.3 * dice.log_uniform(1, math.exp(3)), x, dice)
    first = y[:, :1].clamp(min=1e-4)
    return normalised(clean.clamp(min=1e-4) / first), normalised(y.clamp(min=1e-4) / first)


def remaining(gain: Tensor, share: Tensor, dice: Dice) -> Tensor:
    """What remains of the distance to the best value: it shrinks linearly in the gain, or exponentially."""
    factor = (1 - share).clamp(min=0.003).log()
    return dice.one_of(BY_A_FACTOR, (factor * gain).clamp(max=1).exp(), 1 - share * gain)


def _gained(remaining: Tensor, total_gain: Tensor, missing: Tensor) -> Tensor:
    """What the schedule gains of the `remaining` distance: never more than the run's total gain."""
    return torch.minimum(remaining.clamp(min=0), total_gain) * (1 - missing)


def normalised(ratio: Tensor) -> Tensor:
    """A loss over its first value on the scale of the network: 1 at zero loss, 0.37 at the first value, 0 far above."""
    start = torch.sigmoid(torch.tensor(-1.0, dtype=ratio.dtype))
    return 1 - (torch.sigmoid(2 * ratio - 1) - start) / (1 - start)
