"""Trackio's database: a row for each step of each run, its values in one JSON object.

What is no finite number is a hole; of a step that was logged twice the later value counts. Databases of older versions have
no ids of runs: there a name is a run.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from curvecast.logs.checked_points import Points, apart


def meant(columns: dict[str, list[str]]) -> bool:
    return {"run_name", "step", "metrics"} <= set(columns.get("metrics", ()))


def names(tables: Any) -> list[str]:
    pairs = (pair for *_, values in _rows(tables) for pair in values.items())
    return sorted({key for key, value in pairs if _number(value) is not None})


def read(tables: Any, points: Points, key: str) -> None:
    names, by_run = dict[str, str](), dict[str, dict[float, float | None]]()  # by the id of the run
    for run, name, step, values in _rows(tables):
        if key in values:
            names[run] = name
            by_run.setdefault(run, {})[step] = _number(values[key])
    for run, name in apart(names).items():
        points.fill(name, dict(sorted(by_run[run].items())), key)


def _rows(tables: Any) -> Iterator[tuple[str, str, float, dict[str, Any]]]:
    """Id and name of the run, step, values; a row that holds no object holds no values."""
    run_id = "run_id" if "run_id" in tables.columns["metrics"] else "run_name"
    rows = tables.rows(f"SELECT {run_id}, run_name, step, metrics FROM metrics ORDER BY id")
    for run, name, step, text in rows:
        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            continue
        at = _number(step)
        if isinstance(values, dict) and at is not None:
            yield str(run), str(name), at, values


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 and math.isfinite(value) else None
