"""What is asked about forecasts of real curves. The bounds were set before the prior was made.

A benchmark is a source and one of its metrics; a cell is a benchmark at one share observed.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _cells, _factors, _warned
from reproduce.new_data._cells import EARLY, OLD, OURS, SIMPLE, cell, crps_ratio
from reproduce.new_data._chosen import ROWS
from reproduce.new_data.real_curves import means
from reproduce.new_data.real_curves.means import EXCLUDED, NOMINAL
from reproduce.protocols.real_curve import SHARES

CHAINS = "vector"  # MCMC with the prior of the previous release, all curves at once
BETTER = ("algoperf", "precision", "words", "deepobs", "lcdb11")  # where extrapolating should pay


def claims(rows: Rows) -> list[Claim]:
    found = _cells.each(rows)
    cells = _of_cells(found, "in90", "in50")
    nine = _of_cells(found, "in90", "ratio", every=True)
    wide, half, ratios = cells["in90"], cells["in50"], nine["ratio"]
    return [
        Claim("bands_90", "Does the released model’s 90 % interval cover 82 to 98 % of the future points in nearly all of "
              "the 24 cells with 10 to 40 % observed, excluding Pythia?",
              _counted(wide, lambda h: (h >= 0.82) & (h <= 0.98)), AtLeast(22), "cells"),
        Claim("worst_90", "Is the coverage of the released model’s 90 % interval acceptable in the worst cell with 10 to "
              "40 % observed, excluding Pythia?", _exactly(wide, np.min), AtLeast(0.75), "%"),
        Claim("mean_90", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, excluding Pythia?", _exactly(wide, np.mean), Between(0.88, 0.94), "%"),
        Claim("mean_nine", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on the nine benchmarks?", _exactly(nine["in90"], np.mean), Between(0.88, 0.94), "%"),
        Claim("mean_off", "Is the coverage of the released model’s 90 % interval near to nominal in the average cell of the "
              "nine benchmarks, with 10 to 40 % observed?",
              _exactly(nine["in90"], lambda h: np.abs(100 * h - NOMINAL).mean()), AtMost(5), "points"),
        Claim("raised", "Does the 90 % interval of the released model cover more than that of the previous release, on "
              "average over the seven sources, with 10 to 40 % observed?",
              means.gain(found, lambda covered: covered), Above(0), "points"),
        Claim("nearer", "Is the coverage of the 90 % interval nearer to nominal for the released model than for the "
              "previous release, in the average cell of the seven sources, with 10 to 40 % observed?",
              means.gain(found, means.nearness), Above(0), "points"),
        Claim("bands_50", "Does the released model’s 50 % interval cover 35 to 65 % of the future points in most of the "
              "24 cells with 10 to 40 % observed, excluding Pythia?",
              _counted(half, lambda h: (h >= 0.35) & (h <= 0.65)), AtLeast(18), "cells"),
        Claim("never_worse", "Is the released model’s median error about the last value’s or smaller, even in the worst of "
              "the 27 cells with 10 to 40 % observed?", _exactly(ratios, np.max), AtMost(1.02), "×"),
        *_better(found),
        Claim("worst_row", "Does the released model’s 90 % interval keep its coverage in every cell, Pythia and 70 % "
              "observed included?", _worst(found, OURS, SHARES), AtLeast(0.82), "%"),
        Claim("old_worst", "Does the previous release’s 90 % interval, under the paper’s prior, keep its coverage in every "
              "cell with 10 to 40 % observed?", _worst(found, OLD, EARLY), AtLeast(0.82), "%"),
        *_means(found),
        Claim("beats_simple", "Is the released model’s CRPS lower than every simple baseline’s on most of the nine "
              "benchmarks?", _rows_won(found, SIMPLE), AtLeast(7)),
        Claim("beats_paper", "Is the released model’s CRPS lower than that of the paper’s recipe, trained for minutes, on "
              "every benchmark?", _rows_won(found, ("paper",)), AtLeast(9)),
        Claim("beats_exact", "Is the released model’s CRPS lower than that of the exact posterior under the paper’s prior "
              "on every benchmark?", _rows_won(found, ("exact",)), AtLeast(9)),
        _below_chains(found), *_warned.claims(rows),
    ]  # fmt: skip


def _of_cells(found: pd.DataFrame, *scores: str, every: bool = False) -> dict[str, np.ndarray | None]:
    """Each score in every cell; None unless all of them were measured."""
    rows = [row for row in ROWS if every or row != EXCLUDED]
    measured: dict[str, np.ndarray | None] = {}
    for score in scores:
        cells = [_mean(found, row, seen, score) for row in rows for seen in EARLY]
        values = np.array([value for value in cells if value is not None])
        measured[score] = values if len(values) == len(cells) else None
    return measured


def _mean(found: pd.DataFrame, row: str, seen: int, score: str, method: str = OURS) -> float | None:
    """Over curves, each with the same weight, whatever their groups."""
    if found.empty:
        return None
    own = found[(found["row"] == row) & (found["seen"] == seen) & (found["method"] == method)][score]
    return float(own.median() if score == "ratio" else own.mean()) if len(own) else None


def _worst(found: pd.DataFrame, method: str, shares: tuple[int, ...]) -> Interval | None:
    return Interval.exactly(min(_of_all(found, method, shares).values(), default=None))


def _means(found: pd.DataFrame) -> list[Claim]:
    """Without Pythia: of the previous release early in a curve, and of the released model late in it."""
    old, late = (
        [inside for (row, _), inside in _of_all(found, method, shares).items() if row != EXCLUDED]
        for method, shares in ((OLD, EARLY), (OURS, SHARES[-1:]))
    )
    return [
        Claim("old_mean", "Is the mean coverage of the previous release’s 90 % interval, under the paper’s prior, close to "
              "nominal with 10 to 40 % observed, excluding Pythia?",
              Interval.exactly(float(np.mean(old)) if old else None), AtLeast(0.88), "%"),
        Claim("late_mean", "Is the mean coverage of the released model’s 90 % interval close to nominal with 70 % observed, "
              "excluding Pythia?", Interval.exactly(float(np.mean(late)) if late else None), AtLeast(0.88), "%"),
    ]  # fmt: skip


def _of_all(found: pd.DataFrame, method: str, shares: tuple[int, ...]) -> dict[tuple[str, int], float]:
    """The coverage of the 90 % interval in every cell; empty unless all of them were measured."""
    cells = {(row, seen): _mean(found, row, seen, "in90", method) for row in ROWS for seen in shares}
    there = {where: inside for where, inside in cells.items() if inside is not None}
    return there if len(there) == len(cells) else {}


def _counted(values: np.ndarray | None, good: Callable[[np.ndarray], np.ndarray]) -> Interval | None:
    return Interval.exactly(None if values is None else float(good(values).sum()))


def _exactly(values: np.ndarray | None, what: Callable[[np.ndarray], float]) -> Interval | None:
    return Interval.exactly(None if values is None else float(what(values)))


def _better(found: pd.DataFrame) -> list[Claim]:
    """How many times the error of the median the last value's is."""
    return [
        Claim(f"better_{row}_{seen}",
              f"On {ROWS[row].title}, with {seen} % observed, is the released model’s median more accurate than the last "
              "value?",
              ratio and ratio.inverse(), Above(1), "×")
        for row in BETTER for seen in (20, 40) for ratio in [cell(found, row, seen, "ratio")]
    ]  # fmt: skip


