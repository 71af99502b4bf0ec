"""A claim: a question that *yes* answers in favour, what was found, and what yes needs. Standard library only.

    Claim("fair", "Is the coin fair?", found, Between(0.48, 0.52), "%")

What yes needs is one bound or two: AtLeast(1.585), AtMost(5), Above(0), Below(0), Between(0.88, 0.92).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from presswork.ground.blog import BLOG
from presswork.intervals import COUNTED, Interval

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


# What a number may count; "%" shows a share as a percentage. A blog names its own as `units`.
UNITS = ("", "%", "percent", "×", "s", "ms", "µs", "minutes", "MB", "°", "points", *BLOG.units)


# Who asks this compares with each of them: the one with the best mean need not be the hardest to beat.
SEVERAL = re.compile(r"\b(?:best of (?!\d)|each of|(?:each|every|any) other)\b")


class BadClaim(ValueError):
    """The runner says in which line of which question."""


@dataclass(frozen=True)
class Claim:
    name: str  # permanent
    asks: str  # a question without numbers that were found or are needed
    found: Any  # the key of an estimate, or an Interval; None: not measured
    needs: Needs
    unit: str = ""
    printed: float | None = None  # what the paper prints, where it prints something

    def __post_init__(self) -> None:
        if not self.asks.endswith("?"):
            raise BadClaim(f"claim {self.name}: make {self.asks!r} a question, which ends with '?'")
        if not isinstance(self.found, Interval | str | tuple | None):
            way_out = "name an estimate, or make it an Interval, such as Interval.of_mean(…)"
            raise BadClaim(f"claim {self.name} found {self.found!r}: {way_out}")
        if not isinstance(self.needs, Needs):
            raise BadClaim(f"claim {self.name} needs {self.needs!r}: say AtLeast(…), Above(…), Between(…)")
        if self.unit not in UNITS:
            way_out = f"take one of {UNITS}, or add it to `units` in pyproject.toml"
            raise BadClaim(f"claim {self.name} has the unit {self.unit!r}: {way_out}")
        one = isinstance(self.found, Interval) and self.found.rivals < 2 and self.found.over != COUNTED
        if one and (asked := SEVERAL.search(self.asks)):
            but = "but its interval compares with one: take `of_each_end` of an interval for each"
            raise BadClaim(f"claim {self.name} asks for the {asked[0]!r} several, {but}")

    def looked_up(self, estimates: Mapping[Any, Interval]) -> Claim:
        """With what was found under its key; an estimate that is not there was not measured."""
        keyed = isinstance(self.found, str | tuple) and not isinstance(self.found, Interval)
        return replace(self, found=estimates.get(self.found)) if keyed else self

    def tested(self) -> bool:
        return self.measured() is not None

    def measured(self) -> Interval | None:
        """What was found, if its interval is known."""
        return None if self.found is None or any(map(math.isnan, self.found)) else self.found

    def holds(self) -> bool | None:
        """True: yes. False: no. None: the interval does not decide, or nothing was measured."""
        interval = self.measured()
        return self.needs.met(interval.low, interval.high) if interval else None

    @property
    def value(self) -> float | None:
        return self.found.value if self.found else None

    def answer(self) -> str:
        if not self.tested():
            return "not tested"
        return {True: "yes", False: "no", None: "unclear"}[self.holds()]

    def as_json(self) -> dict[str, Any]:
        """What was not measured is null; JSON knows no infinity."""
        numbers = [float(f"{min(max(x, -ENDLESS), ENDLESS):.6g}") for x in self.measured() or ()]
        value, low, high = numbers or (None, None, None)
        return {
            "name": self.name, "asks": self.asks, "needs": self.needs.as_json(), "unit": self.unit,
            "printed": self.printed, "value": value, "low": low, "high": high,
            "over": [list(pair) for pair in self.found.over] if self.found and numbers else [], "answer": self.answer(),
        }  # fmt: skip
