"""MLflow's database: a row for each value of each run. Of a step that was logged twice the later value counts.

What MLflow stores for NaN and infinity is a hole. Deleted runs are left out.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.checked_points import Points, apart

INFINITE = 1.7e308  # MLflow writes the largest number for infinity


def meant(columns: dict[str, list[str]]) -> bool:
    of_metrics = {"key", "value", "timestamp", "run_uuid", "step"}
    return of_metrics <= set(columns.get("metrics", ())) and "runs" in columns


def names(tables: Any) -> list[str]:
    return [str(name) for (name,) in tables.rows("SELECT DISTINCT key FROM metrics ORDER BY key")]


def read(tables: Any, points: Points, key: str) -> None:
    stage = "lifecycle_stage" if "lifecycle_stage" in tables.columns["runs"] else "'active'"
    runs = tables.rows(f"SELECT run_uuid, name, {stage} FROM runs")
    told = apart({uuid: str(name or uuid) for uuid, name, at in runs if at != "deleted"})
    nan = "is_nan" if "is_nan" in tables.columns["metrics"] else "0"
    rows = tables.rows(
        f"SELECT run_uuid, step, value, {nan} FROM metrics WHERE key = ? ORDER BY run_uuid, step, timestamp",
        key,
    )
    for uuid, own in groupby(rows, key=lambda row: row[0]):
        if uuid in told:
            add(points, told[uuid], key, own)


def add(points: Points, name: str, key: str, rows: Iterable[tuple[Any, ...]]) -> None:
    count, values = 0, dict[float, float | None]()
    has = f"{points.where}: run '{printable(name)}' has"
    for _, step, value, nan in rows:
        count += 1
        if not isinstance(step, int) or not isinstance(value, int | float | None):
            wrong = printable(f"{value!r} at step {step!r}")
            raise UserError(f"{has} {wrong}, which is no number: mend or delete it")
        # of one step the later value overwrites the earlier one
        values[float(step)] = None if nan or value is None or abs(value) >= INFINITE else float(value)
    stepped = count <= 1 or values.keys() != {0}
    demand(stepped, f"{has} all of its {count} values at step 0: log them with step=")
    points.fill(name, values, key)
