"""Trackio's database: a row for each step of each run, its values in one JSON object.

What is no finite number is a hole; of a step that was logged twice the later value counts.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from curvecast.logs.checked_points import Points


def meant(columns: dict[str, list[str]]) -> bool:
    return {"run_name", "step", "metrics"} <= set(columns.get("metrics", ()))


def names(tables: Any) -> list[str]:
    found = {
        key for _, _, values in _rows(tables) for key, value in values.items() if _number(value) is not None
    }
    return sorted(found)


def read(tables: Any, points: Points, key: str) -> None:
    by_run: dict[str, dict[float, float | None]] = {}
    for name, step, values in _rows(tables):
        if key in values:
            by_run.setdefault(name, {})[step] = _number(values[key])
    for name, own in by_run.items():
        steps = sorted(own)
        if any(value is not None for value in own.values()):
            points.declare(name, steps, what=key)
            for step in steps:
                value = own[step]
                if value is not None:
                    points.add(name, step, value)


def _rows(tables: Any) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Run, step, values; a row that holds no object holds no values."""
    for name, step, text in tables.rows("SELECT run_name, step, metrics FROM metrics ORDER BY id"):
        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            continue
        at = _number(step)
        if isinstance(values, dict) and at is not None:
            yield str(name), at, values


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 and math.isfinite(value) else None
