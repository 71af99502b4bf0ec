"""Guards reproduce/protocols/times_sooner.py: how much sooner a rule is, from times that were drawn anew."""

import numpy as np
import pandas as pd
import pytest

from curvecast.scores.regret import NONE
from reproduce._press.intervals import Interval
from reproduce.protocols.times_sooner import budget, cell, ends, faster, gain

FOUND = {NONE: np.full(9, 400.0), "ours": np.full(9, 100.0), "never": np.full(9, np.inf)}


def test_a_gain_is_a_ratio_of_times_and_nothing_where_the_rule_was_not_played():
    assert gain(FOUND, "ours") == pytest.approx((4, 4, 4)) and gain(FOUND, "never") == (0, 0, 0)
    assert gain(FOUND, "unknown") is None


def test_who_never_gets_there_counts_as_if_it_did_with_the_last_of_the_budget():
    assert faster(FOUND, "ours", "never", 500) == pytest.approx((5, 5, 5))
    assert faster(FOUND, "ours", "unknown", 500) is None


def test_rows_end_where_all_is_spent():
    rows = pd.DataFrame({"task": ["a", "b"], "method": "ours", "10": [0.5, 0.6], "20": [0.2, 0.3]})
    assert budget(rows) == 20 and ends(rows)["ours"].tolist() == [0.2, 0.3]


def test_a_cell_says_never_and_leaves_out_ends_that_say_nothing():
    assert cell(Interval(1.94, 1.42, 2.4)) == "1.9 (1.4 to 2.4)" and cell(None) == "–"
    assert (
        cell(Interval(0, 0, 2.4), "{} [{}, {}]") == "never [never, 2.4]" and cell(Interval(4, 4, 4)) == "4.0"
    )
