"""Guards reproduce/reproduction/speedrun.py: how much is enough, by recipe and seed."""

import numpy as np
import pandas as pd
import pytest

from reproduce.reproduction import speedrun
from reproduce.reproduction.speedrun import RECIPES, SCALES


def rows(**of_recipe: list[tuple[int, float]]) -> pd.DataFrame:
    """recipe=[(curves, nats above P2), ...], three seeds that are alike; a curve takes a hundredth of a second."""
    return pd.DataFrame([
        {"recipe": recipe, "seed": seed, "curves": curves, "seconds": curves / 100, "ll_even": speedrun.level() + above}
        for recipe, points in of_recipe.items() for curves, above in points for seed in range(3)
    ])  # fmt: skip


FOUND = rows(
    before=[(1_000, -0.1), (10_000, 0.1)],
    lent=[(100, -0.1), (10_000, 0.1)],
    early=[(1_000, -0.3), (2_000, -0.1)],
)


def test_enough_is_where_the_line_passes_the_print():
    assert speedrun.enough_of(FOUND, "before", "curves") == pytest.approx(
        dict.fromkeys(range(3), 1_000 * 10**0.5)
    )
    assert speedrun.enough_of(FOUND, "lent", "seconds") == pytest.approx(dict.fromkeys(range(3), 10.0))
    assert speedrun.enough_of(FOUND, "early", "curves") == dict.fromkeys(range(3), np.inf)


def test_the_level_is_what_p2_prints():
    assert speedrun.level() == pytest.approx((1.654 + 2.044 + 2.347 + 2.493) / 4)


def test_savings_are_above_one_and_not_measured_where_a_recipe_never_arrives():
    early, lent, added, timed = speedrun.claims(FOUND)
    assert lent.value == pytest.approx(10**0.5) and lent.holds()
    assert early.value is None and added.value is None
    assert timed.value == pytest.approx(lent.value)  # here a curve takes as long in both


def test_seeds_are_paired_by_their_number():
    """Seed 1 of the one never trained: the others are still held against their own."""
    some = FOUND[~((FOUND["recipe"] == "lent") & (FOUND["seed"] == 1))].copy()
    some.loc[some["seed"] == 2, "curves"] *= 7  # both recipes alike
    found = speedrun.saving(some, "lent", "before", "curves")
    assert (
        found is not None
        and found.value == pytest.approx(10**0.5)
        and found.half == pytest.approx(0, abs=1e-9)
    )


def test_each_recipe_adds_one_thing_to_the_one_above_it():
    assert [(one.early, one.stock) for one in RECIPES.values()] == [(1.0, 0), (2.0, 0), (2.0, 32_768)]
    assert len({(one.model, one.draws, one.lr, one.matrix_lr) for one in RECIPES.values()}) == 1
    assert set(SCALES["laptop"].recipes) < set(RECIPES)
