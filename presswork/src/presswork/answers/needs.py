"""What the answer *yes* needs: one bound, or two. Standard library only.

AtLeast(1.585), AtMost(5), Above(0), Below(0), Between(0.88, 0.92)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

ENDLESS = 1e300  # stands for what has no end, in any unit: JSON knows no infinity


@dataclass(frozen=True)
class Needs:
    """The numbers from `least` to `most`; without the bound itself where `strict`."""

    least: float = -math.inf
    most: float = math.inf
    strict: bool = False

    def __post_init__(self) -> None:
        if not self.bounds() or math.isnan(self.least) or math.isnan(self.most):
            way = "give it a finite bound, such as AtLeast(1.5) or Between(0.88, 0.92)"
            raise ValueError(f"{self} can never fail: {way}")
        if self.least > self.most:
            raise ValueError(f"{self} can never be met: the lower bound comes first")

    def met(self, low: float, high: float) -> bool | None:
        """True if all of the interval lies within the bounds, False if none of it does, else None."""
        if self._high_enough(low) and self._low_enough(high):
            return True
        return None if self._high_enough(high) and self._low_enough(low) else False

    def _high_enough(self, x: float) -> bool:
        return x > self.least if self.strict and math.isfinite(self.least) else x >= self.least

    def _low_enough(self, x: float) -> bool:
        return x < self.most if self.strict and math.isfinite(self.most) else x <= self.most

    def bounds(self) -> list[float]:
        return [bound for bound in (self.least, self.most) if math.isfinite(bound)]

    def words(self, times: float = 1) -> str:
        """≥ 1.5, > 0, 0.88 to 0.92; of percentages, times 100: ≥ 80, 88 to 92"""
        least, most = (_shown(times * bound) for bound in (self.least, self.most))
        if math.isinf(self.most):
            return f"{'>' if self.strict else '≥'} {least}"
        if math.isinf(self.least):
            return f"{'<' if self.strict else '≤'} {most}"
        return least if least == most else f"{least} to {most}"

    def as_json(self) -> dict[str, float]:
        names = ("above", "below") if self.strict else ("at_least", "at_most")
        bounds = zip(names, (self.least, self.most), strict=True)
        return {name: bound for name, bound in bounds if math.isfinite(bound)}


def of_json(bounds: dict[str, float]) -> Needs:
    least = bounds.get("above", bounds.get("at_least", -math.inf))
    most = bounds.get("below", bounds.get("at_most", math.inf))
    return Needs(least, most, strict="above" in bounds or "below" in bounds)


def AtLeast(bound: float) -> Needs:
    return Needs(least=bound)


def AtMost(bound: float) -> Needs:
    return Needs(most=bound)


def Above(bound: float) -> Needs:
    return Needs(least=bound, strict=True)


def Below(bound: float) -> Needs:
    return Needs(most=bound, strict=True)


def Between(least: float, most: float) -> Needs:
    return Needs(least, most)


def _shown(bound: float) -> str:
    """With all its digits, and no more."""
    return f"{bound:,.10f}".rstrip("0").rstrip(".").replace("-", "−") if math.isfinite(bound) else ""
