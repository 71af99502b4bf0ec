"""How far the score of one training may lie from what trainings score that differ from it by their seed alone."""

import math

import pandas as pd

from reproduce._press.intervals import student


def luck(of_seeds: pd.DataFrame) -> pd.DataFrame:
    """How the scores of trainings scatter that differ by their seed alone, by cutoff."""
    return of_seeds.groupby("cutoff")["ll_even"].agg(seeds="count", sd="std").reset_index()


def half_width(luck: pd.DataFrame, cutoff: int) -> float:
    """95 %: how far the score of one training may lie from what such trainings score; unknown where no seeds were read."""
    mine = luck[luck["cutoff"] == cutoff]
    return student(int(mine["seeds"].iloc[0])) * float(mine["sd"].iloc[0]) if len(mine) else math.nan
