"""Guards reproduce/limits/limits/question.py and what it is made of: chances of the best, the claims."""

import re

import pandas as pd
import pytest
import torch

from curvecast.curves import outside_prior
from reproduce.limits.limits import best_remaining, claims
from reproduce.limits.limits import question as limits
from tests.curvecast.scores.test_curve_by_curve import Uniform

CONFIG = limits.SCALES["laptop"]


def test_chances_of_the_best_multiply_only_if_independent():
    """Two epochs at 0.5 each: none above with 0.25 if independent, 0.5 by the likeliest alone."""
    density = Uniform(torch.tensor([[1.0, 1.0], [1.0, 2.0]]))
    independent, together, last = best_remaining.none_above(density, torch.tensor([0.5, 1.5]))
    assert independent.tolist() == [0.25, 0.5]
    assert together.tolist() == [0.5, 0.5] and last.tolist() == [0.5, 0.5]


def rows(shares: list[float], case: str, cutoff: int = 20) -> dict[str, pd.DataFrame]:
    frame = pd.DataFrame({"case": case, "cutoff": cutoff, "curve": range(len(shares)), "cover90": shares})
    return {"strange": frame.assign(ll=0.0)}


def verdicts(found: dict[str, pd.DataFrame]) -> dict[str, bool | None]:
    return {c.name: c.holds() for c in claims.claims(found, CONFIG.cutoffs, CONFIG.distances)}


def test_a_claim_is_answered_no_yes_or_unclear():
    """An interval that covers little, one that covers enough, one where the curves do not decide."""
    assert verdicts(rows([0.5, 0.6] * 50, "learning rate drops"))["rate_drop"] is False
    assert verdicts(rows([0.9, 0.95] * 50, "learning rate drops"))["rate_drop"] is True
    assert verdicts(rows([0.6, 1.0] * 10, "learning rate drops"))["rate_drop"] is None


def test_a_difference_is_taken_curve_by_curve():
    """Rows in another order are paired all the same, and what both share cancels."""
    a = pd.Series([3.0, 1.0, 2.0], index=[2, 0, 1])
    b = pd.Series([0.5, 1.5, 2.5], index=[0, 1, 2])
    gap = claims.difference(a, b)
    assert gap is not None and gap == pytest.approx((0.5, 0.5, 0.5))


def test_the_error_of_a_ratio_is_that_of_its_numerator_if_the_rest_is_fixed():
    """A denominator without spread: the ratio's error is the numerator's, divided. Of proportional values: none."""
    a, b = pd.Series([1.0, 3.0, 2.0, 4.0]), pd.Series([2.0, 2.0, 2.0, 2.0])
    found = claims.ratio(a, b)
    assert found is not None and found.value == pytest.approx(1.25)
    assert found.half == pytest.approx(1.96 * a.std() / 2 / 2)
    exact = claims.ratio(3 * a, a)
    assert exact is not None and exact == pytest.approx((3, 3, 3))


def test_equal_bits_are_claimed_of_equal_bits_only():
    """The smallest difference between two threads and one is a failure."""
    machine = pd.DataFrame({
        "setting": ["one thread", "two threads", "AVX2 at most", "no wide vectors"],
        "ll": [0, 0, 1e-5, 2e-5], "weights": [0, 0, 1e-6, 1e-6],
    })  # fmt: skip
    found = verdicts({"machine": machine})
    assert found["threads_same_bits"] and found["instructions_agree"]
    assert found["instructions_other_weights"] is False
    machine.loc[1, "weights"] = 1e-9
    assert verdicts({"machine": machine})["threads_same_bits"] is False


def test_each_strange_kind_says_by_how_much():
    """A number, in words or figures, for every change; the prior's own curves are not changed."""
    from reproduce.limits.limits import tables

    sizes = tables._sizes()
    assert len(sizes) == len(outside_prior.KINDS) - 1
    assert all(re.search(r"\d|\b(?:half|third|three)\b", said) for said in sizes.iloc[:, 1])
