"""Seed-to-seed variation: how far the score of one training may lie from that of other seeds."""

import math

import pandas as pd

from reproduce._press.intervals import student


def luck(of_seeds: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation between trainings that differ only in their seed, by cutoff."""
    return of_seeds.groupby("cutoff")["ll_even"].agg(seeds="count", sd="std").reset_index()


def half_width(luck: pd.DataFrame, cutoff: int) -> float:
    """Half of the 95 % interval for the score of one training; unknown where no seeds were read."""
    mine = luck[luck["cutoff"] == cutoff]
    return student(int(mine["seeds"].iloc[0])) * float(mine["sd"].iloc[0]) if len(mine) else math.nan
