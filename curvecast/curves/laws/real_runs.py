"""Runs as people log them: growth, schedule, turns, wiggles, noise, accidents; as a score, or as a loss.

A score lies between 0 and 1, more is better. A loss starts at 1, falls, and reaches the network by the same map as every
loss without an upper bound: the logistic curve around its first value (curvecast.forecasting.normalise).
Shapes: n runs, T epochs x (1, T); parameters are columns (n, 1).
"""

import math

import torch
from torch import Tensor

from curvecast.curves.draw import Chance
from curvecast.curves.laws import decline, growth, noise, schedule
from curvecast.curves.laws.dice import Dice

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves, by whichever file of this folder

FEATURES = (
    "late", "flat", "steps", "anneal", "turns", "wiggles", "falling noise", "memory", "tails", "collapse",
    "quantised", "clipped", "losses",
)  # fmt: skip
LOSSES = 0.35  # share of the runs
FLAT = 0.15
LATE = 0.08
QUANTISED = 0.12
CLIPPED = 0.7
BY_A_FACTOR = 0.4


def real_runs(
    n: int, length: int, without: tuple[str, ...], generator: Chance
) -> tuple[Tensor, Tensor, Tensor]:
    """-> without noise (n, T), as logged (n, T), size of the noise at first (n,)"""
    dice = Dice(n, generator)
    x = torch.arange(1.0, length + 1, dtype=dice.uniform(0, 1).dtype, device=dice.uniform(0, 1).device)[None]
    is_loss = dice.happens(0.0 if "losses" in without else LOSSES)
    gain = growth.growth(x, dice)
    if "late" not in without:
        gain = torch.where(dice.happens(LATE), growth.late(x, dice), gain)
    at = schedule.scheduled(gain, x, without, dice)
    gain = at.gain if "turns" in without else decline.turned(at.gain, x, dice)
    flat = dice.happens(0.0 if "flat" in without else FLAT)
    e, size = noise.noise(x, at.calm, without, dice)
    scores = _scores(gain, at.missing, e, flat, x, without, dice)
    losses = _losses(gain, at.missing, e, flat, x, without, dice)
    clean, noisy = (torch.where(is_loss, one, other) for one, other in zip(losses, scores, strict=True))
    return clean, noisy, size[:, 0]


def _scores(
    gain: Tensor, missing: Tensor, e: Tensor, flat: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice
) -> tuple[Tensor, Tensor]:  # fmt: skip
    start = dice.one_of(0.3, dice.uniform(0, 0.15), dice.uniform(0, 1))
    share = dice.one_of(0.75, dice.uniform(0, 1), dice.log_uniform(0.003, 1))  # of the way to the best
    way = torch.where(flat, 0.0, (1 - start) * share)
    clean = 1 - (1 - start) * _left(gain, torch.where(flat, 0.0, share), dice)
    clean = clean + _gained(1 - clean, way, missing)
    if "wiggles" not in without:
        clean = clean + noise.wiggles(x, way, dice)
    y = clean + e
    if "collapse" not in without:
        guessing = dice.one_of(0.5, start * dice.uniform(0.3, 1), dice.uniform(0, 0.2))
        y = decline.collapsed(y, guessing + 0.3 * e, x, dice)
    if "quantised" not in without:
        grain = dice.log_uniform(30, 5000).round()  # examples that the score was counted on
        y = torch.where(dice.happens(QUANTISED), (y * grain).round() / grain, y)
    return clean, y if "clipped" in without else torch.where(dice.happens(CLIPPED), y.clamp(0, 1), y)


def _losses(
    gain: Tensor, missing: Tensor, e: Tensor, flat: Tensor, x: Tensor, without: tuple[str, ...], dice: Dice
) -> tuple[Tensor, Tensor]:  # fmt: skip
    floor = dice.one_of(0.5, dice.uniform(0, 1), dice.log_uniform(0.003, 1))  # beside the loss at first
    way = torch.where(flat, 0.0, 1 - floor)
    clean = _left(gain, way, dice)
    clean = clean - _gained(clean, way, missing)
    if "wiggles" not in without:
        clean = clean * (1 - noise.wiggles(x, way, dice)).clamp(min=0.05)
    y = clean - 1.5 * e * clean.clamp(0.02, 3)
    if "collapse" not in without:
        y = decline.collapsed(y, 1 + 0.3 * dice.log_uniform(1, math.exp(3)), x, dice)
    first = y[:, :1].clamp(min=1e-4)
    return _as_seen(clean.clamp(min=1e-4) / first), _as_seen(y.clamp(min=1e-4) / first)


def _left(gain: Tensor, share: Tensor, dice: Dice) -> Tensor:
    """Of what is missing to the best value, how much is left: it shrinks by a share, or by a factor, as in power laws."""
    factor = (1 - share).clamp(min=0.003).log()
    return dice.one_of(BY_A_FACTOR, (factor * gain).clamp(max=1).exp(), 1 - share * gain)


def _gained(left: Tensor, way: Tensor, missing: Tensor) -> Tensor:
    """What the schedule gains of what is `left` to the best value: never more than the run's own way is long."""
    return torch.minimum(left.clamp(min=0), way) * (1 - missing)


def _as_seen(ratio: Tensor) -> Tensor:
    """A loss over its first value, as the network sees it: 1 at no loss, 0.37 at the first value, 0 far above it."""
    start = torch.sigmoid(torch.tensor(-1.0, dtype=ratio.dtype))
    return 1 - (torch.sigmoid(2 * ratio - 1) - start) / (1 - start)
