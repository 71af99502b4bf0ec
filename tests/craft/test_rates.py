"""Guards reproduce/craft/rates: schedules, the search for the largest rate, and what is counted at a kink."""

import math

import numpy as np
import pandas as pd
import pytest

from reproduce.craft.rates import question
from reproduce.craft.rates.trained import CONSTANT, COSINE, DROPS, Training, rises, run, schedules, threshold

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


def test_a_kink_is_the_change_of_slope_of_the_log_cost():
    log = np.r_[np.linspace(0, -1, 11), np.linspace(-1, -4, 11)[1:]]  # -0.1 an epoch, then -0.3
    assert question.kink(pd.Series(np.exp(log)), at=10) == pytest.approx(-0.2)
