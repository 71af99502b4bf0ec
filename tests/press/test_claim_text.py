"""Guards reproduce/_press/claim_text.py: one sentence, one number and one word for a claim, wherever it is shown."""

import html
import math

import pytest

from reproduce._press import claim_text, verdict
from reproduce._site import verdicts


@pytest.mark.parametrize(
    ("value", "low", "high", "holds", "word"),
    [
        (1.6, 1.59, 1.61, True, "holds"),
        (1.6, 1.59, 1.61, False, "fails"),
        (1.6, 1.5, 1.7, None, "open"),
        (None,) * 4 + ("not tested",),
    ],
)
def test_verdict_of_a_claim(value, low, high, holds, word):
    """A claim is shown as holding, failing, open or not tested, with a number as exact as its interval."""
    claim = {"sentence": "It is {value:.1f}, paper {printed}.", "printed": 1.585}
    claim |= {"value": value, "low": low, "high": high, "holds": holds}
    assert claim_text.verdict(claim) == word
    assert claim_text.sentence(claim) == f"It is {'…' if value is None else '1.6'}, paper 1.58."


def test_a_limit_has_words_of_its_own():
    """A confirmed limit is no success, and one that is not there no failure."""
    claim = {"value": 0.3, "low": 0.3, "high": 0.3, "limit": True}
    assert claim_text.verdict(claim | {"holds": True}) == "limit confirmed"
    assert claim_text.verdict(claim | {"holds": False}) == "limit refuted"
    assert claim_text.verdict(claim | {"holds": None}) == "open"
    assert claim_text.verdict(claim | {"value": None}) == "not tested"


def test_a_sentence_may_name_the_ends_of_its_condition():
    """With their own digits or as a format asks; percent, thousands and minus as everywhere."""
    claim = {
        "sentence": "It is {least:.0%} to {most:.0%}: {value:.1%}.",
        "condition": "between 0.87 and 0.93",
        "value": 0.9,
    }
    assert claim_text.sentence(claim) == "It is 87 to 93\u00a0%: 90.0\u00a0%."
    claim = {
        "sentence": "At least {least} of 12000, in 2023: {value:.0f}.",
        "condition": ">= 10000",
        "value": 2141.3,
    }
    assert claim_text.sentence(claim) == "At least 10,000 of 12,000, in 2023: 2,141."
    assert (
        claim_text.sentence(claim | {"sentence": "Under {most}.", "condition": "< -0.02"}) == "Under −0.02."
    )


def test_what_is_counted_keeps_to_its_side_of_the_condition():
    """1.0203 fails 'at most 1.02', and the number shows it."""
    claim = {"value": 1.0203, "low": 1.0203, "high": 1.0203, "condition": "<= 1.02"}
    assert claim_text.value(claim) == "1.0203"
    assert claim_text.value(claim | {"condition": "<= 1.5"}) == "1.02"


def test_a_share_is_in_per_cent_wherever_it_is_shown():
    """A sentence that says 25 % has 25 % in its table, its card and its condition as well."""
    claim = {
        "sentence": "It holds {value:.0%}.",
        "value": 0.248,
        "low": 0.1993,
        "high": 0.2967,
        "condition": "< 0.8",
    }
    assert (claim_text.value(claim), claim_text.holds_if(claim)) == ("25\u00a0% [20, 30]", "< 80\u00a0%")
    counted = claim | {
        "value": 0.914145,
        "low": 0.914145,
        "high": 0.914145,
        "condition": "between 0.88 and 0.94",
    }
    assert (claim_text.value(counted), claim_text.holds_if(counted)) == ("91.4\u00a0%", "88 to 94\u00a0%")
    assert claim_text.printed(claim | {"printed": 0.9765625}) == "97.7\u00a0%"
    assert claim_text.value(claim | {"sentence": "It holds {value:.2f}."}) == "0.25 [0.20, 0.30]"


def test_numbers_are_as_exact_as_their_interval():
    """The value of a claim has as many decimals as its interval is wide, and a printed one keeps its own."""
    claim = {"value": 1.60249, "low": 1.5823, "high": 1.6227}
    assert claim_text.value(claim) == "1.602 [1.582, 1.623]"
    assert claim_text.value({"value": 2.52401, "low": 2.51899, "high": 2.52906}) == "2.524 [2.519, 2.529]"
    assert claim_text.printed({"printed": 1.585}) == "1.585"
    assert claim_text.value({"value": 15231.0, "low": 14000.0, "high": 16000.0}) == "15,231 [14,000, 16,000]"
    assert claim_text.value({"value": -2.5, "low": None, "high": None}) == "−2.50"
    assert claim_text.value({"value": 17.0, "low": 17.0, "high": 17.0}) == "17"  # counted: no interval
    assert claim_text.value({"value": 9.54e-7, "low": 9.54e-7, "high": 9.54e-7}) == "9.5e−07"
    assert claim_text.number(17.0, {"value": 17.0, "low": 17.0, "high": 17.0}) == "17"


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_what_was_not_measured_is_an_ellipsis(nothing):
    """A sentence stays readable where its number is missing."""
    claim = {"sentence": "It is {value:.2f}.", "value": nothing, "low": nothing, "high": nothing}
    assert claim_text.sentence(claim) == "It is …."


