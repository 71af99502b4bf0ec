"""What a training hands over, as numbers."""

import math
from collections.abc import Sequence
from typing import Any

from curvecast.ground.errors import UserError, demand


def best_of(runs: Sequence[Sequence[Any]], minimise: bool) -> float | None:
    """The best of other runs, if there are any. One that diverged may be among them: its NaN does not count."""
    numbers = [finite(value) for run in runs for value in run]
    known = [number for number in numbers if number is not None]
    if not known:
        way = "give the values of the other runs, or nothing"
        demand(not any(len(run) for run in runs), f"best and others contain no finite number: {way}")
        return None
    return min(known) if minimise else max(known)


def finite(value: Any) -> float | None:
    """A finite number; arrays and tensors of one number are numbers."""
    try:
        number = float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # RuntimeError: a tensor of several
        return None
    return number if math.isfinite(number) and not isinstance(value, str) else None


def whole(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{what} is {value!r}: give a whole number, 1 or more")
    return value


def bound_in_json(bound: float) -> float | str:
    """JSON has no infinity."""
    return bound if math.isfinite(bound) else str(bound)
