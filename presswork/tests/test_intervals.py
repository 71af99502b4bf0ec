"""Guards intervals, Holm's rule, rows by columns and estimates: each kind of interval has the ends of a textbook."""

import math

import numpy as np
import pandas as pd
import pytest

from presswork import estimates
from presswork.claim import Between
from presswork.estimates import by_mean, leads, minus, ratios, where, with_errors
from presswork.intervals import COUNTED, Interval, fewest, holm

UNKNOWN = Interval.without_ends(2.0)


def test_a_mean_reaches_as_far_as_the_normal_law_says_and_of_few_values_as_student_says():
    """1.96 standard errors on each side; of three values 4.303; what was not measured plays no part."""
    assert Interval.with_error(2.0, 0.5) == pytest.approx((2.0, 1.02, 2.98))
    found = Interval.of_mean(pd.Series([-1.0, 0.0, 1.0]))
    assert found.high == pytest.approx(4.303 / 3**0.5, rel=1e-3) and found.low == -found.high
    assert Interval.of_mean(pd.Series([-1.0, math.nan, 0.0, 1.0, math.nan])) == found
    assert Interval.of_mean(pd.Series([1.0, math.nan])) is None


@pytest.mark.parametrize("kind", [Interval.wilson, Interval.clopper_pearson, Interval.of_median])
def test_what_was_not_measured_plays_no_part(kind):
    flags = pd.Series([True, False] * 5, dtype=object)
    assert kind(pd.concat([flags, pd.Series([math.nan] * 4)])) == kind(flags)


@pytest.mark.parametrize(("n", "left_out"), [(6, 0), (8, 0), (9, 1), (12, 2), (15, 3), (20, 5)])
def test_the_interval_of_the_median_is_the_textbook_one(n, left_out):
    """As many values are left out on each side as tables of the sign test say."""
    values = [float(i) for i in range(n)]
    assert Interval.of_median(pd.Series(values[::-1])) == ((n - 1) / 2, left_out, n - 1 - left_out)


@pytest.mark.parametrize(("n", "below", "above"), [(3, 7.378, 0.0506), (10, 19.023, 2.700)])
def test_a_standard_deviation_has_the_ends_of_a_table_of_chi_squared(n, below, above):
    found = Interval.of_spread(pd.Series(range(n), index=pd.RangeIndex(n, name="seed"), dtype=float))
    sd = math.sqrt(n * (n + 1) / 12)
    assert found == pytest.approx(
        (sd, sd * math.sqrt((n - 1) / below), sd * math.sqrt((n - 1) / above)), rel=1e-3
    )
    assert found.over == (("seeds", n),) and Interval.of_spread(pd.Series([1.0])) is None


def test_unequal_ends_stand_in_brackets_and_no_end_is_made_up():
    """A ratio of 0.16 whose interval ends at 0.05 and 0.47 is not 0.16 ± 0.21, which would reach below nothing."""
    assert Interval(0.16, 0.05, 0.47).plus_minus(".2f") == "0.16 [0.05, 0.47]"
    assert Interval(2.0, 1.5, 2.55).plus_minus("+.1f") == "+2.0 ± 0.5"
    assert Interval(1, 0, 1.25).inverse().plus_minus(".2f") == "1.00 [0.80, ∞]"
    assert Interval(0, 0, 2).inverse().plus_minus(".2f") == "∞ [0.50, ∞]"
    assert UNKNOWN.plus_minus(".1f") == "2.0" and Interval.exactly(3).times(0.5).plus_minus(".2f") == "1.50"


def test_values_of_one_cluster_count_once():
    """A hundred near copies of ten groups say little more than ten values do, and far less than a thousand would."""
    groups = pd.Series(np.repeat(np.arange(10), 100))
    values = pd.Series(np.random.default_rng(1).normal(size=10))[groups.to_numpy()].reset_index(drop=True)
    found, alone = Interval.over_clusters(values, groups), Interval.of_mean(values)
    assert found.value == pytest.approx(values.mean())
    assert found.high - found.low > 5 * (alone.high - alone.low)
    of_means = Interval.of_mean(values.groupby(groups).mean())  # ten values, whose interval is Student's
    assert found.high - found.low == pytest.approx(of_means.high - of_means.low, rel=0.1)


