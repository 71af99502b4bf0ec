"""Guards reproduce/reproduction/accuracy/question.py: what its claims do with the rows."""

import pandas as pd
import pytest

from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction.accuracy import question as accuracy

CONFIG = accuracy.SCALES["paper"]
CUTOFFS = (10, 20, 40, 80)


def claims(
    leads: dict[int, tuple[float, float]], method: str, printed: str, luck: float = 0.0, seeds: float = 0.0
) -> dict:
    """The claims of rows in which a method lies (lead, se) away from what is printed, itself with the luck of its curves;
    the second test set gives the same, and five seeds of a training scatter by `seeds`."""
    rows = [
        {
            "method": method,
            "cutoff": c,
            "ll_even": log_likelihood(printed, c) + lead,
            "ll_even_se": se,
            "ll_se": luck,
            "n": 10_000,
        }
        for c, (lead, se) in leads.items()
    ]
    table, scatter = pd.DataFrame(rows), pd.DataFrame({"cutoff": CUTOFFS, "seeds": 5, "sd": seeds})
    found = accuracy.claims({"rows": table, "second": table, "luck": scatter, "each": pd.DataFrame()}, CONFIG)
    return {claim.name: claim for claim in found}


def test_at_every_cutoff_means_every_interval():
    """A lead at the safest cutoff does not hide one that its interval leaves open."""
    open_at_10 = {10: (0.006, 0.015), 20: (0.05, 0.002), 40: (0.05, 0.002), 80: (0.005, 0.002)}
    claim = claims(open_at_10, "ours", "P3")["ours_reaches_p3"]
    assert claim.value == pytest.approx(0.005) and claim.holds() is None
    clear = dict.fromkeys(CUTOFFS, (0.006, 0.002))
    assert claims(clear, "ours", "P3")["ours_reaches_p3"].holds() is True
    behind = clear | {40: (-0.02, 0.002)}
    assert claims(behind, "ours", "P3")["ours_reaches_p3"].holds() is False


def test_the_largest_gap_counts_on_either_side():
    """Reproduced means near: too good is as far off as too bad, and a wide interval leaves it open."""
    near = dict.fromkeys(CUTOFFS, (-0.01, 0.002))
    assert claims(near, "P1", "P1")["reproduces_p1"].holds() is True
    assert claims(near | {20: (0.05, 0.002)}, "P1", "P1")["reproduces_p1"].holds() is False
    wide = near | {10: (-0.01, 0.015)}
    assert claims(wide, "P1", "P1")["reproduces_p1"].holds() is None
    assert claims(near, "P1", "P1", luck=0.02)["reproduces_p1"].holds() is None


def test_a_printed_score_has_luck_of_its_own():
    """As much as ours had before it was taken out."""
    above = dict.fromkeys(CUTOFFS, (0.03, 0.005))
    assert claims(above, "ours", "P2")["reaches_p2_at_20"].holds() is True
    assert claims(above, "ours", "P2", luck=0.02)["reaches_p2_at_20"].holds() is None


def test_another_training_is_another_network():
    """A lead that a seed could give or take is open: 2.78 standard deviations of five seeds."""
    above = dict.fromkeys(CUTOFFS, (0.03, 0.001))
    assert claims(above, "ours", "P2", seeds=0.005)["reaches_p2_at_20"].holds() is True
    assert claims(above, "ours", "P2", seeds=0.02)["reaches_p2_at_20"].holds() is None


def test_the_claims_about_printed_numbers_ask_the_second_set_alone():
    """The first has seen the recipe being chosen."""
    first = pd.DataFrame(
        {"method": "ours", "cutoff": [10], "ll_even": 9.0, "ll_even_se": 0.1, "ll_se": 0.1, "n": 100}
    )
    found = accuracy.claims({"rows": first, "each": pd.DataFrame()}, CONFIG)
    assert all(not claim.tested() for claim in found if claim.name.startswith(("reaches", "first_set")))


def test_a_fit_of_fewer_curves_is_compared_on_those():
    """The sum of all families takes longer, and is asked about the first curves only."""
    each = pd.DataFrame({"ours@10": [2.0, 2.5, 9.0, 9.0, None], "sum@10": [None, None, None, 1.0, 1.4]})
    found = {
        c.name: c
        for c in accuracy.claims({"rows": pd.DataFrame(columns=["method", "cutoff"]), "each": each}, CONFIG)
    }
    assert found["beats_the_sum_at_10"].value == pytest.approx(1.05)
