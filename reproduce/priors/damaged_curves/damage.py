"""What is lost of a beginning, and what is done about it.

Shapes: B = curves, T = observed points.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

NONE, RANDOM, BLOCK, STALE, ROUNDED = "none", "random", "block", "repeated", "rounded"
LEFT_OUT, LAST, STRAIGHT = "left out", "last value", "straight line"  # what is done about missing values
AS_IT_IS, NOISE = "as it is", "with noise"  # about rounded ones


class Shown(NamedTuple):
    """What a network is given of a damaged beginning."""

    damage: str
    size: float  # share of missing points, epochs to the next value, or step of rounding
    way: str
    y: Tensor  # (B, T)
    there: Tensor  # (B, T) which values are given


def in_all_ways(
    y: Tensor, sizes: Mapping[str, tuple[float, ...]], chance: torch.Generator
) -> Iterator[Shown]:
    """Beginnings (B, T), whole and with each damage of each size, in all ways that suit it."""
    whole = torch.ones_like(y, dtype=torch.bool)
    yield Shown(NONE, 0, AS_IT_IS, y, whole)
    for damage, drop in {RANDOM: at_random, BLOCK: in_a_block, STALE: between_values}.items():
        for size in sizes[damage]:
            there = drop(y, size, chance)
            yield Shown(damage, size, LEFT_OUT, y, there)
            yield Shown(damage, size, LAST, last_value(y, there), whole)
            yield Shown(damage, size, STRAIGHT, straight_line(y, there), whole)
    for step in sizes[ROUNDED]:
        near = (y / step).round() * step
        yield Shown(ROUNDED, step, AS_IT_IS, near, whole)
        yield Shown(ROUNDED, step, NOISE, near + step * (torch.rand(y.shape, generator=chance) - 0.5), whole)


# ------------------------------------------------------------------------------------ which values are kept


def at_random(y: Tensor, share: float, chance: torch.Generator) -> Tensor:
    """Which points are kept, equally many of each curve and at least one.  (B, T) -> (B, T)"""
    order = torch.rand(y.shape, generator=chance).argsort(1).argsort(1)  # (B, T)
    return order >= missing(y, share)


def in_a_block(y: Tensor, share: float, chance: torch.Generator) -> Tensor:
    """A gap begins anywhere, and may reach to the last observed point."""
    gap = missing(y, share)
    start = torch.randint(y.shape[1] - gap + 1, (len(y), 1), generator=chance)
    place = torch.arange(y.shape[1])
    return (place < start) | (place >= start + gap)


def between_values(y: Tensor, every: float, chance: torch.Generator) -> Tensor:
    """The first value is kept, and then one in so many."""
    return (torch.arange(y.shape[1]) % int(every) == 0).expand_as(y)


def missing(y: Tensor, share: float) -> int:
    return min(round(share * y.shape[1]), y.shape[1] - 1)


# -------------------------------------------------------------------------------------- what is filled in


def last_value(y: Tensor, there: Tensor) -> Tensor:
    """As logs are filled; before the first value, that value.  (B, T), (B, T) -> (B, T)"""
    before, after = neighbours(there)
    return y.gather(1, torch.where(before < 0, after, before))


def straight_line(y: Tensor, there: Tensor) -> Tensor:
    """Between the values on both sides; beyond the outermost, their value."""
    before, after = neighbours(there)
    left, right = torch.where(before < 0, after, before), torch.where(after >= y.shape[1], before, after)
    share = (torch.arange(y.shape[1]) - left) / (right - left).clamp(min=1)
    return torch.lerp(y.gather(1, left), y.gather(1, right), share)


def neighbours(there: Tensor) -> tuple[Tensor, Tensor]:
    """The places of the last value up to each point, or -1, and of the first from it on, or T.  (B, T) each"""
    T = there.shape[1]
    place = torch.arange(T).expand_as(there)
    before = torch.where(there, place, -1).cummax(1).values
    after = torch.where(there, place, T).flip(1).cummin(1).values.flip(1)
    return before, after
