"""Guards reproduce/reproduction/stopping_by_futures.py: every rule has its rows."""

import pandas as pd

from reproduce.reproduction import stopping_by_futures


def test_every_rule_has_a_row_for_each_goal():
    """In its smallest form, on curves of the prior."""
    rows = stopping_by_futures.measure(stopping_by_futures.SCALES["smoke"], "share0")
    found = rows.groupby(["method", "goal"]).size()
    assert set(found.index) == {
        (rule, goal) for rule in stopping_by_futures.RULES for goal in stopping_by_futures.GOALS
    }
    assert isinstance(rows, pd.DataFrame) and (rows["epochs"] <= 300).all()
