"""Curves that others measured, from one folder of tables: the environment variable CURVECAST_DATA names it.

`index.csv.gz` has a row a curve, every other file a row an observation: source, curve_id, step, value. What must hold is
checked as it is read: names and numbers, steps that rise, values within the stated bounds, nothing outside the folder.
"""

import gzip
import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from curvecast.ground.errors import UserError

Array = np.ndarray

VARIABLE = "CURVECAST_DATA"
INDEX = "index.csv.gz"
ABOUT = (
    "file", "source", "curve_id", "task", "group", "metric", "higher_is_better", "n_points", "first_point_untrained",
    "value_min_possible", "value_max_possible", "licence",
)  # fmt: skip
POINTS = ("source", "curve_id", "step", "value")
LARGEST = 400_000_000  # bytes of a file unpacked: a gzip may unfold without end


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
    for name, rows in wanted.groupby("file", sort=False):
        found |= dict(_curves(where, str(name), rows))
    return [found[i] for i in wanted.index]


def _index(where: Path) -> pd.DataFrame:
    if not where.is_dir():
        raise UserError(f"there is no folder {where}: let {VARIABLE} name the one that holds {INDEX}")
    about = _table(where / INDEX, ABOUT)
    for name in about["file"].unique():
        if Path(name).name != name or not name.endswith(".csv.gz"):
            raise UserError(
                f"{where / INDEX}: file {name!r} is not the name of a .csv.gz in that folder: nothing outside it is read"
            )
    twice = about.duplicated(["file", "source", "curve_id"])
    if twice.any():
        line = int(np.flatnonzero(twice)[0]) + 2
        raise UserError(
            f"{where / INDEX}, line {line}: the curve {about['curve_id'].iloc[line - 2]!r} is there twice"
        )
    return about


def _curves(where: Path, file: str, about: pd.DataFrame) -> Iterator[tuple[int, RealCurve]]:
    """Place in the index, and the curve."""
    path = where / file
    points = _table(path, POINTS)
    steps, values = (_numbers(points, column, path) for column in ("step", "value"))
    starts = np.flatnonzero(
        (points[["source", "curve_id"]] != points[["source", "curve_id"]].shift()).any(axis=1)
    )
    ends = np.append(starts[1:], len(points))
    places = {}
    for start, end in zip(starts, ends, strict=True):
        key = (points["source"].iat[start], points["curve_id"].iat[start])
        if key in places:
            raise UserError(
                f"{path}, line {start + 2}: the curve {key[1]!r} begins a second time; keep its rows together"
            )
        places[key] = slice(int(start), int(end))
    for place, row in about.iterrows():
        at = places.get((row["source"], row["curve_id"]))
        if at is None:
            raise UserError(
                f"{path} has no curve {row['curve_id']!r}, which {INDEX} names: is the file cut off?"
            )
        yield int(str(place)), _curve(path, row, steps[at], values[at], int(at.start) + 2)


def _curve(path: Path, about: pd.Series, steps: Array, values: Array, line: int) -> RealCurve:
    """`line` is that of the curve's first row."""
    falls = np.flatnonzero(np.diff(steps) <= 0)
    if len(falls):
        i = int(falls[0])
        raise UserError(
            f"{path}, line {line + i + 1}: step {steps[i + 1]:g} does not come after {steps[i]:g}"
        )
    low, high = (
        _bound(about[f"value_{side}_possible"], none)
        for side, none in (("min", -math.inf), ("max", math.inf))
    )
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        i = int(outside[0])
        raise UserError(f"{path}, line {line + i}: value {values[i]:g} lies outside {low:g} to {high:g}")
    first = int(about["first_point_untrained"])
    if len(values) - first < 2:
        raise UserError(f"{path}, line {line}: {about['curve_id']!r} has fewer than two trained points")
    return RealCurve(
        about["source"], about["curve_id"], about["task"], about["group"], about["metric"],
        not int(about["higher_is_better"]), low, high, steps[first:], values[first:],
        float(values[0]) if first else None, about["licence"],
    )  # fmt: skip


def _table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """As text: what is a number is said by whoever needs one."""
    try:
        with gzip.open(path) as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}: let {VARIABLE} name the folder that has it") from None
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} cannot be unpacked ({error}): is it cut off?") from error
    if len(text) > LARGEST:
        raise UserError(
            f"{path} unfolds to more than {LARGEST // 1_000_000} MB: this is not a table of curves"
        )
    try:
        rows = pd.read_csv(BytesIO(text), dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:  # pandas' own errors are ValueErrors
        raise UserError(f"{path} is not a table of comma-separated values ({error})") from error
    lacking = [name for name in columns if name not in rows]
    if lacking:
        raise UserError(f"{path} has no column {lacking[0]!r}; it has {', '.join(rows)}")
    return rows


def _numbers(points: pd.DataFrame, column: str, path: Path) -> Array:
    numbers = pd.to_numeric(points[column], errors="coerce").to_numpy(dtype=float)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        i = int(bad[0])
        raise UserError(f"{path}, line {i + 2}: {column} is {points[column].iat[i]!r}, not a finite number")
    return numbers


def _bound(text: str, none: float) -> float:
    return float(text) if text else none
