"""Guards the published claims: when sentences became questions in November 2026, only the words of claims changed.

tests/claims_of_november/ lists each claim as it was published then, and how it became what it is:

as it was            same number, a sentence that held is a question that is answered yes
inverted             the number is one over what it was, so that an improvement is above 1
negated              the difference is taken the other way round
other way round      same number, the question asks for the opposite: a sentence that held is answered no
inverted, other way round, and negated, other way round: both
"""

import csv
import json
import re
from pathlib import Path

import pytest

from reproduce._press import claim_text
from reproduce._press.answers import needs

ROOT = Path(__file__).resolve().parents[2]
NOW = {"holds": "yes", "limit confirmed": "yes", "fails": "no", "limit refuted": "no", "open": "unclear"}
OPPOSITE = {"yes": "no", "no": "yes"}
LISTED = sorted((ROOT / "tests" / "claims_of_november").glob("*.csv"))
POINTS_BACK = re.compile(
    r"^(?:Does|Do|Is|Are|Has|Can|Will|And) (?:it|they|this|that|those|these|there)\b(?! (?:network|a|an|any|more|fewer))"
)
NUMBER = re.compile(r"−?(?:∞|[\d,]*\.?\d+(?:e−?\d+)?)")
WISH = re.compile(r"\b(?:we hoped|should|at least as hoped)\b")
WAYS = (
    "as it was", "inverted", "negated",
    "other way round", "inverted, other way round", "negated, other way round",
)  # fmt: skip


def then(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answer_then(row: dict[str, str]) -> str:
    """The verdict of November in the words of today."""
    answer = NOW.get(row["verdict"], row["verdict"])
    return OPPOSITE.get(answer, answer) if row["became"].endswith("other way round") else answer


def numbers_then(row: dict[str, str]) -> list[float]:
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    if row["became"].startswith("inverted"):
        return [1 / value, 1 / high, 1 / low]
    return [-value, -high, -low] if row["became"].startswith("negated") else [value, low, high]


@pytest.mark.parametrize("path", LISTED, ids=lambda path: path.stem)
def test_claims_of_november_kept_their_numbers_and_answers(path):
    """Claims whose answer was published again since then have other numbers, and are taken off the list."""
    for row in then(path):
        stated = ROOT / "figures" / row["question"] / row["scale"] / "claims.json"
        claim = {c["name"]: c for c in json.loads(stated.read_text(encoding="utf-8"))}[row["claim"]]
        what = f"{row['question']}/{row['claim']} at {row['scale']} scale"
        assert row["became"] in WAYS, what
        assert claim["answer"] == answer_then(row), what
        if row["value"]:
            numbers = [claim["value"], claim["low"], claim["high"]]
            assert numbers == pytest.approx(numbers_then(row), rel=2e-5), what
        else:
            assert claim["value"] is None, what


def asked() -> list[tuple[str, dict]]:
    """Every published claim, with its name."""
    files = sorted((ROOT / "figures").glob("*/*/claims.json"))
    lines = [(path, claim) for path in files for claim in json.loads(path.read_text(encoding="utf-8"))]
    return [(f"{path.parent.parent.name}/{claim['name']}", claim) for path, claim in lines]


def test_a_question_stands_alone_and_gives_nothing_away():
    """It names its subject, wishes nothing, and contains no number that was found or is needed."""
    for name, claim in asked():
        question = claim["asks"]
        assert question[0].isupper() and question.endswith("?"), name
        assert not POINTS_BACK.search(question), f"{name}: say what is meant: {question}"
        assert not WISH.search(question), f"{name}: ask, and leave the wish to `needs`: {question}"
        numbers = [claim_text.found(claim), *claim_text.needed(claim).replace(" to ", " ").split()]
        told = [
            n for n in numbers if re.search(r"\d", n) and re.search(r"[.,%×]", n) and n in question.split()
        ]
        assert not told, f"{name}: the question contains {told}: {question}"


def test_the_numbers_that_a_claim_shows_do_not_deny_its_answer():
    """Rounded as they are, they lie on their side of the bounds."""
    for name, claim in asked():
        if shown := [as_number(figure) for figure in NUMBER.findall(claim_text.value(claim))]:
            times = 100 if claim["unit"] == "%" else 1
            bounds = {which: round(times * bound, 10) for which, bound in claim["needs"].items()}
            holds = {"yes": True, "no": False, "unclear": None}[claim["answer"]]
            what = f"{name}: {claim_text.value(claim)}, needed {claim_text.needed(claim)}"
            assert needs.of_json(bounds).met(*(shown[1:] or 2 * shown)) is holds, what


def as_number(figure: str) -> float:
    return float(figure.replace(",", "").replace("−", "-").replace("∞", "inf"))
