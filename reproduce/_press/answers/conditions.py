"""What a claim must meet: read, held against an interval, and as people read it. Standard library only."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NUMBER = r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)"


class Condition(NamedTuple):
    """From `least` to `most`; infinite where there is no such end."""

    least: float
    most: float
    strict: bool = False  # the end itself does not meet it

    def met(self, low: float, high: float) -> tuple[bool, bool]:
        """Does all of [low, high] meet the condition; does any of it?"""
        whole, some = [], []
        for end, worst, best in ((self.least, low, high), (-self.most, -high, -low)):
            strict = self.strict and math.isfinite(end)
            whole.append(worst > end if strict else worst >= end)
            some.append(best > end if strict else best >= end)
        return all(whole), all(some)

    def ends(self) -> list[float]:
        return [end for end in (self.least, self.most) if math.isfinite(end)]


def read(text: str) -> Condition:
    """'>= 1.5', '> 0', '<= 2', '< 0' or 'between 0.88 and 0.92'."""
    if match := re.fullmatch(rf"between {NUMBER} and {NUMBER}", text.strip()):
        return Condition(float(match[1]), float(match[2]))
    if match := re.fullmatch(rf"(>=|<=|>|<)\s*{NUMBER}", text.strip()):
        end, strict = float(match[2]), "=" not in match[1]
        ends = (end, math.inf) if match[1].startswith(">") else (-math.inf, end)
        return Condition(*ends, strict)
    raise ValueError(f"condition {text!r} is neither like '>= 1.5' nor like 'between 0.88 and 0.92'")


def words(text: str, per_cent: bool = False) -> str:
    """≥ 1.5, > 0, 0.88 to 0.92; of a share ≥ 80 %, 88 to 92 %"""
    found, unit = read(text), "\u00a0%" if per_cent else ""
    least, most = (shown(100 * end if per_cent else end) for end in (found.least, found.most))
    if math.isinf(found.most):
        return f"{'>' if found.strict else '≥'} {least}{unit}"
    if math.isinf(found.least):
        return f"{'<' if found.strict else '≤'} {most}{unit}"
    return f"{least}{unit}" if least == most else f"{least} to {most}{unit}"


def shown(end: float) -> str:
    """With the digits that the condition has."""
    return f"{end:,.10f}".rstrip("0").rstrip(".").replace("-", "−")
