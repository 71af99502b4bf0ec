"""Our scores beside those that the paper prints: by how much they are above, and how uncertain that is."""

import math

import pandas as pd

from reproduce._press.estimates import Estimates, where
from reproduce._press.intervals import Interval, student
from reproduce.printed.numbers import HALF, log_likelihood

PAPER = {
    "P1": "P1 (3 × 128, 10M curves)",
    "P2": "P2 (3 × 256, 10M curves)",
    "P3": "P3 (12 × 512, 10M curves)",
}
CUTOFFS = (10, 20, 40, 80)
THEIRS = 10_000  # curves that the paper's numbers are means over


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
        of_seeds = 0.0 if luck is None else half_width(luck, row["cutoff"])
        theirs = log_likelihood(printed, row["cutoff"]) or math.nan
        found[int(row["cutoff"])] = from_printed(row, theirs, luck=of_seeds)
    return found


def seed_to_seed(of_seeds: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation between trainings that differ only in their seed, by cutoff."""
    return of_seeds.groupby("cutoff")["ll_even"].agg(seeds="count", sd="std").reset_index()


def half_width(luck: pd.DataFrame, cutoff: int) -> float:
    """Half of the 95 % interval for the score of one training; unknown where no seeds were read."""
    mine = luck[luck["cutoff"] == cutoff]
    return student(int(mine["seeds"].iloc[0])) * float(mine["sd"].iloc[0]) if len(mine) else math.nan
