"""Guards the wording and the numbers of all published claims."""

import json
import re
from pathlib import Path

from reproduce._press import claim_text
from reproduce._press.answers import needs

ROOT = Path(__file__).resolve().parents[2]
POINTS_BACK = re.compile(
    r"^(?:Does|Do|Is|Are|Has|Can|Will|And) (?:it|they|this|that|those|these|there)\b(?! (?:network|a|an|any|more|fewer))"
)
NUMBER = re.compile(r"−?(?:∞|[\d,]*\.?\d+(?:e−?\d+)?)")
WISH = re.compile(r"\b(?:we hoped|should|at least as hoped)\b")


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
