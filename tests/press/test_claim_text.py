"""Guards reproduce/_press/claim_text.py: one question, one number and one word for a claim, wherever it is shown."""

import html
import json
import math

import pytest

from reproduce._press import claim_text, verdict
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._site import verdicts

ANY = AtLeast(-1000)


def written(value, low=None, high=None, needed=ANY, unit="", printed=None, asks="Is it?"):
    """An entry of claims.json; without an interval a number that was counted."""
    found = Interval(value, value if low is None else low, value if high is None else high)
    return Claim("c", asks, found, needed, unit, printed).as_json()


def test_every_answer_has_a_meaning_and_a_sign():
    """The words of the claims, of the list of words and of the marks are the same."""
    words = ["yes", "no", "unclear", "not tested"]
    assert list(claim_text.EXPLAINED) == list(verdicts.MARKS) == words
    claims = [written(1.0, 0.9, 1.1, needed) for needed in (Above(0), Below(0), Above(1))]
    claims.append(Claim("c", "Is it?", None, Above(0)).as_json())
    assert list(map(claim_text.answer, claims)) == words


def test_answers_are_counted_in_words():
    """In the order of the words, without those that do not occur."""
    assert claim_text.counted(["unclear", "no", "yes", "unclear"]) == "1 yes, 1 no and 2 unclear"
    assert claim_text.counted(["not tested"] * 2) == "2 not tested"
    assert claim_text.counted([]) == "none"


def test_a_question_writes_numbers_as_the_pages_do():
    """Thousands and percent signs, years apart."""
    question = claim_text.question(written(1.0, asks="Did 12000 of 20 % reach it in 2023?"))
    assert question == "Did 12,000 of 20\u00a0% reach it in 2023?"


def test_what_is_counted_keeps_to_its_side_of_the_bound():
    """1.0203 is not at most 1.02, and the number shows it."""
    assert claim_text.value(written(1.0203, needed=AtMost(1.02))) == "1.0203"
    assert claim_text.value(written(1.0203, needed=AtMost(1.5))) == "1.02"


def test_a_share_is_a_percentage_wherever_it_is_shown():
    """The value, what is needed, what the paper prints."""
    claim = written(0.248, 0.1993, 0.2967, Below(0.8), "%", printed=0.9765625)
    assert (claim_text.value(claim), claim_text.found(claim)) == ("25\u00a0% [20, 30]", "25\u00a0%")
    assert (claim_text.needed(claim), claim_text.printed(claim)) == ("< 80\u00a0%", "97.7\u00a0%")
    counted = written(0.914145, needed=Between(0.88, 0.94), unit="%")
    assert (claim_text.value(counted), claim_text.needed(counted)) == ("91.4\u00a0%", "88 to 94\u00a0%")


@pytest.mark.parametrize(
    ("unit", "value", "needed"),
    [
        ("", "2.0 [1.5, 2.5]", "≥ 1.5"),
        ("×", "2.0× [1.5, 2.5]", "≥ 1.5×"),
        ("nats per point", "2.0\u00a0nats per point [1.5, 2.5]", "≥ 1.5\u00a0nats per point"),
    ],
)
def test_a_unit_follows_the_value_and_the_bound(unit, value, needed):
    """With a space that does not break, and once."""
    claim = written(2.0, 1.5, 2.5, AtLeast(1.5), unit)
    assert (claim_text.value(claim), claim_text.needed(claim)) == (value, needed)
    assert claim_text.found(claim) == value.partition(" [")[0]


def test_numbers_are_as_exact_as_their_interval():
    """The value of a claim has as many decimals as its interval is wide, and a printed one keeps its own."""
    assert claim_text.value(written(1.60249, 1.5823, 1.6227)) == "1.602 [1.582, 1.623]"
    assert claim_text.value(written(2.52401, 2.51899, 2.52906)) == "2.524 [2.519, 2.529]"
    assert claim_text.value(written(15231.0, 14000.0, 16000.0)) == "15,231 [14,000, 16,000]"
    endless = json.loads(json.dumps(written(2.0, 1.0, math.inf), allow_nan=False))
    assert claim_text.value(endless) == "2.00 [1.00, ∞]"
    assert claim_text.value(written(17.0)) == "17"  # counted: no interval
    assert claim_text.value(written(9.54e-7)) == "9.5e−07"
    assert claim_text.printed(written(1.0, printed=1.585)) == "1.585"


def test_what_was_not_measured_is_a_dash():
    """So is what the paper does not print."""
    claim = Claim("c", "Is it?", None, Above(0), "×").as_json()
    assert (claim_text.value(claim), claim_text.printed(claim), claim_text.number(math.nan)) == ("–",) * 3


def test_terminal_and_page_show_the_same_words_and_numbers():
    """What `verify` prints of a claim stands on the page as well, digit by digit."""
    claim = written(2.52401, 2.51899, 2.52906, Above(2), printed=2.5, asks="Is it large?")
    row = claim | {"question": "q", "needed": claim_text.needed(claim), "published": 2.5,
                   "published_low": 2.4, "published_high": 2.6, "published_answer": "yes"}  # fmt: skip
    published = written(2.5, 2.4, 2.6, Above(2))
    page = verdicts.table({"q": [verdicts.Row(claim, published, "paper", "")]}, {})
    terminal = verdict.show([row], "paper")
    for shown in ("2.524 [2.519, 2.529]", "2.50 [2.40, 2.60]", "Is it large?", "yes", "> 2"):
        assert html.escape(shown) in page and shown in terminal


@pytest.mark.parametrize(
    ("value", "low", "high", "needed", "shown"),
    [
        (0.4, 0.26, 0.955, AtLeast(1), "0.40 [0.26, 0.95]"),  # and not 0.4 [0.3, 1.0], which reaches it
        (0.4, 0.26, 1.2, AtLeast(1), "0.4 [0.3, 1.2]"),
        (0.881, 0.8801, 0.899, Between(0.88, 0.92), "0.8810 [0.8801, 0.8990]"),
        (0.9, 0.885, 0.9196, Between(0.88, 0.92), "0.9000 [0.8850, 0.9196]"),  # and not 0.920
        (0.9, 0.885, 0.9203, Between(0.88, 0.92), "0.9000 [0.8850, 0.9203]"),  # neither here
        (0.4, 0.26, 0.846, Between(0.2, 0.848), "0.400 [0.260, 0.846]"),  # and not 0.85
        (0.85, 0.796, 0.9, AtLeast(0.8), "85.0\u00a0% [79.6, 90.0]"),  # and not 80, which meets it
        (0.85, 0.8, 0.9, AtLeast(0.8), "85\u00a0% [80, 90]"),
        (0.9, 0.86, 0.936, Between(0.8, 0.94), "90.0\u00a0% [86.0, 93.6]"),
        (0.9, 0.86, 0.9404, Between(0.8, 0.94), "90.00\u00a0% [86.00, 94.04]"),
        (0.25, 0.2, 0.2904, AtMost(0.29), "25.00\u00a0% [20.00, 29.04]"),  # 100 * 0.29 is not 29
        (0.62, 0.5804, 0.66, Above(0.58), "62.00\u00a0% [58.04, 66.00]"),
    ],
)
def test_the_ends_of_an_interval_keep_to_their_side_of_the_bound(value, low, high, needed, shown):
    """An end that is rounded onto a bound would show another answer than the one beside it; a bound may be a share."""
    unit = "%" if "%" in shown else ""
    assert claim_text.value(written(value, low, high, needed, unit)) == shown