def _below_chains(found: pd.DataFrame) -> Claim:
    """The paper's own question: is a network significantly worse, over groups of curves, than MCMC with the same prior?"""
    leads = {row: _lead_over_chains(found, row) for row in ROWS}
    there = [lead for lead in leads.values() if lead is not None]
    below = sum(lead.high < 0 for lead in there)
    return Claim(
        "never_below_chains",
        "Is the log-likelihood of the previous release significantly below that of MCMC with the same prior on none of "
        "the nine benchmarks?",
        Interval.exactly(below if len(there) == len(ROWS) else None), AtMost(0),
    )  # fmt: skip


def _lead_over_chains(found: pd.DataFrame, row: str) -> Interval | None:
    """Of the previous release, in nats per point; both were given the same rescaled curve."""
    both = _factors.pairs(where(found, row=row) if len(found) else found, OLD, CHAINS, "ll")
    return None if both.empty else _factors.over_groups(both["own"] - both["rival"], both["group"])


def _rows_won(found: pd.DataFrame, rivals: tuple[str, ...]) -> Interval | None:
    """On how many benchmarks the CRPS is below that of all these; None unless all were measured."""
    if found.empty:
        return None
    ratios = np.array([[crps_ratio(found, row, OURS, rival) for rival in rivals] for row in ROWS])
    return None if np.isnan(ratios).any() else Interval.exactly(float((ratios < 1).all(1).sum()))
