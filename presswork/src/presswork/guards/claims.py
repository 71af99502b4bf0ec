"""Guards the claims of every question, as they are published: any part may be missing, each hangs on its rows."""

import functools
import os
import re
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from presswork import claim_text, contract, store
from presswork.answers import claims_file
from presswork.authoring import publishing
from presswork.claim import Claim, of_json
from presswork.contract import Question
from presswork.telling import verdict

Tables = dict[str, pd.DataFrame]
FIGURES = contract.ROOT / "figures"
EVERY = bool(os.environ.get("PRESSWORK_EVERY"))  # looks at all scales, and at every kind of part
PUBLISHED = [
    (name, scale)
    for name in contract.names()
    for scale in [at for at in contract.SCALES[1:] if (FIGURES / name / at / "claims.json").is_file()][: None if EVERY else 1]
]  # fmt: skip
each_published = pytest.mark.parametrize(("name", "scale"), PUBLISHED, ids=["/".join(at) for at in PUBLISHED])
KIND = re.compile(r"\d*[^\d-]*")  # of a part: seed-3 is of the kind seed
load = functools.cache(contract.load)  # each time it looks through all chapters


def published(question: Question, scale: str) -> Tables:
    rows, _ = store.read(FIGURES / question.name / scale, question.parts(scale))
    return rows if isinstance(rows, dict) else {"rows": rows}


def shown(question: Question, function: str, tables: Tables, scale: str):
    """What a function of the question makes of these tables, handed over as the engine does."""
    rows = question.whole(tables["rows"] if set(tables) == {"rows"} else tables, scale)
    return question.show(function, rows, scale)


def claims(question: Question, tables: Tables, scale: str) -> dict[str, Claim]:
    stated = shown(question, "claims", tables, scale)
    assert len({claim.name for claim in stated}) == len(stated)
    return {claim.name: claim for claim in stated}


def test_every_question_is_published_at_some_scale():
    assert {name for name, _ in PUBLISHED} == set(contract.names())


# ------------------------------------------------------------------------------------------ any part may be missing


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:No artists with labels")  # an empty picture is one
@each_published
def test_any_part_may_be_missing(name, scale):
    """What is there is shown, no claim loses its name, and without rows none is answered.

    Two cases a question, the cheapest; with PRESSWORK_EVERY every kind of part alone, and every kind left out.
    """
    question = load(name)
    if len(question.parts(scale)) == 1:
        return  # without it there is nothing to show, and the engine does not ask
    tables = published(question, scale)
    names = [*claims_file.by_name((FIGURES / name / scale / "claims.json").read_bytes())]
    for case, kept in enumerate(without_some(tables)):
        assert list(claims(question, kept, scale)) == names
        assert isinstance(shown(question, "tabulate", kept, scale), dict)
        if case == 0 or EVERY:
            assert isinstance(shown(question, "draw", kept, scale), dict)
        plt.close("all")
    nothing = {"rows": tables["rows"][:0]} if [*question.tables()] == ["rows"] else {}
    stated = claims(question, nothing, scale)
    assert list(stated) == names and not [claim.name for claim in stated.values() if claim.tested()]


def without_some(tables: Tables) -> Iterator[Tables]:
    """The smallest kind of part alone, and all but the largest."""
    of = {name: table["part"].map(lambda part: KIND.findall(part)[0]) for name, table in tables.items()}
    if len(set(pd.concat(of.values()))) == 1:
        of = {name: table["part"] for name, table in tables.items()}
    kinds = pd.concat(of.values()).value_counts().index
    for alone, some in ((True, kinds if EVERY else kinds[-1:]), (False, kinds if EVERY else kinds[:1])):
        for kind in some:
            kept = {name: table[(of[name] == kind) == alone] for name, table in tables.items()}
            yield {name: table.reset_index(drop=True) for name, table in kept.items() if len(table)}


# ------------------------------------------------------------------------------------ each claim hangs on its rows


