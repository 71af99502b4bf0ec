"""Published curves, from one folder of tables that the environment variable CURVECAST_DATA names.

`index.csv.gz` has one row for each curve, every other file one row for each observation: source, curve_id, step, value.
Reading checks names and numbers, rising steps, values within the stated bounds, and that no file lies outside the folder.
"""

import hashlib
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from curvecast.curves import gzip_table
from curvecast.ground.errors import UserError, demand

Row = dict[str, Any]  # of the index: its columns and its line number

VARIABLE = "CURVECAST_DATA"
INDEX = "index.csv.gz"
INDEX_COLUMNS = (
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
    low: float  # bounds of the metric, infinite where there is none
    high: float
    steps: np.ndarray  # (n,) rising, in the unit of the source
    values: np.ndarray  # (n,) without the untrained one
    untrained: float | None  # the value before the first training step
    licence: str


def folder() -> Path | None:
    """The folder of the tables, if the variable is set."""
    path = os.environ.get(VARIABLE)
    return Path(path) if path else None


def read(where: Path, file: str | None = None) -> list[RealCurve]:
    """All curves of a folder, or those of one of its files, in the order of the index."""
    index = _index(where)
    wanted = index if file is None else index[index["file"] == file]
    if not len(wanted):
        known = ", ".join(sorted(set(index["file"])))
        raise UserError(f"{where / INDEX} names no file {file!r}: take one of {known}")
    by_line: dict[int, RealCurve] = {}
    for name, rows in wanted.groupby("file", sort=False, observed=True):
        by_line |= dict(_curves(where, str(name), rows.to_dict("records")))
    return [by_line[line] for line in wanted["line"]]


def _index(where: Path) -> pd.DataFrame:
    demand(where.is_dir(), f"there is no folder {where}: let {VARIABLE} name the one that holds {INDEX}")
    index = gzip_table.read(where / INDEX, INDEX_COLUMNS)
    index["line"] = np.arange(len(index)) + 2
    demand(len(index), f"{where / INDEX} names no curve")
    for name in index["file"].unique():
        safe = Path(name).name == name and name.endswith(".csv.gz") and name.isprintable()
        wrong = "is not the name of a .csv.gz in that folder: nothing outside it is read"
        demand(safe, f"{where / INDEX}: file {name!r} {wrong}")
    for column in (name for name in INDEX_COLUMNS if name not in MAY_BE_EMPTY):
        for row in index[index[column] == ""].to_dict("records"):
            raise UserError(f"{_line(where, row)}: {column} is empty: is the row cut off?")
    for row in index[index.duplicated(["file", "source", "curve_id"])].to_dict("records"):
        raise UserError(f"{_line(where, row)}: the curve {row['curve_id']!r} is there twice")
    return index


def _line(where: Path, row: Row) -> str:
    return f"{where / INDEX}, line {row['line']}"


def _curves(where: Path, file: str, rows: list[Row]) -> Iterator[tuple[int, RealCurve]]:
    """The curves of one file, each with its line in the index."""
    path = where / file
    points = gzip_table.read(path, POINTS[:2], POINTS[2:])
    steps, values = (points[column].to_numpy() for column in POINTS[2:])
    places = _places(path, points)
    for row in rows:
        place = places.get((row["source"], row["curve_id"]))
        count = place.stop - place.start if place else 0
        if place is None or str(count) != row["n_points"]:
            raise UserError(
                f"{path} has {count} points of the curve {row['curve_id']!r}, not the {row['n_points']} "
                f"that {_line(where, row)} names: is the file cut off?"
            )
        yield row["line"], _curve(where, row, steps[place], values[place], f"{path}, line", place.start + 2)


def _places(path: Path, points: pd.DataFrame) -> dict[tuple[str, str], slice]:
    """The rows of each curve, which must be contiguous."""
    names = points[list(POINTS[:2])].to_numpy(dtype=object)  # (rows, 2)
    new = (names[1:] != names[:-1]).any(1)
    starts = np.flatnonzero(np.append(True, new)[: len(names)])
    places: dict[tuple[str, str], slice] = {}
    for start, end in zip(starts, [*starts[1:], len(names)][: len(starts)], strict=True):
        key = tuple(names[start])
        if key in places:
            again = f"the curve {key[1]!r} begins a second time; keep its rows together"
            raise UserError(f"{path}, line {start + 2}: {again}")
        places[key] = slice(int(start), int(end))
    return places


def _curve(where: Path, row: Row, steps: np.ndarray, values: np.ndarray, line: str, first: int) -> RealCurve:
    """`first` is the line of the curve's first row."""
    falls = np.flatnonzero(np.diff(steps) <= 0)
    if len(falls):
        i = int(falls[0])
        raise UserError(f"{line} {first + i + 1}: step {steps[i + 1]:g} does not come after {steps[i]:g}")
    low, high = _bounds(where, row)
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        i = int(outside[0])
        raise UserError(f"{line} {first + i}: value {values[i]:g} lies outside {low:g} to {high:g}")
    untrained = _flag(where, row, "first_point_untrained")
    if len(values) - untrained < 2:
        raise UserError(f"{line} {first}: {row['curve_id']!r} has fewer than two trained points")
    return RealCurve(
        row["source"], row["curve_id"], row["task"], row["group"], row["metric"],
        not _flag(where, row, "higher_is_better"), low, high, steps[untrained:], values[untrained:],
        float(values[0]) if untrained else None, row["licence"],
    )  # fmt: skip


def _flag(where: Path, row: Row, column: str) -> bool:
    if row[column] not in ("0", "1"):
        raise UserError(f"{_line(where, row)}: {column} is {row[column]!r}, neither 0 nor 1")
    return row[column] == "1"


def _bounds(where: Path, row: Row) -> tuple[float, float]:
    """Lowest and highest possible value of the metric; an empty field means no bound."""
    texts = [row[f"value_{side}_possible"] for side in ("min", "max")]
    try:
        pairs = zip(texts, (-math.inf, math.inf), strict=True)
        low, high = (float(text or unbounded) for text, unbounded in pairs)
    except ValueError:
        low = high = math.nan
    if not low < high:
        bounds = f"the bounds {texts[0]!r} and {texts[1]!r}"
        raise UserError(f"{_line(where, row)}: {bounds} are not two numbers that rise")
    return low, high


# -----------------------------------------------------------------------------------------------------------
# Which real curves belong to the tuning set, and which to the test set.
#
# Whatever is chosen with the help of real curves (a prior, a map, a threshold) is chosen on the tuning set and reported on
# the test set. The curves of a group (the seeds of one setting, the runs of one folder) are not independent, so a whole
# group is on one side. A hash of its name decides. Three sources are in the test set only.

TUNING, TEST = "look", "judge"  # as rows call them; stored names stay
TEST_ONLY = ("adabelief_cifar10", "modded_nanogpt", "pythia")


def side(source: str, group: str) -> str:
    """TUNING or TEST"""
    if source in TEST_ONLY:
        return TEST
    return TUNING if hashlib.sha256(f"{source}/{group}".encode()).digest()[0] < 128 else TEST
