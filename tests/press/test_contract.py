"""Guards reproduce/_press/contract.py: when a claim holds, and what a question that breaks the contract is told."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from reproduce._press import contract
from reproduce._press.contract import Claim


def claim(low, high, condition, value=None):
    return Claim("c", "It is {value}.", (low + high) / 2 if value is None else value, low, high, condition)


@pytest.mark.parametrize(
    ("low", "high", "condition", "holds"),
    [
        (1.5, 2.0, ">= 1.5", True),
        (1.5, 2.0, "> 1.5", None),
        (1.4, 2.0, ">= 1.5", None),
        (1.0, 1.4, ">= 1.5", False),
        (-2.0, -1.0, "< 0", True),
        (-2.0, 0.0, "< 0", None),
        (0.0, 1.0, "< 0", False),
        (0.0, 1.0, "<= 1", True),
        (0.89, 0.91, "between 0.88 and 0.92", True),
        (0.87, 0.91, "between 0.88 and 0.92", None),
        (0.93, 0.95, "between 0.88 and 0.92", False),
        (0.80, 0.99, "between 0.88 and 0.92", None),
        (1e-4, 2e-4, "< 1e-3", True),
        (-3.0, -2.0, "between -4 and -1", True),
    ],
)
def test_a_claim_holds_if_its_whole_interval_meets_the_condition(low, high, condition, holds):
    """It fails if none of the interval meets it, else it is open."""
    assert claim(low, high, condition).holds() is holds


@given(st.floats(-10, 10), st.floats(0, 5), st.floats(-10, 10))
def test_opposite_conditions_exclude_each_other(low, width, threshold):
    """If '>= t' holds then '< t' fails, and the other way round; both are open together."""
    up = claim(low, low + width, f">= {threshold!r}").holds()
    down = claim(low, low + width, f"< {threshold!r}").holds()
    assert up is (None if down is None else not down)


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_what_was_not_measured_is_not_tested(nothing):
    """A missing value or bound gives neither true nor false."""
    unmeasured = Claim("c", "It is {value:.2f}.", nothing, nothing, nothing, "> 0")
    assert unmeasured.holds() is None and not unmeasured.tested()


def test_a_condition_that_nobody_understands_is_an_error():
    """A misspelt condition stops the run instead of never holding."""
    with pytest.raises(ValueError, match="neither like"):
        claim(1.0, 2.0, "about 1").holds()


def test_unknown_names_get_the_nearest_known_one():
    """A typing error costs one sentence."""
    with pytest.raises(UserError, match="There is no scale 'latop'; did you mean 'laptop'"):
        contract.known("scale", "latop", contract.SCALES)
    with pytest.raises(UserError, match="there are: a, b"):
        contract.known("question", "xyz", ["a", "b"])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"__doc__": None}, "docstring"),
        ({"Config": object}, "frozen dataclass"),
        ({"SCALES": {}}, "smoke, laptop, paper"),
        ({"measure": None}, "measure is missing"),
        ({"claims": None}, "claims is missing"),
        (
            {"TOLERANCES": {"rows.x": (0.1, "")}},
            'TOLERANCES["rows.x"] must be (a share or "chaotic", "the reason")',
        ),
        ({"TOLERANCES": {"rows.x": 0.1}}, "the reason"),
        ({"TOLERANCES": {"rows.x": ("loose", "no idea")}}, "a share or"),
    ],
)
def test_a_broken_question_is_told_what_it_misses(change, complaint):
    """The complaint names the first thing that the contract asks for and does not find."""
    from dataclasses import make_dataclass

    config = make_dataclass("Config", [], frozen=True)
    scales = dict.fromkeys(contract.SCALES, config())
    whole = {"__doc__": "Why?", "Config": config, "SCALES": scales}
    whole |= dict.fromkeys(("measure", "draw", "tabulate", "claims"), print)
    assert contract.broken(SimpleNamespace(**whole)) is None
    assert complaint in contract.broken(SimpleNamespace(**(whole | change)))


def test_every_question_keeps_the_contract():
    """All files of reproduce/ without a leading underscore load, at every scale."""
    for name in contract.names():
        question = contract.load(name)
        for scale in contract.SCALES:
            assert question.parts(scale) and question.models(scale) is not None
