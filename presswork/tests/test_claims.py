"""Guards claims: when one is answered yes, which are refused, how one reads, the wording of all that are
published, and what `verify` says of those made here."""

import html
import json
import math
from pathlib import Path

import pytest

from presswork import claim_text
from presswork.claim import Above, AtLeast, AtMost, BadClaim, Below, Between, Claim, of_json
from presswork.estimates import of_each_end
from presswork.ground.errors import UserError
from presswork.intervals import Interval
from presswork.site import verdicts
from presswork.telling import verdict

ROOT = Path(__file__).resolve().parents[2]


def claim(low, high, needed, value=None, **more):
    middle = (low + high) / 2 if value is None else value
    return Claim(
        "c", more.pop("asks", "Is it?"), Interval(middle, low, high, (("seeds", 3),)), needed, **more
    )


def test_a_claim_names_the_estimate_that_it_is_about():
    """One that is not there was not measured; a number without an interval is neither."""
    found = {("ll", 10): Interval(1.0, 0.9, 1.1, (("seeds", 3),))}
    asked = Claim("c", "Is it?", ("ll", 10), Above(0))
    assert asked.looked_up(found).answer() == "yes" and asked.looked_up({}).answer() == "not tested"
    whole = Claim("c", "Is it?", found["ll", 10], Above(0))
    assert whole.looked_up({}) == whole
    with pytest.raises(BadClaim, match="name an estimate, or make it an Interval"):
        Claim("c", "Is it?", 1.0, Above(0))


@pytest.mark.parametrize(("low", "high", "needed", "answer"), [
    (1.5, 2.0, AtLeast(1.5), "yes"), (1.5, 2.0, Above(1.5), "unclear"), (1.0, 1.4, AtLeast(1.5), "no"),
    (-2.0, -1.0, Below(0), "yes"), (-2.0, 0.0, Below(0), "unclear"), (0.0, 1.0, Below(0), "no"),
    (-math.inf, 1.0, AtMost(1), "yes"), (0.89, 0.91, Between(0.88, 0.92), "yes"),
    (0.80, 0.99, Between(0.88, 0.92), "unclear"), (0.93, 0.95, Between(0.88, 0.92), "no"),
    (math.nan, math.nan, Above(0), "not tested"),
])  # fmt: skip
def test_yes_needs_the_whole_interval_and_no_none_of_it(low, high, needed, answer):
    written = json.loads(json.dumps(claim(low, high, needed, value=1.0).as_json(), allow_nan=False))
    assert written["answer"] == answer and (written["value"] is None) == (answer == "not tested")
    assert of_json(written["needs"]) == needed


def test_an_unclear_answer_says_whether_any_value_could_have_been_a_yes_and_over_what_it_is_taken():
    narrow, wide, open_ended = (
        claim(0.85, 0.89, Between(0.88, 0.92)),
        claim(0.8, 0.9, Between(0.88, 0.92)),
        claim(-2, 3, Above(0)),
    )
    said = ["too few units" in claim_text.meaning(one.as_json()) for one in (narrow, wide, open_ended)]
    assert said == [False, True, False]
    found = claim(1, 2, Above(0)).found.taken_over((("seeds", 3), ("curves", 1)))
    stated = Claim("c", "Is it?", found, Above(0)).as_json()
    assert claim_text.over(stated) == "3 seeds and 1 curve" and claim_text.over({}) == ""
    assert verdicts.facts(stated, "paper", late=True)["Interval"] == "95 %, over 3 seeds and 1 curve"


