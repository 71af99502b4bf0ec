"""Guards reproduce/craft/rates: schedules, the search for the largest rate, and what is counted at a kink."""

import math

import numpy as np
import pandas as pd
import pytest

from reproduce.craft.rates import question
from reproduce.craft.rates.trained import (
    CONSTANT,
    COSINE,
    DROPS,
    Training,
    rises,
    run,
    schedules,
    size_of_rises,
    threshold,
)

FEW = Training(epochs=8, hidden=6, images=60, warm_up=2)


def test_the_rate_drops_by_ten_after_half_and_after_three_quarters():
    shares = [schedules(FEW)[DROPS](epoch) for epoch in range(1, 9)]
    assert shares == pytest.approx([1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01])


def test_the_cosine_rises_to_the_full_rate_and_ends_at_nothing():
    shares = [schedules(FEW)[COSINE](epoch) for epoch in range(1, 9)]
    assert shares[:2] == [0.5, 1] and shares[4] == pytest.approx(0.5) and shares[-1] == pytest.approx(0)
    assert shares[1:] == sorted(shares[1:], reverse=True)


def test_the_threshold_is_the_largest_rate_that_lowers_the_cost_and_zero_where_none_does():
    assert threshold(FEW, (0.05, 0.5, 1e3), epochs=2, batch=10, seed=0) == 0.5
    assert threshold(FEW, (1e3,), epochs=2, batch=10, seed=0) == 0


def test_a_cost_that_is_not_finite_counts_as_a_rise():
    assert rises(pd.Series([3.0, 2.0, 2.5, 1.0])) == 1
    assert rises(pd.Series([3.0, 2.0, math.nan])) == 1


def test_a_schedule_changes_nothing_before_its_first_drop():
    plain, dropped = (run(FEW, 0.5, schedule, 10, seed=0)["train_cost"] for schedule in (CONSTANT, DROPS))
    assert plain[:5].equals(dropped[:5]) and plain[5] != dropped[5]


def test_a_large_rise_is_told_from_many_small_ones():
    assert size_of_rises(pd.Series([1.0, 1.1, 0.5, 0.8])) == pytest.approx(0.2)
    assert size_of_rises(pd.Series([3.0, 2.0, 1.0])) == 0


def test_a_drop_is_asked_about_its_one_epoch_and_the_noise_on_both_sides():
    epochs, config = np.arange(61), question.Config()
    cost = np.exp(np.where(epochs > 30, -3.5 - 0.01 * (epochs - 31), -0.1 * epochs))
    accuracy = 0.9 + np.where(epochs > 30, 0.001, 0.01) * (-1.0) ** epochs
    rows = pd.DataFrame({"epoch": epochs, "train_cost": cost, "test_accuracy": accuracy, "seed": 0, "rate": 0.5,
                         "schedule": DROPS, "batch": 10})  # fmt: skip
    (found,) = question.at_drop(rows, config, 0.5).to_dict("records")
    assert found["kink"] == pytest.approx(-0.4) and found["falls on"] == pytest.approx(1 - np.exp(-0.14))
    assert found["noise before"] / found["noise after"] == pytest.approx(10, rel=0.01)
