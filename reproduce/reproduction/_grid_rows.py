"""The rows of the grid: its networks, their scores, and differences with their errors."""

import math
from collections.abc import Iterable

import pandas as pd
import torch

from curvecast.scores import metrics
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import HALF, log_likelihood
from reproduce.reproduction import _luck_of_seeds
from reproduce.reproduction._grid_cells import GRID, Cell

CUTOFFS = (10, 20, 40, 80)
THEIRS = 10_000  # curves that the paper's numbers are means over


def cells(rows: pd.DataFrame, recipe: str) -> list[Cell]:
    """What was trained with this recipe, in the grid or beside it."""
    mine = rows[rows["recipe"] == recipe]
    return sorted({Cell(*map(int, size)) for size in mine[["layers", "width", "curves"]].to_numpy()})


def score(rows: pd.DataFrame, recipe: str, cell: Cell, cutoff: int) -> pd.Series:
    """The row of one training at one cutoff."""
    return rows[(rows["method"] == cell.part(recipe)) & (rows["cutoff"] == cutoff)].iloc[0]


def from_printed(ours: pd.Series, printed: float, read_error: float = 0.0, luck: float = 0.0) -> Interval:
    """Ours minus printed. The sampling variation of our test set is taken out; that of theirs counts in full.

    `luck` is half of the 95 % interval of our seeds. What rounding hides of the printed score is added on either side.
    """
    theirs = ours["ll_se"] * math.sqrt(ours["n"] / THEIRS)
    chance = math.hypot(1.96 * math.hypot(ours["ll_even_se"], theirs, read_error), luck)
    return Interval.around(ours["ll_even"] - printed, chance + HALF)


def above_printed(
    rows: pd.DataFrame, method: str, printed: str, luck: pd.DataFrame | None = None
) -> Estimates:
    """Of one method, by cutoff; with seed-to-seed variation where `luck` is given."""
    found = {}
    for _, row in where(rows[rows["cutoff"].isin(CUTOFFS)], method=method).iterrows():
        of_seeds = 0.0 if luck is None else _luck_of_seeds.half_width(luck, row["cutoff"])
        theirs = log_likelihood(printed, row["cutoff"]) or math.nan
        found[int(row["cutoff"])] = from_printed(row, theirs, luck=of_seeds)
    return found


def lead(each: pd.DataFrame, one: str, other: str, cutoff: int) -> Interval:
    """How far one training is ahead of another on the same curves."""
    scores = (each.loc[each["part"] == part, f"at{cutoff}"].to_numpy() for part in (one, other))
    return Interval.with_error(*metrics.paired(*map(torch.tensor, scores)))


def pairs(some: Iterable[Cell], step: str) -> list[tuple[Cell, Cell]]:
    """Neighbours of the grid that are both among these: one step "bigger", or ten times "more" curves."""
    there = [cell for cell in some if cell in GRID]
    return [
        (cell, above)
        for cell in there
        for above in (cell.larger() if step == "bigger" else cell.longer())
        if above in there
    ]