@pytest.mark.parametrize(("make", "complaint"), [
    (lambda: AtLeast(math.nan), "can never fail"), (lambda: AtLeast(-math.inf), "can never fail"),
    (lambda: Between(2, 1), "can never be met"), (lambda: claim(0, 1, ">= 1"), "say AtLeast"),
    (lambda: claim(0, 1, Above(0), unit="parsecs"), "has the unit 'parsecs'"),
    (lambda: Claim("c", "It is.", None, Above(0)), "a question, which ends with"),
    (lambda: claim(1, 2, Above(0), asks="Is it above the best of three?"), "compares with one: take `of_each_end`"),
])  # fmt: skip
def test_a_claim_that_means_nothing_is_refused_with_what_to_write(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()


def test_the_best_of_several_is_compared_with_each():
    asks, found = "Is it above the best of three?", [Interval(2, 1, 3), Interval(5, 4, 6)]
    assert Claim("c", asks, of_each_end(min, found), Above(0)).answer() == "yes"
    of_seeds = [one.taken_over((("seeds", 5),)) for one in found]
    assert (
        Claim("c", asks, of_each_end(min, of_seeds), Above(3.1)).answer() == "unclear"
    )  # one of two was picked
    assert of_each_end(max, of_seeds).high == 6 and of_each_end(max, of_seeds).low < 4
    assert Claim("c", asks, None, Above(0)).answer() == "not tested"


@pytest.mark.parametrize(("found", "needed", "unit", "shown"), [
    # as many decimals as the interval is wide
    ((1.60249, 1.5823, 1.6227), AtLeast(-1000), "", "1.602 [1.582, 1.623]"),
    ((15231.0, 14000.0, 16000.0), AtLeast(-1000), "", "15,231 [14,000, 16,000]"),
    ((2.0, 1.0, math.inf), AtLeast(-1000), "", "2.00 [1.00, ∞]"),
    ((17.0, 17.0, 17.0), AtLeast(-1000), "", "17"),  # counted: no interval
    ((9.54e-7,) * 3, AtLeast(-1000), "", "9.5e−07"),
    # no end is rounded onto a bound or across it, where it would deny the answer beside it
    ((1.0203,) * 3, AtMost(1.02), "", "1.0203"), ((1.0203,) * 3, AtMost(1.5), "", "1.02"),
    ((0.4, 0.26, 0.955), AtLeast(1), "", "0.40 [0.26, 0.95]"), ((0.4, 0.26, 1.2), AtLeast(1), "", "0.4 [0.3, 1.2]"),
    ((0.9, 0.885, 0.9196), Between(0.88, 0.92), "", "0.9000 [0.8850, 0.9196]"),
    ((0.85, 0.796, 0.9), AtLeast(0.8), "%", "85.0\u00a0% [79.6, 90.0]"),
    ((0.85, 0.8, 0.9), AtLeast(0.8), "%", "85\u00a0% [80, 90]"),
    ((0.25, 0.2, 0.2904), AtMost(0.29), "%", "25.00\u00a0% [20.00, 29.04]"),  # 100 * 0.29 is not 29
    # a unit with a space that does not break, and once
    ((2.0, 1.5, 2.5), AtLeast(1.5), "×", "2.0× [1.5, 2.5]"),
    ((2.0, 1.5, 2.5), AtLeast(1.5), "nats per point", "2.0\u00a0nats per point [1.5, 2.5]"),
])  # fmt: skip
def test_a_value_has_the_digits_that_its_interval_and_its_bounds_ask_for(found, needed, unit, shown):
    stated = json.loads(json.dumps(Claim("c", "Is it?", Interval(*found), needed, unit).as_json()))
    assert claim_text.value(stated) == shown
    assert claim_text.found(stated) == shown.partition(" [")[0]


def test_a_share_is_a_percentage_wherever_it_is_shown():
    share = claim(0.1993, 0.2967, Below(0.8), 0.248, unit="%", printed=0.9765625).as_json()
    shown = (claim_text.value(share), claim_text.needed(share), claim_text.printed(share))
    assert shown == ("25\u00a0% [20, 30]", "< 80\u00a0%", "97.7\u00a0%")


def test_answers_are_counted_in_the_order_of_the_words_that_explain_them():
    assert list(claim_text.EXPLAINED) == ["yes", "no", "unclear", "not tested"]
    assert claim_text.counted(["unclear", "no", "yes", "unclear"]) == "1 yes, 1 no and 2 unclear"
    assert claim_text.counted([]) == "none"


def test_terminal_and_page_show_the_same_words_and_numbers():
    """What `verify` prints of a claim stands on the page as well, digit by digit; what is not there is a dash."""
    here = claim(2.51899, 2.52906, Above(2), 2.52401, printed=2.5, asks="Is it large?").as_json()
    row = here | {"question": "q", "needed": claim_text.needed(here), "published": 2.5,
                  "published_low": 2.4, "published_high": 2.6, "published_answer": "yes"}  # fmt: skip
    published = claim(2.4, 2.6, Above(2)).as_json()
    page = verdicts.table({"q": [verdicts.Row(here, published, "paper", "")]}, {})
    terminal = verdict.show([row], "paper")
    for shown in ("2.524 [2.519, 2.529]", "2.50 [2.40, 2.60]", "Is it large?", "yes", "> 2"):
        assert html.escape(shown) in page and shown in terminal
    nothing = Claim("c", "Is it?", None, Above(0), "×").as_json()
    assert (claim_text.value(nothing), claim_text.printed(nothing)) == ("–", "–")


def verified(project):
    return verdict.claims("laptop", project.root, project.root / "runs" / "here")


def test_verify_prints_what_was_published_and_what_was_found_here(answered):
    """The JSON has exactly the promised fields; what is published and not found here is not tested, neither yes nor no."""
    (claim,) = verified(answered)
    assert set(claim) == {
        "question", "scale", "name", "asks", "needs", "needed", "unit", "printed", "value", "low", "high", "over", "answer",
        "published", "published_low", "published_high", "published_answer",
    }  # fmt: skip
    assert claim["published"] is None and claim["published_answer"] is None and claim["printed"] == 5.0
    assert (claim["needed"], claim["answer"]) == ("≥ 2", "yes")
    answered.run("publish", "line", "--scale", "laptop")
    (claim,) = verified(answered)
    assert claim["published"] == claim["value"] == 5.57143 and claim["published_answer"] == "yes"
    (answered.answer("line") / "claims.json").unlink()
    (claim,) = verified(answered)
    assert claim["published"] == 5.57143 and (claim["value"], claim["answer"]) == (None, "not tested")


@pytest.mark.parametrize(("text", "told"), [
    ("old [", "Expecting value"), ('[{"name": "n"}]', "has format None"), ('{"format": 2}', "has format 2, and this code"),
])  # fmt: skip
def test_claims_that_cannot_be_read_are_told_with_their_file(answered, text, told):
    (answered.answer("line") / "claims.json").write_text(text)
    with pytest.raises(UserError, match=rf"line.laptop.claims\.json cannot be read .*{told}"):
        verified(answered)


def asked(answer, published_answer=None):
    """A line of `verify`."""
    value = None if answer == "not tested" else 1.0
    return {
        "question": "q", "name": "n", "asks": "Is it?", "needs": {"above": 0.0}, "needed": "> 0", "unit": "", "printed": None,
        "value": value, "low": value, "high": value, "answer": answer, "published_answer": published_answer,
        "published": None, "published_low": None, "published_high": None,
    }  # fmt: skip


def test_verify_counts_every_answer_and_what_was_not_tested_never_agrees():
    """Only opposite answers are unlike what is published: what is unclear here contradicts nothing."""
    text = verdict.show([asked(answer) for answer in ("yes", "no", "unclear", "not tested")], "laptop")
    assert text.count("q/n: here 1, needed > 0") == 3 and text.count("Is it?") == 4
    assert "3 claims tested at laptop scale: 1 yes, 1 no and 1 unclear." in text
    assert "1 of 4 claims were not tested: most of these need paper scale." in text
    rows = [asked("unclear", "yes"), asked("not tested", "yes"), asked("yes", "no")]
    told = [verdict.told(some, "laptop") for some in (rows[1:2], rows[:1], rows)]
    assert told == [
        "nothing tested here (needs paper scale)",
        "1 unclear; none contradicts what is published",
        "1 yes and 1 unclear, of 3 claims; 1 contradicts what is published",
    ]
