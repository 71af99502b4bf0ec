"""A claim: a question that *yes* answers in favour, what was found, and what yes needs."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from presswork.answers.needs import ENDLESS, Above, AtLeast, AtMost, Below, Between, Needs
from presswork.ground.blog import BLOG
from presswork.intervals import COUNTED, Interval

__all__ = ["Above", "AtLeast", "AtMost", "Below", "Between", "Claim", "Needs"]

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
            raise BadClaim(
                f"claim {self.name} asks for the {asked[0]!r} several, but its interval compares with one: take "
                "`of_each_end` of an interval for each"
            )

    def looked_up(self, estimates: Mapping[Any, Interval]) -> "Claim":
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
