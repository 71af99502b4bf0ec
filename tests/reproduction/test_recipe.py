"""Guards reproduce/reproduction/recipe.py: the luck of a seed is counted, and nothing is claimed without it."""

import numpy as np
import pandas as pd
import pytest

from reproduce.reproduction import recipe

CONFIG = recipe.SCALES["laptop"]


def rows(levels: dict[str, float]) -> dict[str, pd.DataFrame]:
    """Every curve of a variant scores its level plus the same noise for all."""
    noise = np.random.default_rng(0).normal(size=200)
    each = [
        pd.DataFrame({f"{variant}@{c}": level + noise for c in CONFIG.cutoffs})
        for variant, level in levels.items()
    ]
    return {"rows": pd.DataFrame({"variant": list(levels), "seconds": 1.0}), "each": pd.concat(each)}


def gap(found: pd.DataFrame, variant: str) -> pd.Series:
    return found.set_index("variant").loc[variant]


def test_the_interval_is_that_of_a_new_training_among_few_seeds():
    """Curves cancel here, so what is left is Student's t for another draw: t(4) * sd * sqrt(1 + 1/5)."""
    levels = dict(zip(recipe.SEEDS, (1.99, 2.0, 2.01, 1.98, 2.02), strict=True)) | {"queries-8": 1.9}
    found = recipe._gaps(rows(levels), CONFIG)
    sd = np.std([1.99, 2.0, 2.01, 1.98, 2.02], ddof=1)
    one = gap(found, "queries-8")
    assert one["gap"] == pytest.approx(-0.1) and one["half"] == pytest.approx(2.776 * sd * 1.2**0.5, rel=1e-3)
    assert np.isnan(gap(found, "base")["half"])


def test_two_seeds_claim_nothing():
    """With fewer than three seeds the variation is unknown: no interval, no answer."""
    levels = {"base": 2.0, "base-seed1": 2.01, "dropout-0.2": 1.0}
    claims = {claim.name: claim for claim in recipe.claims(rows(levels), CONFIG)}
    assert claims["dropout_0_2"].value == pytest.approx(1.005) and claims["dropout_0_2"].holds() is None
    assert claims["norm_after"].value is None
