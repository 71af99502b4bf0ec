"""Guards reproduce/_site/paper.py: the paper's claims are counted first, then ours; chance is owned up to."""

import csv
import json

import pytest

from reproduce._press.answers import claims_file
from reproduce._site.pages import PageError
from reproduce._site.paper import PaperClaim, tally
from tests import proportion
from tests.site.fake_answers import ROOT

YES = {"value": 1.0, "low": 0.9, "high": 1.1, "answer": "yes"}
COUNTED = {"value": 1.0, "low": 1.0, "high": 1.0, "answer": "yes"}
CLAIMS = {
    "slips/own": YES, "exact/beats": YES, "mcmc/speed": YES | {"answer": "no"}, "mcmc/ours": YES,
    "shipped/half": YES | {"answer": "unclear"},
    "grid/cell": YES | {"value": None, "answer": "not tested"},
    "porting/lines": COUNTED, "limits/percent": COUNTED, "limits/spikes": YES | {"answer": "unclear"},
}  # fmt: skip
TESTS = [
    ("its own table", "nats", "slips/own"),
    ("measured", "times", "mcmc/speed"),
    ("stand-in, a network of ours", "nats", "exact/beats"),
]
TOLD = [PaperClaim("fast", "Abstract", "", TESTS), PaperClaim("good on real curves", "4.2", "", [])]


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ("paper", "1 yes, 1 no and 1 not tested"),
        ("own table", "1 yes"),
        ("stand-ins", "1 yes"),  # in place of what the paper speaks of
        ("all", "5 yes, 1 no, 2 unclear and 1 not tested"),
        ("open", "4 of 11"),  # with those that are no longer asked
        ("intervals", "5"),  # not what rounding leaves open, nor what was counted
        ("false", "1"),
        ("no interval", "2"),
    ],
)
def test_each_kind_of_claim_is_counted_once(of, says):
    """What tests the paper's claims, what only reads its table again, what stands in, what is ours."""
    assert tally(of, TOLD, CLAIMS, [{"answer": "unclear"}, {"answer": "no"}]) == says


def test_of_many_intervals_some_are_false():
    """One in forty on the wrong side, rounded up."""
    many = {f"q/c{i}": YES for i in range(250)}
    assert [tally(of, [], many, []) for of in ("intervals", "false")] == ["250", "7"]
    with pytest.raises(PageError, match="no tally 'theirs'; there are paper, own table"):
        tally("theirs", TOLD, CLAIMS, [])


def test_each_claim_is_named_by_a_sentence_or_by_the_papers_table():
    """On a page or in a notebook, but the log and the list of all claims; whatever its answer. Others are retired."""
    assert proportion.unnamed(ROOT) == [], (
        "name them in a sentence, or: python -m reproduce publish NAME --retire WHY"
    )


def test_what_changed_after_its_rows_is_published_and_has_a_reason():
    published = {
        f"{path.parent.parent.name}/{claim['name']}"
        for path in (ROOT / "figures").glob("*/*/claims.json")
        for claim in json.loads(path.read_text(encoding="utf-8"))
    }
    published |= claims_file.retired_names(ROOT)  # which may be the last that is known of it
    with (ROOT / "reproduce" / "printed" / "after_rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(row["why"].endswith(".") and set(row) == {"claims", "why"} for row in rows)
    assert [name for row in rows for name in row["claims"].split() if name not in published] == []
