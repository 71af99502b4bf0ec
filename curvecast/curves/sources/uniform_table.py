"""Curves of any source in one layout: one row for each observation, and one row for each curve in the index.

A curve needs at least 20 points, all finite. Of a repeated step the last value counts; of equal curves the first is kept.
"""

import csv
import gzip
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.curves.sources.origin import Origin
from curvecast.ground import whole_file
from curvecast.ground.errors import UserError, reading

FEWEST_POINTS = 20
POINTS = ("source", "curve_id", "step", "value", "metric", "higher_is_better", "licence")
INDEX_COLUMNS = (
    "file", "source", "curve_id", "task", "group", "metric", "higher_is_better", "n_points", "step_unit",
    "first_point_untrained", "value_min_possible", "value_max_possible", "config", "licence",
)  # fmt: skip
INDEX = "index.csv.gz"
Rows = list[dict[str, Any]]


def six_digits(value: float) -> str:
    return f"{value:.6g}"


@dataclass(frozen=True)
class Measure:
    """The metric of a curve, and its bounds."""

    metric: str
    higher_is_better: bool
    step_unit: str
    low: float | None = 0
    high: float | None = None
    digits: Callable[[float], str] = six_digits


@dataclass(frozen=True)
class Curve:
    curve_id: str
    steps: Sequence[int]
    values: Sequence[float]
    task: str
    group: str  # curves of one group are not independent of one another
    measure: Measure
    config: dict[str, Any]
    untrained: bool = False  # the first point was measured before training

    def __post_init__(self) -> None:
        """Values that are no numbers, or not as many as steps, are told while the file is being read."""
        for _, value in self.points():
            math.isfinite(value)

    def points(self) -> list[tuple[int, float]]:
        return sorted(dict(zip(self.steps, self.values, strict=True)).items())

    def text(self) -> list[tuple[int, str]]:
        return [(step, self.measure.digits(value)) for step, value in self.points()]


def kept(curves: Iterable[Curve], left_out: Counter[str]) -> Iterator[Curve]:
    """The curves that go into the tables; the others are counted by reason."""
    seen = set()
    for curve in curves:
        values = [value for _, value in curve.points()]
        content = (curve.measure.metric, *curve.text())
        if not all(map(math.isfinite, values)):
            left_out["with a value that is not finite"] += 1
        elif len(values) < FEWEST_POINTS:
            left_out[f"with fewer than {FEWEST_POINTS} points"] += 1
        elif content in seen:
            left_out["equal to an earlier one"] += 1
        else:
            seen.add(content)
            yield curve


def index_row(origin: Origin, curve: Curve) -> dict[str, Any]:
    measure, config = curve.measure, json.dumps(curve.config, sort_keys=True)
    row = (
        origin.file, origin.source, curve.curve_id, curve.task, curve.group, *_metric(curve), len(curve.points()),
        measure.step_unit, int(curve.untrained), _bound(measure.low), _bound(measure.high), config, origin.licence,
    )  # fmt: skip
    return dict(zip(INDEX_COLUMNS, row, strict=True))


def _metric(curve: Curve) -> tuple[str, int]:
    return curve.measure.metric, int(curve.measure.higher_is_better)


def _bound(bound: float | None) -> str:
    return "" if bound is None else f"{bound:g}"


def as_text(columns: Sequence[str], rows: Rows) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def packed(text: bytes) -> bytes:
    """Gzip without a time stamp: the same text always gives the same bytes."""
    data = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=data, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(text)
    return data.getvalue()


def write(folder: Path, origin: Origin, curves: list[Curve], order: Sequence[str]) -> bytes:
    """Write the table of a source, and its rows of the index, in the given order of files.  -> the text of the table"""
    points = []
    for curve in curves:
        for step, value in curve.text():
            cells = origin.source, curve.curve_id, step, value, *_metric(curve), origin.licence
            points.append(dict(zip(POINTS, cells, strict=True)))
    text = as_text(POINTS, points)
    with whole_file.alone(folder):  # else of two that read the index the later would drop the other's rows
        others = [row for row in _index(folder / INDEX) if row["file"] != origin.file]
        whole_file.write(folder / origin.file, packed(text))
        rows = others + [index_row(origin, curve) for curve in curves]
        rows.sort(key=lambda row: order.index(row["file"]) if row["file"] in order else len(order))
        whole_file.write(folder / INDEX, packed(as_text(INDEX_COLUMNS, rows)))
    return text


def _index(path: Path) -> Rows:
    """The existing index; empty if there is none."""
    if not path.is_file():
        return []
    with reading(path, "cannot be read", "take it away"), gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if any(set(row) != set(INDEX_COLUMNS) for row in rows):
        raise UserError(f"{path} is no index of curves: take it away, or choose another folder")
    return rows
