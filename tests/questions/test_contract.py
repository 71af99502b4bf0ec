"""Guards three rules of this blog over all of its questions: few columns escape the golden numbers, an interval moves with
what it is taken over, and what a claim asks reads well. The tool's own guards hold the rest: presswork.guards."""

import random
import re
from itertools import combinations

import pytest

from presswork import claim_text, contract
from presswork.answers import claims_file
from presswork.guards.claims import FIGURES, PUBLISHED, claims, committed, load, published
from presswork.intervals import UNITS

DRAWN_ANEW = (
    "seed",
    "table",
    "round",
    "repeat",
    "technique",
    "backbone",
    "training",
)  # labels that rows carry themselves


def over_labels() -> list[tuple[str, str, str]]:
    """Ten claims, drawn at random of those whose interval is taken over such labels: (question, claim, label)."""
    found = []
    for name, scale in PUBLISHED:
        for claim in claims_file.read((FIGURES / name / scale / "claims.json").read_bytes()):
            unit = claim["over"][0][0] if claim["over"] else ""
            columns = {column for names in load(name).module.TABLES.values() for column in names}
            found += [(name, claim["name"], k) for k in DRAWN_ANEW if UNITS[k] == unit and k in columns]
    return random.Random(0).sample(found, 10)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "claim", "label"), over_labels())
def test_an_interval_moves_with_the_units_that_it_is_taken_over(name, claim, label):
    """Where two units get one label, it is taken over fewer, or over none that the rows tell apart."""
    question, scale = load(name), dict(PUBLISHED)[name]
    tables = published(question, scale)
    before = claims(question, tables, scale)[claim].found
    units = sorted({unit for rows in tables.values() if label in rows for unit in rows[label].dropna()})

    def moves(one: object, other: object) -> bool:
        merged = {
            table: rows.assign(**{label: rows[label].replace({one: other})}) if label in rows else rows
            for table, rows in tables.items()
        }
        try:
            after = claims(question, merged, scale)[claim].found
        except ValueError:  # two rows of one unit cannot be paired
            return True
        return (after, after and after.over) != (before, before.over)

    assert any(moves(one, other) for one, other in combinations(units, 2))  # a claim may be about two of them


def test_few_columns_are_too_chaotic_to_compare():
    """What is compared by count and finiteness alone guards little; each has its reason beside the question."""
    tolerances = [contract.load(name).tolerances() for name in contract.names()]
    assert sum(how == "chaotic" for by_column in tolerances for how in by_column.values()) <= 24


POINTS_BACK = re.compile(
    r"^(?:Does|Do|Is|Are|Has|Can|Will|And) (?:it|they|this|that|those|these|there)\b(?! (?:network|a|an|any|more|fewer))"
)
WISH = re.compile(r"\b(?:we hoped|should|at least as hoped)\b")


def test_a_question_stands_alone_and_gives_nothing_away():
    for name, stated in committed():
        question = stated["asks"]
        assert question[0].isupper() and question.endswith("?"), name
        assert not POINTS_BACK.search(question), f"{name}: say what is meant: {question}"
        assert not WISH.search(question), f"{name}: ask, and leave the wish to `needs`: {question}"
        numbers = [claim_text.found(stated), *claim_text.needed(stated).replace(" to ", " ").split()]
        telling = [n for n in numbers if re.search(r"\d", n) and re.search(r"[.,%×]", n)]
        told = [n for n in telling if n in question.split()]
        assert not told, f"{name}: the question contains {told}: {question}"
