"""A prior of scaling curves: broken power laws over decades of steps, at few points with any spacing.

A curve e(s) falls as a power of s. At a break the exponent changes, softly; after some breaks the curve rises for a while, as
in double descent. Some curves end at a floor, the irreducible loss; some begin on a plateau. All is drawn as z = ln e against
l = ln s. What was logged has noise whose size is often tiny, and often only the best values so far were kept.
Shapes: n = curves, T = points seen, Q = points asked for, N = any points; what is drawn once for a curve is a column (n, 1).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from curvecast.curves.laws.growth import Dice

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


@dataclass(frozen=True)
class ScalingPrior:
    """Shares are of all curves, unless something else is said."""

    decades: tuple[float, float] = (0.5, 4.5)  # of steps, from the first seen to the last asked for
    slopes: tuple[float, float] = (0.03, 1.2)  # exponents of power laws
    breaks: tuple[float, ...] = (0.55, 0.4, 0.4)  # share with a break; of those, with a second, a third
    rises: float = 0.35  # share of the breaks after which the curve rises
    ends: float = 0.85  # share of the rises that end
    floor: tuple[float, float] = (1e-3, 30.0)  # over the lowest value asked for
    plateau: float = 0.35  # share with a plateau at the beginning
    wiggles: float = 0.3
    log_noise: tuple[float, float] = (-8.0, -3.0)
    grows: float = 0.5  # share whose noise grows or shrinks with the distance
    heavy: float = 0.2  # share with Student's t noise, three degrees of freedom
    spikes: float = 0.08  # share with single values that are much worse
    records: float = 0.45  # share of which only the best values so far are seen

    def behaviour(self) -> dict[str, int]:
        return {"scaling_prior": BEHAVIOUR}


class Scaling(NamedTuple):
    """Curves in logarithms. Some have fewer points than the others: mask."""

    l: Tensor  # (n, T), rising from 0  # noqa: E741
    z: Tensor  # (n, T) as logged
    mask: Tensor  # (n, T)
    l_query: Tensor  # (n, Q)
    z_query: Tensor  # (n, Q)
    end: Tensor  # (n, 1) the last step
    floor: Tensor  # (n, 1) z of the floor alone
    exponent: Tensor  # (n, 1) of the last power law; negative where the curve rises for good


def sample(prior: ScalingPrior, n: int, T: int, Q: int, generator: torch.Generator) -> Scaling:
    dice = Dice(n, generator)
    N = 3 * T  # of which T are seen: the best so far are fewer
    l, end = steps(prior, N, Q, dice, generator)  # noqa: E741
    clean, floor, exponent = laws(prior, l, end, dice)
    z = logged(prior, clean, dice, generator)
    index, mask = seen(prior, z[:, :N], T, dice)
    l_seen, z_seen = (part[:, :N].gather(1, index) for part in (l, z))
    return Scaling(l_seen, z_seen, mask, l[:, N:], z[:, N:], end, floor, exponent)


def steps(
    prior: ScalingPrior, N: int, Q: int, dice: Dice, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """N rising ln steps that may be seen, from 0, then Q later ones that are asked for.  -> (n, N + Q), (n, 1)"""
    end = dice.uniform(*prior.decades) * math.log(10)
    cut = end * (1 - dice.uniform(0.02, 0.5) * dice.uniform(0.3, 1))
    jitter = 0.45 * torch.rand(dice.n, N, generator=generator)
    jitter[:, 0] = jitter[:, -1] = 0
    even = (torch.arange(N) + jitter) / (N - 1)  # 0 .. 1
    later = torch.rand(dice.n, Q, generator=generator)
    in_log = torch.cat([even * cut, cut + later * (end - cut)], 1)
    after = (cut.exp() + later * (end.exp() - cut.exp())).log()
    in_steps = torch.cat([torch.log1p(even * cut.expm1()), after], 1)
    return dice.one_of(0.5, in_log, in_steps), end


# ------------------------------------------------------------------------------------------------ without noise


def laws(prior: ScalingPrior, l: Tensor, end: Tensor, dice: Dice) -> tuple[Tensor, Tensor, Tensor]:  # noqa: E741
    """-> z (n, N), its floor (n, 1), the last exponent (n, 1)"""
    z, exponent = bent(prior, l, end, dice)
    e = z.clamp(-12, 6).exp()
    floor = dice.log_uniform(*prior.floor) * e.amin(1, keepdim=True)
    e, floor = _plateau(prior, e + floor, floor, dice)
    z = e.log()
    return z + _wiggles(prior, z, l / end, dice), floor.log(), exponent


def bent(prior: ScalingPrior, l: Tensor, end: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:  # noqa: E741
    """A line with soft bends: a broken power law.  -> (n, N), the last exponent (n, 1)"""
    slope = dice.log_uniform(*prior.slopes)
    z, broken = -slope * l, torch.ones_like(slope, dtype=torch.bool)
    for chance in prior.breaks:
        broken = broken & dice.happens(chance)
        at, soft = dice.uniform(-0.1, 1.05) * end, dice.log_uniform(0.0125, 0.25) * end
        rises = broken & dice.happens(prior.rises)
        falls_by, rises_by = dice.log_uniform(*prior.slopes), 0.7 * dice.log_uniform(*prior.slopes)
        new = torch.where(broken, torch.where(rises, -rises_by, falls_by), slope)
        z = z + (slope - new) * _bend(l, at, soft)
        ends, until = rises & dice.happens(prior.ends), at + dice.log_uniform(0.05, 0.5) * end
        slope = torch.where(ends, dice.log_uniform(*prior.slopes), new)
        z = z + (new - slope) * _bend(l, until, soft)
    return z, slope


def _bend(l: Tensor, at: Tensor, soft: Tensor) -> Tensor:  # noqa: E741
    """0 at the first step, and a slope that grows from 0 to 1."""
    return soft * (softplus((l - at) / soft) - softplus(-at / soft))


def _plateau(prior: ScalingPrior, e: Tensor, floor: Tensor, dice: Dice) -> tuple[Tensor, Tensor]:
    """No value is worse than a top, which some curves leave late."""
    has, sharp = dice.happens(prior.plateau), dice.log_uniform(0.5, 4)
    top = dice.log_uniform(0.3, 30) * e[:, :1]
    below, floor_below = ((some**-sharp + top**-sharp) ** (-1 / sharp) for some in (e, floor))
    return torch.where(has, below, e), torch.where(has, floor_below, floor)


def _wiggles(prior: ScalingPrior, z: Tensor, place: Tensor, dice: Dice) -> Tensor:
    size = dice.log_uniform(0.002, 0.2) * (z.amax(1, keepdim=True) - z.amin(1, keepdim=True) + 0.01)
    waves = torch.zeros_like(z)
    for _ in range(3):
        pitch, phase = dice.log_uniform(0.5, 12), dice.uniform(0, 2 * math.pi)
        waves = waves + (math.pi * pitch * place + phase).sin() * dice.normal(0, 1) / pitch.clamp(min=1)
    return torch.where(dice.happens(prior.wiggles), size * waves, 0.0)


# ---------------------------------------------------------------------------------------------------- as logged


def logged(prior: ScalingPrior, z: Tensor, dice: Dice, generator: torch.Generator) -> Tensor:
    """With noise in z, so that its size is relative to the value."""
    grows = dice.one_of(prior.grows, dice.uniform(-0.15, 0.5), torch.zeros_like(z[:, :1]))
    size = dice.uniform(*prior.log_noise).exp() * (grows * (z[:, :1] - z)).clamp(-3, 3).exp()
    e, *more = (torch.randn(z.shape, generator=generator) for _ in range(4))
    chi = (sum((one.square() for one in more), torch.zeros(())) / 3).sqrt()
    e = torch.where(dice.happens(prior.heavy), e / chi.clamp(min=0.15) / 1.5, e)
    spikes = dice.happens(prior.spikes) & (torch.rand(z.shape, generator=generator) < 0.04)
    return z + size * e + spikes * 0.2 * torch.rand(z.shape, generator=generator)


def seen(prior: ScalingPrior, z: Tensor, T: int, dice: Dice) -> tuple[Tensor, Tensor]:
    """Which T of N points are seen, evenly among all, or among the best so far.  (n, N) -> index (n, T), mask (n, T)"""
    N = z.shape[1]
    best = z <= z.cummin(1).values
    records = dice.happens(prior.records) & (best.sum(1, keepdim=True) >= min(T, 6))
    kept = best | ~records
    first = torch.where(kept, torch.arange(N), N).sort(1).values.clamp(max=N - 1)  # those kept come first
    place = (torch.linspace(0, 1, T) * (kept.sum(1, keepdim=True) - 1)).round().long()
    index = first.gather(1, place)
    return index, torch.cat([torch.ones(len(z), 1, dtype=torch.bool), index.diff(dim=1) > 0], 1)
