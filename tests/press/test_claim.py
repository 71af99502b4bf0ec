"""Guards reproduce/_press/claim.py and answers/needs.py: when a claim is answered yes, and which claims are refused."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduce._press.answers import needs
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.intervals import Interval


def asked(low, high, needed, value=None, **more):
    return Claim(
        "c", "Is it?", Interval((low + high) / 2 if value is None else value, low, high), needed, **more
    )


@pytest.mark.parametrize(
    ("low", "high", "needed", "answer"),
    [
        (1.5, 2.0, AtLeast(1.5), "yes"),
        (1.5, 2.0, Above(1.5), "unclear"),
        (1.4, 2.0, AtLeast(1.5), "unclear"),
        (1.0, 1.4, AtLeast(1.5), "no"),
        (-2.0, -1.0, Below(0), "yes"),
        (-2.0, 0.0, Below(0), "unclear"),
        (0.0, 1.0, Below(0), "no"),
        (0.0, 1.0, AtMost(1), "yes"),
        (-math.inf, 1.0, AtMost(1), "yes"),
        (0.89, 0.91, Between(0.88, 0.92), "yes"),
        (0.87, 0.91, Between(0.88, 0.92), "unclear"),
        (0.93, 0.95, Between(0.88, 0.92), "no"),
        (0.80, 0.99, Between(0.88, 0.92), "unclear"),
        (-3.0, -2.0, Between(-4, -1), "yes"),
    ],
)
def test_yes_needs_the_whole_interval(low, high, needed, answer):
    """No part of it: no; a part: unclear. The answer is the one that is written."""
    claim = asked(low, high, needed)
    assert claim.answer() == answer == claim.as_json()["answer"]
    assert claim.holds() is {"yes": True, "no": False, "unclear": None}[answer]


@given(st.floats(-10, 10), st.floats(0, 5), st.floats(-10, 10))
def test_opposite_bounds_exclude_each_other(low, width, bound):
    """Where "at least" is answered yes, "below" is answered no, and the other way round; both are unclear together."""
    up, down = (asked(low, low + width, needed(bound)).holds() for needed in (AtLeast, Below))
    assert up is (None if down is None else not down)


@pytest.mark.parametrize(
    "nothing", [None, Interval(math.nan, math.nan, math.nan), Interval(1.0, math.nan, math.nan)]
)
def test_what_was_not_measured_is_not_tested(nothing):
    """Nothing, or a number without an interval, gives neither yes nor no; the file says null, which JSON has."""
    claim = Claim("c", "Is it?", nothing, Above(0))
    assert claim.holds() is None and not claim.tested()
    written = json.loads(json.dumps(claim.as_json(), allow_nan=False))
    assert (written["answer"], written["value"], written["low"]) == ("not tested", None, None)


@pytest.mark.parametrize("needed", [AtLeast(1.585), AtMost(5), Above(0), Below(-0.02), Between(0.88, 0.92)])
def test_bounds_come_back_from_json(needed):
    """As they were."""
    assert needs.of_json(json.loads(json.dumps(needed.as_json()))) == needed


@pytest.mark.parametrize(
    ("needed", "words", "bounds"),
    [
        (AtLeast(1.585), "≥ 1.585", [1.585]),
        (Above(0), "> 0", [0]),
        (AtMost(0.001), "≤ 0.001", [0.001]),
        (Above(-0.02), "> −0.02", [-0.02]),
        (AtLeast(10000), "≥ 10,000", [10_000]),
        (Below(1e-5), "< 0.00001", [1e-5]),
        (Between(0.88, 0.92), "0.88 to 0.92", [0.88, 0.92]),
        (Between(0, 0), "0", [0, 0]),
    ],
)
def test_bounds_are_shown_as_people_write_them(needed, words, bounds):
    """With all their digits."""
    assert (needed.words(), needed.bounds()) == (words, bounds)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: AtLeast(math.nan), "can never fail"),
        (lambda: AtLeast(-math.inf), "can never fail"),
        (lambda: Between(2, 1), "can never be met"),
        (lambda: asked(0, 1, ">= 1"), "say AtLeast"),
        (lambda: asked(0, 1, Above(0), unit="parsecs"), "has the unit 'parsecs'"),
        (lambda: Claim("c", "It is.", None, Above(0)), "a question, which ends with"),
    ],
)
def test_a_claim_that_means_nothing_is_refused(make, complaint):
    """With what to write instead."""
    with pytest.raises(ValueError, match=complaint):
        make()