def test_a_number_without_a_format_is_as_exact_as_its_interval():
    """{value} takes a format code; another number of the sentence has three digits."""
    claim = {"sentence": "{value} is {value:.1f}, not {printed}.", "value": 1.23456, "low": 1.0, "high": 2.0}
    assert claim_text.sentence(claim | {"printed": 9.125}) == "1.2 is 1.2, not 9.12."


def test_verdicts_are_counted_in_words():
    """Each word in singular and plural; none of them says so."""
    assert claim_text.counted({"holds": 1, "fails": 1, "open": 2}) == "1 yes, 1 no and 2 unclear"
    assert claim_text.counted({"not tested": 2}) == "2 not tested"
    assert claim_text.counted({"yes": 2, "limit confirmed": 1}) == "3 yes"
    assert claim_text.counted({}) == "none"


def test_terminal_and_page_show_the_same_number():
    """What `verify` prints of a claim stands on the page as well, digit by digit, and so does the condition."""
    claim = {"name": "c", "sentence": "It is {value}.", "condition": "> 2", "printed": 2.5, "holds": True,
             "value": 2.52401, "low": 2.51899, "high": 2.52906}  # fmt: skip
    row = claim | {"question": "q", "sentence": claim_text.sentence(claim), "published": 2.5,
                   "published_low": 2.4, "published_high": 2.6}  # fmt: skip
    page = verdicts.table({"q": [(claim, {"value": 2.5, "low": 2.4, "high": 2.6}, "paper", "")]}, {})
    terminal = verdict.show([row], "paper")
    for shown in ("2.524 [2.519, 2.529]", "2.50 [2.40, 2.60]", "It is 2.524.", "holds", "> 2"):
        assert html.escape(shown) in page and shown in terminal


@pytest.mark.parametrize(
    ("value", "low", "high", "condition", "shown"),
    [
        (0.4, 0.26, 0.955, ">= 1", "0.40 [0.26, 0.95]"),  # and not 0.4 [0.3, 1.0], which fails
        (0.4, 0.26, 1.2, ">= 1", "0.4 [0.3, 1.2]"),
        (0.881, 0.8801, 0.899, "between 0.88 and 0.92", "0.8810 [0.8801, 0.8990]"),
        (0.9, 0.885, 0.9196, "between 0.88 and 0.92", "0.9000 [0.8850, 0.9196]"),  # and not 0.920
        (0.9, 0.885, 0.9203, "between 0.88 and 0.92", "0.9000 [0.8850, 0.9203]"),  # neither here
        (0.4, 0.26, 0.846, "between 0.2 and 0.848", "0.400 [0.260, 0.846]"),  # and not 0.85
    ],
)
def test_the_ends_of_an_interval_keep_to_their_side_of_the_condition(value, low, high, condition, shown):
    """An end that is rounded onto the condition would show another verdict than the one beside it."""
    claim = {"sentence": "It is {value}.", "value": value, "low": low, "high": high, "condition": condition}
    assert claim_text.value(claim) == shown


@pytest.mark.parametrize(
    ("value", "low", "high", "condition", "shown"),
    [
        (0.85, 0.796, 0.9, ">= 0.8", "85.0\u00a0% [79.6, 90.0]"),  # and not 80, which meets it
        (0.85, 0.8, 0.9, ">= 0.8", "85\u00a0% [80, 90]"),
        (0.9, 0.86, 0.936, "between 0.8 and 0.94", "90.0\u00a0% [86.0, 93.6]"),
        (0.9, 0.86, 0.9404, "between 0.8 and 0.94", "90.00\u00a0% [86.00, 94.04]"),
        (0.25, 0.2, 0.2904, "<= 0.29", "25.00\u00a0% [20.00, 29.04]"),  # 100 * 0.29 is not 29
        (0.62, 0.5804, 0.66, "> 0.58", "62.00\u00a0% [58.04, 66.00]"),
    ],
)
def test_the_ends_of_a_share_keep_to_their_side_of_the_condition_in_per_cent(
    value, low, high, condition, shown
):
    """The condition is a share, the card has per cent."""
    claim = {
        "sentence": "It is {value:.0%}.", "value": value, "low": low, "high": high, "condition": condition,
    }  # fmt: skip
    assert claim_text.value(claim) == shown


def test_a_card_has_no_fewer_digits_than_its_sentence():
    """0.57 in the sentence and 1 on the card would be two numbers."""
    claim = {"sentence": "It is {value:.2f}.", "value": 0.57, "low": 0.154, "high": 7.16, "condition": "> 1"}
    assert claim_text.value(claim) == "0.57 [0.15, 7.16]"
