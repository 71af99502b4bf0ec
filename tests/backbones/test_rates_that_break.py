"""Guards reproduce/backbones/rates_that_break.py: what counts as broken, and who breaks more often."""

import math

import pandas as pd
import pytest

from reproduce.backbones import rates_that_break
from reproduce.backbones.rates_that_break import CONTESTS, LINES, SCALES


def rows(**lls: list[float]) -> pd.DataFrame:
    """variant=[at the low rate, at the high one], three seeds alike."""
    return pd.DataFrame([
        {"variant": name.replace("_", " "), "rate": rate, "seed": seed, "ll": ll}
        for name, both in lls.items() for rate, ll in zip((0.002, 0.02), both, strict=True) for seed in range(3)
    ])  # fmt: skip


def test_broken_is_no_number_or_far_below_the_plain_block_at_its_best():
    told = rates_that_break.broken(rows(plain=[2.0, 1.6], parallel=[1.4, math.nan]))
    assert told.groupby(["variant", "rate"])["broke"].mean().to_dict() == {
        ("plain", 0.002): 0, ("plain", 0.02): 0, ("parallel", 0.002): 1, ("parallel", 0.02): 1,
    }  # fmt: skip


def test_claims_compare_shares_seed_by_seed():
    found = {
        one.name: one
        for one in rates_that_break.claims(rows(plain=[2.0, 1.6], parallel=[2.0, 0.1]), SCALES["paper"])
    }
    assert found["parallel_breaks_more"].value == pytest.approx(0.5) and found["parallel_breaks_more"].holds()
    assert found["norm_behind_breaks_more"].value is None


def test_each_variant_has_a_line_style_and_but_the_plain_one_a_claim():
    assert (
        set(LINES) == set(SCALES["paper"].variants) == {name for name, _, _ in CONTESTS.values()} | {"plain"}
    )
