"""MLflow's database: a row for each value of each run. Of a step that was logged twice the later value counts.

What MLflow stores for NaN and infinity is a hole. Deleted runs are left out.
"""

from collections import Counter
from itertools import groupby
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Points, printable

INFINITE = 1.7e308  # MLflow writes the largest number for infinity


def meant(columns: dict[str, list[str]]) -> bool:
    return {"key", "value", "timestamp", "run_uuid", "step"} <= set(
        columns.get("metrics", ())
    ) and "runs" in columns


def names(tables: Any) -> list[str]:
    return [str(name) for (name,) in tables.rows("SELECT DISTINCT key FROM metrics ORDER BY key")]


def read(tables: Any, points: Points, key: str) -> None:
    told = _run_names(tables)
    nan = "is_nan" if "is_nan" in tables.columns["metrics"] else "0"
    rows = tables.rows(
        f"SELECT run_uuid, step, value, {nan} FROM metrics WHERE key = ? ORDER BY run_uuid, step, timestamp",
        key,
    )
    for uuid, own in groupby(rows, key=lambda row: row[0]):
        if uuid in told:
            _add(points, told[uuid], key, list(own))


def _run_names(tables: Any) -> dict[str, str]:
    """By uuid; runs of one name are told apart by its beginning."""
    stage = "lifecycle_stage" if "lifecycle_stage" in tables.columns["runs"] else "'active'"
    found = {
        uuid: name or uuid
        for uuid, name, at in tables.rows(f"SELECT run_uuid, name, {stage} FROM runs")
        if at != "deleted"
    }
    often = Counter(found.values())
    return {uuid: name if often[name] == 1 else f"{name} ({uuid[:8]})" for uuid, name in found.items()}


def _add(points: Points, name: str, key: str, rows: list[tuple[Any, ...]]) -> None:
    if len(rows) > 1 and all(step == 0 for _, step, _, _ in rows):
        raise UserError(
            f"{points.where}: run '{printable(name)}' has all of its {len(rows)} values at step 0: log them with step="
        )
    # of one step the later value overwrites the earlier one
    points.fill(name, {float(step): _number(value, nan) for _, step, value, nan in rows}, key)


def _number(value: Any, nan: Any) -> float | None:
    return None if nan or value is None or abs(value) >= INFINITE else float(value)