@pytest.mark.slow
@each_published
def test_each_claim_hangs_on_its_rows(name, scale):
    """With the labels of its rows dealt anew what was found is another number; of whom it is not, LABEL_FREE says why."""
    question = load(name)
    tables = published(question, scale)
    stated = claims(question, tables, scale)
    before = {name: claim.found for name, claim in stated.items() if claim.tested()}
    still = set(before)
    reasons = getattr(question.module, "LABEL_FREE", {})
    for dealt in dealt_anew(tables):
        if not still or (still <= set(reasons) and not EVERY):
            break
        try:
            after = claims(question, dealt, scale)
        except (KeyError, IndexError, ValueError):  # such labels never stand together: another deal tells
            continue
        still = {name for name in still if repr(after[name].found) == repr(before[name])}
    assert still == set(reasons) & set(before), f"{question.path}: see LABEL_FREE in presswork's docstring"
    assert set(reasons) <= set(stated) and all(len(reason.split()) > 3 for reason in reasons.values())


def dealt_anew(tables: Tables) -> Iterator[Tables]:
    """Each label goes to the rows of the next one, in a circle: all text columns at once, then one at a time. In between,
    where a table has no labels, one column of numbers at a time, of which no two keep their ratio."""
    labels: dict[str, int] = {}  # column -> how many: few of them tell most claims apart
    for table in (table for table in tables.values() if len(table)):  # without rows even numbers have no type
        for column in set(table) - set(table.select_dtypes("number")):
            labels[column] = max(labels.get(column, 0), table[column].nunique())
    yield shifted(tables, set(labels), 1)
    for name, table in tables.items():
        if all(table[column].nunique() < 2 for column in set(labels) & set(table) - {"part"}):
            for column in table.select_dtypes("number"):
                for other in (table[column] * np.linspace(2, 3, len(table)), mirrored(table[column])):
                    yield tables | {name: table.assign(**{column: other})}
    for step in (1, 2, 3):
        for column in sorted(labels, key=labels.__getitem__):
            yield shifted(tables, {column}, step)


def shifted(tables: Tables, columns: set[str], step: int) -> Tables:
    return {
        name: table.assign(**{c: next_label(table[c], step) for c in columns & set(table)})
        for name, table in tables.items()
    }


def mirrored(column: pd.Series) -> pd.Series:
    """Within its range, which a share of yes and no must not leave."""
    return column.max() + column.min() - column


def next_label(column: pd.Series, step: int) -> pd.Series:
    labels = sorted(column.dropna().unique(), key=str)
    return column.map({label: labels[(place + step) % len(labels)] for place, label in enumerate(labels)})


@pytest.mark.parametrize("name", contract.names())
def test_each_claim_is_tested_at_a_published_scale_or_says_why_not(name):
    """And no reason is left for what is tested by now."""
    question = contract.load(name)
    reasons = getattr(question.module, "NOT_TESTED", {})
    lacks = publishing.untested([FIGURES / name / scale for scale in verdict.BEST])
    assert lacks == set(reasons), f"{question.line('claims')}: see NOT_TESTED in the docstring of presswork"
    assert all(len(reason.split()) > 3 for reason in reasons.values())


# ------------------------------------------------------------------------------------------------------ how each reads


NUMBER = re.compile(r"−?(?:∞|[\d,]*\.?\d+(?:e−?\d+)?)")


def committed() -> list[tuple[str, dict]]:
    files = sorted(FIGURES.glob("*/*/claims.json"))
    lines = [(path, claim) for path in files for claim in claims_file.read(path.read_bytes())]
    return [(f"{path.parent.parent.name}/{claim['name']}", claim) for path, claim in lines]


def test_the_numbers_that_a_claim_shows_do_not_deny_its_answer():
    """Rounded as they are, they lie on their side of the bounds."""
    for name, stated in committed():
        if shown := [as_number(figure) for figure in NUMBER.findall(claim_text.value(stated))]:
            times = 100 if stated["unit"] == "%" else 1
            bounds = {which: round(times * bound, 10) for which, bound in stated["needs"].items()}
            holds = {"yes": True, "no": False, "unclear": None}[stated["answer"]]
            what = f"{name}: {claim_text.value(stated)}, needed {claim_text.needed(stated)}"
            assert of_json(bounds).met(*(shown[1:] or 2 * shown)) is holds, what


def as_number(figure: str) -> float:
    return float(figure.replace(",", "").replace("−", "-").replace("∞", "inf"))
