"""Published curves, from one folder of tables that the environment variable CURVECAST_DATA names.

`curvecast convert` makes it: `index.csv.gz` has one row for each curve, every other file one row for each observation:
source, curve_id, step, value. Read are whole tables of curves that can be: steps rise, values lie within their bounds.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from curvecast.ground.errors import UserError, demand, reading

VARIABLE = "CURVECAST_DATA"
INDEX = "index.csv.gz"
INDEX_COLUMNS = (
    "file", "source", "curve_id", "task", "group", "metric", "higher_is_better", "n_points", "first_point_untrained",
    "value_min_possible", "value_max_possible", "licence",
)  # fmt: skip
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
    demand(where.is_dir(), f"there is no folder {where}: let {VARIABLE} name the one that holds {INDEX}")
    index = _index(where / INDEX)
    wanted = index if file is None else index[index["file"] == file]
    known = ", ".join(sorted(set(index["file"])))
    demand(len(wanted), f"{where / INDEX} names no file {file!r}: take one of {known}")
    by_row: dict[int, RealCurve] = {}
    for name, rows in wanted.groupby("file", sort=False):
        by_row |= dict(_curves(where / str(name), rows))
    return [by_row[row] for row in wanted.index]


def _index(path: Path) -> pd.DataFrame:
    """With low and high as numbers: an empty field of a bound means that there is none."""
    index = table(path, INDEX_COLUMNS)
    with reading(path, "has a bound that is no number", "leave it empty where there is none"):
        for bound, name, none in (
            ("low", "value_min_possible", "-inf"),
            ("high", "value_max_possible", "inf"),
        ):
            index[bound] = index[name].replace("", none).to_numpy(dtype=object).astype(float)
    right = {
        "is there twice": ~index.duplicated(["file", "source", "curve_id"]),
        "has bounds that do not rise": index["low"] < index["high"],
        "has a higher_is_better other than 0 and 1": index["higher_is_better"].isin(["0", "1"]),
        "has a first_point_untrained other than 0 and 1": index["first_point_untrained"].isin(["0", "1"]),
    }
    for wrong, rows in right.items():
        for name in index["curve_id"][~rows]:
            raise UserError(f"{path}: the curve {name!r} {wrong}")
    return index


def table(path: Path, texts: tuple[str, ...], numbers: tuple[str, ...] = ()) -> pd.DataFrame:
    """These columns of a gzipped CSV table: texts unchanged, numbers as finite floats."""
    with reading(path, "cannot be read as a gzipped table of comma-separated values", "is it cut off?"):
        rows = pd.read_csv(
            path, usecols=[*texts, *numbers], compression="gzip", dtype=str, keep_default_na=False
        )
        exact = {name: rows[name].to_numpy(dtype=object).astype(float) for name in numbers}
    for name, values in exact.items():
        demand(np.isfinite(values).all(), f"{path}: {name} is not a finite number everywhere")
    return rows.assign(**exact)


def _curves(path: Path, rows: pd.DataFrame) -> Iterator[tuple[int, RealCurve]]:
    """The curves of one file, each with its row of the index."""
    points = table(path, POINTS[:2], POINTS[2:])
    places = points.groupby(list(POINTS[:2]), sort=False).indices
    steps, values = (points[column].to_numpy() for column in POINTS[2:])
    for number, row in zip(rows.index, rows.to_dict("records"), strict=True):
        place = places.get((row["source"], row["curve_id"]), np.empty(0, int))
        if str(len(place)) != row["n_points"]:
            lacks = f"points of the curve {row['curve_id']!r}, not the {row['n_points']} that {INDEX} names"
            raise UserError(f"{path} has {len(place)} {lacks}: is the file cut off?")
        yield number, _curve(f"{path}: the curve {row['curve_id']!r}", row, steps[place], values[place])


def _curve(name: str, row: dict[Any, Any], steps: np.ndarray, values: np.ndarray) -> RealCurve:
    low, high, untrained = row["low"], row["high"], row["first_point_untrained"] == "1"
    demand((np.diff(steps) > 0).all(), f"{name} has steps that do not rise")
    demand(((values >= low) & (values <= high)).all(), f"{name} has values outside {low:g} to {high:g}")
    demand(len(values) >= 2 + untrained, f"{name} has fewer than two trained points")
    return RealCurve(
        row["source"], row["curve_id"], row["task"], row["group"], row["metric"], row["higher_is_better"] != "1",
        low, high, steps[untrained:], values[untrained:], float(values[0]) if untrained else None, row["licence"],
    )  # fmt: skip


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
