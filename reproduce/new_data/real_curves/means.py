"""Mean coverage of the 90 % interval early in a curve: of which benchmarks and curves, with intervals of two kinds."""

import math
from typing import NamedTuple

import pandas as pd

from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _cells
from reproduce.new_data._cells import EARLY, OLD, OURS
from reproduce.new_data._chosen import ROWS
from reproduce.new_data._factors import over_groups

EXCLUDED = "pythia"  # zero-shot accuracies, half of which never leave chance
NOMINAL = 0.9


class Mean(NamedTuple):
    """Of cells; the intervals are of benchmarks that are drawn anew, or of the groups in each of these benchmarks."""

    coverage: Interval
    groups: float  # half of the interval
    off: Interval  # distance of a cell's coverage from 90 %


def tables(rows: Rows, learning: float) -> Rows:
    """`learning`: a benchmark is one on which most curves learn if at least this share of them does."""
    found = _cells.each(rows)
    early = found[found["seen"].isin(EARLY)]
    if not {OURS, OLD} <= set(early["method"]):
        return {}
    learns = early.groupby("row")["learns"].mean()
    sets = {
        "all nine benchmarks": early,
        "without Pythia": early[early["row"] != EXCLUDED],
        "those on which most curves learn": early[early["row"].isin(learns.index[learns >= learning])],
        "all nine, curves that learn": early[early["learns"]],
        "all nine, 70 % observed": found[found["seen"] == 70],
    }
    return {"means": pd.DataFrame([_line(name, some) for name, some in sets.items()])}


def _line(name: str, found: pd.DataFrame) -> dict[str, str]:
    own, old = (mean(where(found, method=method)) for method in (OURS, OLD))
    groups = Interval.around(own.coverage.value, own.groups)
    return {
        "mean over": name, "benchmarks": f"{found['row'].nunique()}", "coverage": _points(own.coverage) + " %",
        "± over groups": _points(groups).partition("± ")[2], "distance from 90 %": _points(own.off),
        "coverage, previous release": _points(old.coverage) + " %", "distance, previous release": _points(old.off),
    }  # fmt: skip


def _points(found: Interval) -> str:
    return Interval(*(100 * end for end in found)).plus_minus(".1f")


def mean(own: pd.DataFrame) -> Mean:
    cells = own.groupby(["row", "seen"])["in90"].mean()
    curves = own.groupby(["row", "group", "curve"], as_index=False)["in90"].mean()
    halves = [over_groups(some["in90"], some["group"]) for _, some in curves.groupby("row")]
    groups = math.hypot(*((one.high - one.low) / 2 for one in halves)) / len(halves)
    return Mean(_over_benchmarks(cells), groups, _over_benchmarks((cells - NOMINAL).abs()))


def _over_benchmarks(cells: pd.Series) -> Interval:
    each = cells.groupby("row").mean()
    return Interval.of_mean(each) or Interval(float(each.mean()), math.nan, math.nan)


def nearer(found: pd.DataFrame) -> Interval | None:
    """By how many points the released model's coverage is nearer to 90 % than the previous release's."""
    if found.empty:
        return None
    early = found[found["seen"].isin(EARLY)]
    off = (early.groupby(["method", "row", "seen"])["in90"].mean() - NOMINAL).abs()
    if not {OURS, OLD} <= set(early["method"]) or early["row"].nunique() < len(ROWS):
        return None
    return Interval.of_mean(100 * (off[OLD] - off[OURS]).groupby("row").mean())
