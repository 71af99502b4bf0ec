"""Guards reproduce/_press/intervals.py: each kind of interval has the ends that a textbook gives it."""

import math

import numpy as np
import pandas as pd
import pytest

from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval


def test_an_error_reaches_as_far_as_the_normal_law_says():
    """1.96 standard errors on each side hold 95 %."""
    assert Interval.with_error(2.0, 0.5) == pytest.approx((2.0, 1.02, 2.98))
    assert Interval.with_error(2.0, 0.5).half == pytest.approx(0.98)


def test_few_values_have_students_interval():
    """Three values spread by one: the mean plus or minus 4.303 standard errors; one value has none."""
    found = Interval.of_mean(pd.Series([-1.0, 0.0, 1.0]))
    assert found.high == pytest.approx(4.303 / 3**0.5, rel=1e-3) and found.low == -found.high
    assert Interval.of_mean(pd.Series([1.0])) is None and Interval.of_mean(pd.Series([1.0, math.nan])) is None
    assert Interval.of_mean(pd.Series([-1.0, math.nan, 0.0, 1.0, math.nan])) == found


def test_no_share_leaves_its_range():
    """0.99 plus or minus 0.02 ends at 1; an end that is not known stays so."""
    assert Interval.around(0.99, 0.02).of_share() == pytest.approx((0.99, 0.97, 1.0))
    assert Interval.around(0.01, 0.02).of_share().low == 0.0
    assert all(math.isnan(end) for end in Interval(0.5, math.nan, math.nan).of_share()[1:])


def test_a_cell_has_the_ends_where_they_are_known():
    assert Interval(2.306, 2.1, 2.45).in_brackets(".2f") == "2.31 [2.10, 2.45]"
    assert Interval(2.306, math.nan, math.nan).in_brackets(".2f") == "2.31"


@pytest.mark.parametrize(("n", "left_out"), [(6, 0), (8, 0), (9, 1), (12, 2), (15, 3), (20, 5)])
def test_the_interval_of_the_median_is_the_textbook_one(n, left_out):
    """As many values are left out on each side as tables of the sign test say."""
    values = [float(i) for i in range(n)]
    assert Interval.of_median(values[::-1]) == ((n - 1) / 2, left_out, n - 1 - left_out)


def test_five_values_have_a_median_without_ends():
    """Their smallest and largest hold it with less than 95 %; no value at all has nothing."""
    found = Interval.of_median([5.0, 1.0, 2.0, 4.0, 3.0])
    assert found.value == 3.0 and math.isnan(found.low) and math.isnan(found.high)
    assert Claim("c", "Is it?", found, Above(0)).holds() is None
    assert Interval.of_median([]) is None


def test_resamples_leave_out_a_fortieth_on_each_side():
    """The first entry is the value itself and does not count among the resamples."""
    assert Interval.of_resamples(np.array([7.0, *range(41)])) == (7.0, 1.0, 39.0)


def test_what_was_counted_is_its_own_interval():
    """A claim on it is never unclear; where nothing was counted it is not tested."""
    assert Claim("c", "Is it?", Interval.exactly(3.0), AtLeast(3)).holds() is True
    assert not Claim("c", "Is it?", Interval.exactly(None), AtLeast(3)).tested()
    assert Interval.clopper_pearson(pd.Series([], dtype=bool)) is None


def test_values_of_one_cluster_count_once():
    """A hundred near copies of ten groups say little more than ten values do, and far less than a thousand would."""
    groups = pd.Series(np.repeat(np.arange(10), 100))
    values = pd.Series(np.random.default_rng(1).normal(size=10))[groups.to_numpy()].reset_index(drop=True)
    found, alone = Interval.over_clusters(values, groups), Interval.of_mean(values)
    assert found.value == pytest.approx(values.mean())
    assert found.high - found.low > 5 * (alone.high - alone.low)


def test_few_clusters_have_students_interval_around_the_same_number_and_a_lone_one_has_none():
    """Of clusters of one size it is Student's of their means; of unequal ones the number stays that of all values."""
    values, clusters = pd.Series([-1.0, 1.0, 4.0, 6.0, 7.0, 7.0]), pd.Series(list("aabbcc"))
    assert Interval.over_clusters(values, clusters) == pytest.approx(
        Interval.of_mean(pd.Series([0.0, 5.0, 7.0]))
    )
    most = Interval.over_clusters(values, pd.Series(list("aaaabc")))
    left_out = [7.0, 17 / 5, 17 / 5]  # the mean without a, b, c
    assert most.value == pytest.approx(4)
    assert most.half == pytest.approx(4.302653 * math.sqrt(2 * np.var(left_out)))
    assert Interval.over_clusters(values, clusters, "median").value == 5
    assert Interval.over_clusters(values, pd.Series(["a"] * 6)) is None


def test_a_ratio_a_difference_and_a_logarithm_turned_round_keep_their_ends_in_order():
    """An end that is not known stays unknown; of a ratio that may be nothing the inverse has no upper end."""
    assert Interval(2, 1, 4).inverse() == (0.5, 0.25, 1) and Interval(2, 0, 4).inverse().high == math.inf
    assert Interval(0, 0, 2).inverse() == (math.inf, 0.5, math.inf)
    assert Interval(2, 1, 4).negated() == (-2, -4, -1) and Interval(0, 0, 0).exp() == (1, 1, 1)
    unknown = Interval(2, math.nan, math.nan)
    assert all(math.isnan(end) for turned in (unknown.inverse(), unknown.exp()) for end in turned[1:])
