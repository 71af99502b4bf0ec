"""Many comparisons at once: which are still clear after Holm's correction."""

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

from reproduce._press.intervals import Interval

Key = TypeVar("Key", bound=Hashable)


def p_value(one: Interval) -> float:
    """Two-sided, of a difference of zero, from a 95 % interval that is symmetric about its value."""
    return (
        math.erfc(1.96 * abs(one.value) / one.half / math.sqrt(2)) if one.half > 0 else float(one.value == 0)
    )


def clearly_above(found: Mapping[Key, Interval]) -> dict[Key, bool]:
    """Which differences are above zero at 5 %, corrected for all of them."""
    ordered = sorted(found, key=lambda key: p_value(found[key]))
    clear, left = {}, len(ordered)
    still = True
    for key in ordered:
        still = still and p_value(found[key]) * left < 0.05
        clear[key], left = still and found[key].value > 0, left - 1
    return clear
