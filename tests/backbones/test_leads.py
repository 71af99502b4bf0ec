"""Guards reproduce/backbones/_leads.py: seeds' shares are taken out, and many comparisons are paid for."""

import numpy as np
import pandas as pd
import pytest

from reproduce.backbones import _leads


def table(sd: float, leads: list[float], seeds: int = 3, chance: int = 0) -> pd.DataFrame:
    """Rows ahead of the first by these, every seed with its own luck that all rows share, and scatter of this size."""
    draw = np.random.default_rng(chance)
    of_seed = draw.normal(0, 1, seeds)
    values = np.array(leads)[:, None] + of_seed + draw.normal(0, sd, (len(leads), seeds))
    return pd.DataFrame(values, index=[f"r{i}" for i in range(len(leads))])


def test_the_luck_that_all_share_does_not_count():
    found = _leads.lead(table(1e-9, [0, 0.1]), "r1", "r0")
    assert found.value == pytest.approx(0.1) and found.half < 1e-6


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of 400 tables 95 %, give or take what 400 leave to chance."""
    hits = 0
    for chance in range(400):
        one = _leads.lead(table(0.02, [0, 0.1, 0, 0, 0], chance=chance), "r1", "r0")
        hits += one.low <= 0.1 <= one.high
    assert 0.92 <= hits / 400 <= 0.98


def test_an_interval_for_many_is_wider():
    one, many = (_leads.lead(table(0.02, [0, 0.1, 0]), "r1", "r0", among) for among in (1, 20))
    assert many.half > 1.5 * one.half and many.value == one.value


def test_holm_keeps_back_what_chance_would_give():
    """No row is better: of 200 tables of ten rows, about one in twenty has a row below 0.05, and not four in ten."""
    false = [(_leads.holm(table(0.02, [0] * 10, chance=i), "r0") < 0.05).any() for i in range(200)]
    assert np.mean(false) <= 0.1
    found = _leads.holm(table(0.02, [0, 0.2, 0, 0]), "r0")
    assert found["r1"] < 0.01 and found.idxmin() == "r1" and (found <= 1).all()


def test_what_has_not_all_seeds_is_not_compared():
    rows = pd.DataFrame({
        "backbone": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "ll": [1.0, 1.1, 1.2, np.nan],
    })  # fmt: skip
    table = _leads.by_seed(rows, "backbone")
    assert list(table.index) == ["a"]
    assert _leads.lead(table, "b", "a") is None and _leads.holm(table, "a").empty
    assert _leads.scatter(_leads.by_seed(rows[:0], "backbone")) is None
