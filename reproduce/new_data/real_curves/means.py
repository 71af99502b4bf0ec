"""Mean coverage of the 90 % interval early in a curve: of which benchmarks and curves, with intervals of two kinds."""

import math
from collections.abc import Callable

import pandas as pd

from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.new_data import _cells
from reproduce.new_data._cells import EARLY, OLD, OURS
from reproduce.new_data._chosen import ROWS
from reproduce.new_data._factors import over_groups

EXCLUDED = "pythia"  # zero-shot accuracies, half of which never leave chance
NOMINAL = 90


def tables(rows: Rows, learning: float) -> Rows:
    """`learning`: on such a share of the curves of a benchmark, or more, most of them learn."""
    found = _cells.each(rows)
    early = found[found["seen"].isin(EARLY)]
    if not {OURS, OLD} <= set(early["method"]):
        return {}
    learns = early.groupby("row")["learns"].transform("mean") >= learning
    sets = {
        "all nine benchmarks": early,
        "without Pythia": early[early["row"] != EXCLUDED],
        "those on which most curves learn": early[learns],
        "all nine, curves that learn": early[early["learns"]],
        "all nine, 70 % observed": found[found["seen"] == 70],
    }
    return {"means": pd.DataFrame([
        {"mean over": name, "benchmarks": f"{own['row'].nunique()}",
         "coverage": in_cell(coverage(own), ".1f") + " %", "± over groups": f"{of_groups(own):.1f}",
         "distance from 90 %": in_cell(off(own), ".1f"),
         "coverage, previous release": in_cell(coverage(old), ".1f") + " %",
         "distance, previous release": in_cell(off(old), ".1f")}
        for name, some in sets.items() if len(some) for own, old in [[where(some, method=method) for method in (OURS, OLD)]]
    ])}  # fmt: skip


def cells(found: pd.DataFrame) -> pd.Series:
    return 100 * found.groupby(["row", "seen"])["in90"].mean()


def coverage(found: pd.DataFrame) -> Interval | None:
    """A benchmark counts once, here and in the others."""
    return Interval.of_mean(cells(found).groupby("row").mean())


def off(found: pd.DataFrame) -> Interval | None:
    return Interval.of_mean((cells(found) - NOMINAL).abs().groupby("row").mean())


def of_groups(found: pd.DataFrame) -> float:
    """Half of the interval of the coverage if only the groups of curves in these benchmarks vary."""
    curves = found.groupby(["row", "group", "curve"], as_index=False)["in90"].mean()
    ends = [over_groups(100 * some["in90"], some["group"]) for _, some in curves.groupby("row")]
    return math.hypot(*((one.high - one.low) / 2 for one in ends)) / len(ends)


def gain(found: pd.DataFrame, what: Callable[[pd.Series], pd.Series]) -> Interval | None:
    """What the released model has above the previous release in `what` of the cells early in a curve; sources count once."""
    early = found if found.empty else found[found["seen"].isin(EARLY)]
    if early.empty or not {OURS, OLD} <= set(early["method"]) or early["row"].nunique() < len(ROWS):
        return None
    own, old = (what(cells(where(early, method=method))).groupby("row").mean() for method in (OURS, OLD))
    return Interval.of_mean((own - old).groupby(lambda row: ROWS[row].source).mean())


def nearness(covered: pd.Series) -> pd.Series:
    return -(covered - NOMINAL).abs()