def test_few_clusters_have_the_interval_of_the_jackknife_and_a_lone_one_has_none():
    """Of clusters of one size it is Student's of their means; of unequal ones the number stays that of all values."""
    values, clusters = pd.Series([-1.0, 1.0, 4.0, 6.0, 7.0, 7.0]), pd.Series(list("aabbcc"))
    of_means = Interval.of_mean(pd.Series([0.0, 5.0, 7.0]))
    assert Interval.over_clusters(values, clusters) == pytest.approx(of_means)
    uneven = Interval.over_clusters(values, pd.Series(list("aaaabc")))
    left_out = [7.0, 17 / 5, 17 / 5]  # the mean without a, b, c
    assert uneven.value == pytest.approx(4)
    assert uneven.half == pytest.approx(4.302653 * math.sqrt(2 * np.var(left_out)))
    assert Interval.over_clusters(values, clusters, "median").value == 5
    assert Interval.over_clusters(values, pd.Series(["a"] * 6)) is None


def test_an_interval_that_is_turned_or_cut_keeps_its_ends_in_order():
    """A share stays between 0 and 1; of a ratio that may be nothing the inverse has no upper end; NaN stays."""
    assert Interval.around(0.99, 0.02).of_share() == pytest.approx((0.99, 0.97, 1.0))
    assert Interval(2, 1, 4).inverse() == (0.5, 0.25, 1) and Interval(0, 0, 2).inverse().value == math.inf
    assert Interval.around(5, 3).minus(Interval.around(2, 4)) == (3, -2, 8)
    assert Interval(5, 2, 17).minus(Interval(2, -3, 6)) == (3, -2, 16)
    assert Interval(2, 1, 4).negated() == (-2, -4, -1) and Interval(0, 0, 0).exp() == (1, 1, 1)
    assert all(math.isnan(cut.low) for cut in (UNKNOWN.of_share(), UNKNOWN.inverse(), UNKNOWN.exp()))
    assert Interval(2.306, 2.1, 2.45).in_brackets(".2f") == "2.31 [2.10, 2.45]"
    assert UNKNOWN.in_brackets(".2f") == UNKNOWN.plus_minus(".2f") == "2.00"


ROWS = pd.DataFrame({"method": ["a", "a", "b"], "cutoff": [5, 10, 5], "ll": [1.0, 2.0, 3.0]})


def test_two_things_are_compared_where_both_were_measured():
    assert where(ROWS, method="a", cutoff=5)["ll"].tolist() == [1.0] and where(ROWS, method="c").empty
    rows = ROWS.assign(round=ROWS["cutoff"])
    assert minus(rows, "method", "b", "a", "ll", by="cutoff").to_dict() == {5: 2.0}
    assert ratios(rows, "method", "b", "a", "ll").tolist() == [3.0]
    assert minus(rows, "method", "a", "c", "ll", by="cutoff").empty
    assert ratios(rows[:0], "method", "a", "b", "ll").empty


def test_many_p_values_are_adjusted_by_holms_rule():
    """Each counts for those that are not smaller, and never less than one before it; equal ones count alike."""
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.01, "e": 0.9})
    assert {key: round(p, 9) for key, p in adjusted.items()} == {
        "a": 0.05,
        "d": 0.05,
        "c": 0.09,
        "b": 0.09,
        "e": 0.9,
    }


CURVES = pd.DataFrame({
    "method": ["a", "a", "b", "b", "c"], "curve": [0, 1, 0, 1, 1], "ll": [1.0, 2.0, 1.5, 2.7, 9.0], "ll_se": 0.1
})  # fmt: skip


def test_a_mean_of_one_value_is_absent_and_a_table_shows_a_dash():
    found = estimates.by_mean(CURVES, "method", "ll")
    assert found["a"] == Interval.of_mean(pd.Series([1.0, 2.0])) and "c" not in found
    by_two = {(method, "mean"): one for method, one in found.items()}
    table = estimates.table(by_two, "method", {"a": "A"}, {"mean": "ll", "median": "of ll"}, ".1f", times=10)
    assert table.to_dict("list") == {"method": ["A"], "ll": ["15.0 ± 63.5"], "of ll": ["–"]}


