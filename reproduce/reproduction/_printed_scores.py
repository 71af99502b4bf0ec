"""Our scores beside those that the paper prints: by how much they are above, and how uncertain that is."""

import math

import pandas as pd

from presswork import Estimates, Interval, where
from presswork.intervals import named, student
from reproduce.printed.numbers import HALF, log_likelihood

SIZES = {"P1": "3 × 128", "P2": "3 × 256", "P3": "12 × 512"}
PAPER = {name: f"{name} ({size}, 10M curves)" for name, size in SIZES.items()}
CUTOFFS = (10, 20, 40, 80)
THEIRS = 10_000  # curves that the paper's numbers are means over


def from_printed(
    ours: pd.Series, printed: float, read_error: float = 0.0, luck: Interval | None = None
) -> Interval:
    """Ours minus printed. The sampling variation of our test set is taken out; that of theirs counts in full.

    `luck`: the interval of our seeds. What rounding hides of the printed score is added on either side.
    """
    theirs = ours["ll_se"] * math.sqrt(ours["n"] / THEIRS)
    chance = math.hypot(1.96 * math.hypot(ours["ll_even_se"], theirs, read_error), luck.half if luck else 0.0)
    over = (luck.over if luck else ()) + named("n", int(ours["n"]))
    return Interval.around(ours["ll_even"] - printed, chance + HALF, over)


def printed_cells(printed: str, columns: dict[int, str]) -> dict[str, str]:
    """In a line of a table, by the titles of cutoffs."""
    scores = {title: log_likelihood(printed, cutoff) for cutoff, title in columns.items()}
    return {title: "–" if score is None else f"{score:.3f}" for title, score in scores.items()}


def above_printed(rows: pd.DataFrame, of: str, printed: str, luck: pd.DataFrame | None = None) -> Estimates:
    """Of one method, by cutoff; with seed-to-seed variation where `luck` is given."""
    found = {}
    for _, row in where(rows[rows["cutoff"].isin(CUTOFFS)], method=of).iterrows():
        of_seeds = None if luck is None else another_training(luck, row["cutoff"])
        theirs = log_likelihood(printed, row["cutoff"]) or math.nan
        found[int(row["cutoff"])] = from_printed(row, theirs, luck=of_seeds)
    return found


def seed_to_seed(of_seeds: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation between trainings that differ only in their seed, by cutoff."""
    return of_seeds.groupby("cutoff")["ll_even"].agg(seeds="count", sd="std").reset_index()


def another_training(luck: pd.DataFrame, cutoff: int) -> Interval:
    """By how much the score of one training differs; unknown where no seeds were read."""
    for one in where(luck, cutoff=cutoff).itertuples():
        return Interval.around(0.0, student(one.seeds) * one.sd, named("seed", one.seeds))
    return Interval.without_ends(0.0)
