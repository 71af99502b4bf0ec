"""Guards reproduce/reproduction/accuracy/order_of_measures.py: two orders of the same curves."""

import pytest

from reproduce._press.claim import Above
from reproduce.reproduction.accuracy import order_of_measures as order


@pytest.fixture(scope="module")
def rows():
    """Of 300 curves."""
    return order.scores(300)


def test_the_gap_is_the_second_minus_the_first(rows):
    """Curve by curve, so that its mean is the difference of the means."""
    mine = rows[(rows["cutoff"] == 10) & (rows["measure"] == "ll")].set_index("method")["value"]
    assert mine["gap"] == pytest.approx(mine["pow4"] - mine["last value"])


def test_both_claims_ask_for_more(rows):
    """More error, and more likelihood: with both, the order hangs on the measure."""
    found = {c.name: c for c in order.claims(rows)}
    assert all(c.needs == Above(0) for c in found.values())
    assert found["pow4_is_likelier"].value > 0


def test_the_table_has_a_line_for_each_method_and_measure(rows):
    """Two of each."""
    assert order.table(rows).shape == (4, 4)