def test_a_table_may_hold_several_quantities_each_in_its_form_with_the_line_anywhere_in_the_key():
    """Of the third method nothing was measured: a line of dashes, or none."""
    found = {("crps", "a", 10): Interval(1.234, 1, 1.5), ("in90", "a", 10): Interval(0.9, 0.8, 1.0)}
    found["crps", "b", 10] = Interval(2, 1, 3)
    columns = {("crps", ..., 10): "CRPS", ("in90", ..., 10): ("coverage", "{0.value:.0%}".format)}
    whole, there = (
        estimates.table(found, "method", ["a", "b", "c"], columns, ".1f", only_measured=only)
        for only in (False, True)
    )
    wanted = {"method": ["a", "b"], "CRPS": ["1.2 ± 0.2", "2.0 ± 1.0"], "coverage": ["90%", "–"]}
    assert there.to_dict("list") == wanted and [*whole.iloc[2]] == ["c", "–", "–"]


def test_means_with_their_errors_are_found_by_one_column_or_by_several():
    one_each = CURVES.drop_duplicates("method")
    by_both = estimates.with_errors(one_each, ["method", "curve"], "ll")
    of_b = estimates.with_errors(one_each, "method", "ll")["b"]
    assert of_b == by_both["b", 0] == Interval.with_error(1.5, 0.1)
    assert estimates.those_of(by_both, "b") == {0: by_both["b", 0]}
    assert estimates.with_errors(CURVES[:0], "method", "ll") == {}
    as_list, as_text = (estimates.with_errors(one_each, key, "ll") for key in (["method"], "method"))
    assert as_list == as_text
    with pytest.raises(ValueError, match="2 rows have the same key: name a further column of"):
        estimates.with_errors(CURVES, "method", "ll")


def test_an_interval_says_over_what_it_is_taken():
    """The name of the index of its values, or the columns of the rows, and how many; what follows carries it along."""
    by_source = pd.Series([1.0, 2.0, 4.0, np.nan], index=pd.Index(list("abcd"), name="source"))
    mean = Interval.of_mean(by_source)
    assert mean.over == (("sources", 3),) == mean.negated().over == mean.times(2).exp().over
    table = pd.DataFrame(
        np.arange(6.0).reshape(2, 3), pd.Index([0, 1], name="seed"), pd.Index([5, 6, 7], name="curve")
    )
    both = Interval.of_seeds_and_curves(table)
    assert both.over == (("seeds", 2), ("curves", 3)) and both.minus(mean).over == both.over + mean.over
    assert fewest(both, both.taken_over((("seeds", 9), ("curves", 1)))) == (("seeds", 2), ("curves", 1))
    assert Interval.exactly(3.0).over == COUNTED == fewest(Interval.exactly(1), Interval.exactly(2))
    assert Interval.of_mean(pd.Series([1.0, 2.0])).over == () == Interval.around(1, 2).over
    twice = by_source.rename(dict(zip("abcd", "aabd", strict=True)))
    assert Interval.of_mean(twice).over == ()  # several rows of one source are no sources


def test_estimates_by_group_are_taken_over_the_column_that_tells_their_rows_apart():
    rows = pd.DataFrame({"method": list("aabb"), "seed": [0, 1, 0, 1], "ll": [1.0, 2.0, 3.0, 5.0]})
    rows = rows.assign(curve=7, n=40, ll_se=1.0)
    assert {one.over for one in by_mean(rows, "method", "ll").values()} == {(("seeds", 2),)}
    assert {one.over for one in leads(rows, "method", "a", "ll", "seed").values()} == {(("seeds", 2),)}
    assert {one.over for one in with_errors(rows, ["method", "seed"], "ll").values()} == {(("curves", 40),)}


def test_of_several_those_count_that_surely_meet_a_need_and_at_most_those_that_may():
    """One lies within, one reaches out of the bounds, one lies outside but reaches in, one is outside, one has no ends."""
    some = [(5, 4, 6), (5, 4, 11), (11, 9, 12), (20, 19, 21), (5, math.nan, math.nan)]
    found = estimates.how_many(Between(0, 10), (Interval(*one, (("groups of runs", 3),)) for one in some))
    assert found == (3, 1, 4) and found.over == (("groups of runs", 3),)
    assert estimates.how_many(Between(0, 10), []) is None
