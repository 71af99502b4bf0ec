"""Curves that others measured, from one folder of tables: the environment variable CURVECAST_DATA names it.

`index.csv.gz` has a row a curve, every other file a row an observation: source, curve_id, step, value. What must hold is
checked as it is read: names and numbers, steps that rise, values within the stated bounds, nothing outside the folder.
"""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from curvecast.curves import gzip_table
from curvecast.ground.errors import UserError

Array = np.ndarray
Row = dict[str, Any]  # of the index: its columns, and the line that it stands in

VARIABLE = "CURVECAST_DATA"
INDEX = "index.csv.gz"
ABOUT = (
    "file", "source", "curve_id", "task", "group", "metric", "higher_is_better", "n_points", "first_point_untrained",
    "value_min_possible", "value_max_possible", "licence",
)  # fmt: skip
MAY_BE_EMPTY = ("value_min_possible", "value_max_possible")
POINTS = ("source", "curve_id", "step", "value")


@dataclass(frozen=True)
class RealCurve:
    source: str
    curve_id: str
    task: str
    group: str  # curves of one group are not independent of one another
    metric: str
    minimise: bool
    low: float  # what the metric can be; an infinite side has no bound
    high: float
    steps: Array  # (n,) rising, in the unit of the source
    values: Array  # (n,) trained ones alone
    untrained: float | None  # what the network had before its first step
    licence: str


def folder() -> Path | None:
    """Where the tables lie, if that was said."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def read(where: Path, file: str | None = None) -> list[RealCurve]:
    """All curves of a folder, or those of one of its files, in the order of the index."""
    about = _index(where)
    wanted = about if file is None else about[about["file"] == file]
    if not len(wanted):
        known = ", ".join(sorted(set(about["file"])))
        raise UserError(f"{where / INDEX} names no file {file!r}: take one of {known}")
    found: dict[int, RealCurve] = {}
    for name, rows in wanted.groupby("file", sort=False, observed=True):
        found |= dict(_curves(where, str(name), rows.to_dict("records")))
    return [found[line] for line in wanted["line"]]


def _index(where: Path) -> pd.DataFrame:
    if not where.is_dir():
        raise UserError(f"there is no folder {where}: let {VARIABLE} name the one that holds {INDEX}")
    about = gzip_table.read(where / INDEX, ABOUT)
    about["line"] = np.arange(len(about)) + 2
    if not len(about):
        raise UserError(f"{where / INDEX} names no curve")
    for name in about["file"].unique():
        if Path(name).name != name or not name.endswith(".csv.gz") or not name.isprintable():
            raise UserError(
                f"{where / INDEX}: file {name!r} is not the name of a .csv.gz in that folder: nothing outside it is read"
            )
    for column in (name for name in ABOUT if name not in MAY_BE_EMPTY):
        for row in about[about[column] == ""].to_dict("records"):
            raise UserError(f"{_line(where, row)}: {column} is empty: is the row cut off?")
    for row in about[about.duplicated(["file", "source", "curve_id"])].to_dict("records"):
        raise UserError(f"{_line(where, row)}: the curve {row['curve_id']!r} is there twice")
    return about


def _line(where: Path, row: Row) -> str:
    return f"{where / INDEX}, line {row['line']}"


def _curves(where: Path, file: str, about: list[Row]) -> Iterator[tuple[int, RealCurve]]:
    """Line in the index, and the curve."""
    path = where / file
    points = gzip_table.read(path, POINTS[:2], POINTS[2:])
    steps, values = (points[column].to_numpy() for column in POINTS[2:])
    places = _places(path, points)
    for row in about:
        at = places.get((row["source"], row["curve_id"]))
        there = at.stop - at.start if at else 0
        if at is None or str(there) != row["n_points"]:
            raise UserError(
                f"{path} has {there} points of the curve {row['curve_id']!r}, not the {row['n_points']} "
                f"that {_line(where, row)} names: is the file cut off?"
            )
        yield row["line"], _curve(where, row, steps[at], values[at], f"{path}, line", at.start + 2)


def _places(path: Path, points: pd.DataFrame) -> dict[tuple[str, str], slice]:
    """Which rows are those of which curve: they must lie together."""
    names = points[list(POINTS[:2])].to_numpy(dtype=object)  # (rows, 2)
    new = (names[1:] != names[:-1]).any(1)
    starts = np.flatnonzero(np.append(True, new)[: len(names)])
    places: dict[tuple[str, str], slice] = {}
    for start, end in zip(starts, [*starts[1:], len(names)][: len(starts)], strict=True):
        key = tuple(names[start])
        if key in places:
            raise UserError(
                f"{path}, line {start + 2}: the curve {key[1]!r} begins a second time; keep its rows together"
            )
        places[key] = slice(int(start), int(end))
    return places


def _curve(where: Path, about: Row, steps: Array, values: Array, line: str, first: int) -> RealCurve:
    """`first` is the line of the curve's first row."""
    falls = np.flatnonzero(np.diff(steps) <= 0)
    if len(falls):
        i = int(falls[0])
        raise UserError(f"{line} {first + i + 1}: step {steps[i + 1]:g} does not come after {steps[i]:g}")
    low, high = _bounds(where, about)
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        i = int(outside[0])
        raise UserError(f"{line} {first + i}: value {values[i]:g} lies outside {low:g} to {high:g}")
    untrained = _yes(where, about, "first_point_untrained")
    if len(values) - untrained < 2:
        raise UserError(f"{line} {first}: {about['curve_id']!r} has fewer than two trained points")
    return RealCurve(
        about["source"], about["curve_id"], about["task"], about["group"], about["metric"],
        not _yes(where, about, "higher_is_better"), low, high, steps[untrained:], values[untrained:],
        float(values[0]) if untrained else None, about["licence"],
    )  # fmt: skip


def _yes(where: Path, about: Row, column: str) -> bool:
    if about[column] not in ("0", "1"):
        raise UserError(f"{_line(where, about)}: {column} is {about[column]!r}, neither 0 nor 1")
    return about[column] == "1"


def _bounds(where: Path, about: Row) -> tuple[float, float]:
    """Of the metric; an empty field is none."""
    texts = [about[f"value_{side}_possible"] for side in ("min", "max")]
    try:
        low, high = (float(text or none) for text, none in zip(texts, (-math.inf, math.inf), strict=True))
    except ValueError:
        low = high = math.nan
    if not low < high:
        raise UserError(
            f"{_line(where, about)}: the bounds {texts[0]!r} and {texts[1]!r} are not two numbers that rise"
        )
    return low, high
