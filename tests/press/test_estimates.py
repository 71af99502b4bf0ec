"""Guards reproduce/_press/estimates.py: made once from rows; what was not measured is absent and shown as such."""

import pandas as pd
import pytest

from reproduce._press import estimates
from reproduce._press.intervals import Interval

ROWS = pd.DataFrame({
    "method": ["a", "a", "b", "b", "c"], "curve": [0, 1, 0, 1, 1], "ll": [1.0, 2.0, 1.5, 2.7, 9.0], "ll_se": 0.1
})  # fmt: skip


def test_a_mean_of_one_value_is_absent_and_a_table_shows_a_dash():
    found = estimates.by_mean(ROWS, "method", "ll")
    assert found["a"] == Interval.of_mean(pd.Series([1.0, 2.0])) and "c" not in found
    by_two = {(method, "mean"): one for method, one in found.items()}
    table = estimates.table(by_two, "method", {"a": "A", "c": "C"}, {"mean": "ll"}, ".1f", times=10)
    assert table.to_dict("list") == {"method": ["A", "C"], "ll": ["15.0 ± 63.5", "–"]}


def test_means_with_their_errors_are_found_by_one_column_or_by_several():
    one_each = ROWS.drop_duplicates("method")
    by_both = estimates.with_errors(one_each, ["method", "curve"], "ll")
    assert (
        estimates.with_errors(one_each, "method", "ll")["b"]
        == by_both["b", 0]
        == Interval.with_error(1.5, 0.1)
    )
    assert estimates.those_of(by_both, "b") == {0: by_both["b", 0]}
    assert estimates.with_errors(ROWS[:0], "method", "ll") == {}
    assert estimates.with_errors(one_each, ["method"], "ll") == estimates.with_errors(one_each, "method", "ll")  # fmt: skip
    with pytest.raises(ValueError, match="2 rows have the same key: name a further column of"):
        estimates.with_errors(ROWS, "method", "ll")


def test_a_lead_counts_what_both_have():
    found = estimates.leads(ROWS, "method", "a", "ll", paired="curve")
    assert found["b"].value == pytest.approx(0.6) and "c" not in found
    assert estimates.leads(ROWS, "method", "nobody", "ll", paired="curve") == {}


def test_the_lowest_of_several_is_that_of_each_end():
    assert estimates.of_each_end(min, [Interval(2, 1, 3), Interval(2.5, 0, 5)]) == (2, 0, 3)
    assert estimates.of_each_end(min, []) is None
