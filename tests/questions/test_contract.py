"""Guards the form of every question, from what is committed below figures/: any part may be missing, each claim hangs on its
rows, what it declares agrees. What it measures is held by test_smoke, what it says by test_answers."""

import functools
import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from presswork import contract, store, verdict
from presswork.claim import Claim
from presswork.contract import Question
from presswork.intervals import UNITS

Tables = dict[str, pd.DataFrame]
FIGURES = contract.ROOT / "figures"
EVERY = bool(os.environ.get("CURVECAST_EXAMPLES"))
PUBLISHED = [
    (name, scale)
    for name in contract.names()
    for scale in [at for at in ("laptop", "paper") if (FIGURES / name / at / "claims.json").is_file()][: 2 if EVERY else 1]
]  # fmt: skip
each_published = pytest.mark.parametrize(
    ("name", "scale"), PUBLISHED, ids=["/".join(one) for one in PUBLISHED]
)
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

    Two cases a question, the cheapest; with CURVECAST_EXAMPLES every kind of part alone, and every kind left out.
    """
    question = load(name)
    if len(question.parts(scale)) == 1:
        return  # without it there is nothing to show, and the engine does not ask
    tables = published(question, scale)
    names = [
        claim["name"] for claim in json.loads((FIGURES / name / scale / "claims.json").read_text("utf-8"))
    ]
    for case, kept in enumerate(without_some(tables)):
        assert list(claims(question, kept, scale)) == names
        assert isinstance(shown(question, "tabulate", kept, scale), dict)
        if case == 0 or EVERY:
            assert isinstance(shown(question, "draw", kept, scale), dict)
        plt.close("all")
    nothing = {"rows": tables["rows"][:0]} if [*question.module.TABLES] == ["rows"] else {}
    stated = claims(question, nothing, scale)
    assert list(stated) == names and not [claim.name for claim in stated.values() if claim.tested()]


def without_some(tables: Tables) -> Iterator[Tables]:
    """The smallest kind of part alone, and all but the largest."""
    of = {name: table["part"].map(lambda part: KIND.match(part)[0]) for name, table in tables.items()}
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
    assert still == set(reasons) & set(before), f"{question.path}: see LABEL_FREE in reproduce/__init__.py"
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
                other = table[column] * np.linspace(2, 3, len(table))
                yield tables | {name: table.assign(**{column: other})}
    for step in (1, 2, 3):
        for column in sorted(labels, key=labels.__getitem__):
            yield shifted(tables, {column}, step)


def shifted(tables: Tables, columns: set[str], step: int) -> Tables:
    return {
        name: table.assign(**{c: next_label(table[c], step) for c in columns & set(table)})
        for name, table in tables.items()
    }


def next_label(column: pd.Series, step: int) -> pd.Series:
    labels = sorted(column.dropna().unique(), key=str)
    return column.map({label: labels[(place + step) % len(labels)] for place, label in enumerate(labels)})


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
        for claim in json.loads((FIGURES / name / scale / "claims.json").read_bytes()):
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

    assert any(moves(one, other) for one, other in pairwise(units))  # a claim may be about some of them


@pytest.mark.parametrize("name", contract.names())
def test_each_claim_is_tested_at_a_published_scale_or_says_why_not(name):
    """And no reason is left for what is tested by now."""
    question = contract.load(name)
    reasons = getattr(question.module, "NOT_TESTED", {})
    lacks = verdict.untested([FIGURES / name / scale for scale in verdict.BEST])
    assert lacks == set(reasons), f"{question.line('claims')}: see NOT_TESTED in reproduce/__init__.py"
    assert all(len(reason.split()) > 3 for reason in reasons.values())


# --------------------------------------------------------------------------------------- what a question declares


@pytest.mark.parametrize("name", contract.names())
@pytest.mark.parametrize("scale", contract.SCALES)
def test_models_needs_parts_and_reads_agree(name, scale):
    """No part twice; each waits for trainings of `models`, of which none is in vain; what is read at a scale is published."""
    question = load(name)
    parts, models = question.parts(scale), question.models(scale)
    assert parts and len(set(parts)) == len(parts)
    needed = [model for part in parts for model in question.needed(scale, part)]
    assert all(model in models for model in needed) and all(model in needed for model in models)
    for other, _, at in (read.partition("/") for read in question.reads(scale)):
        assert other in contract.names() and (not at or (FIGURES / other / at).is_dir())


Choices = dict[str, set[object]]  # by the field that they stand in, "asked.kinds"


def choices(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """What a Config chooses: names in its tuples, texts and switches inside what it holds. Numbers, and texts like 3x128, are
    sizes and no choices."""
    if is_dataclass(value):
        for field in fields(value):
            inner = getattr(value, field.name)
            if path or not isinstance(inner, str | bool):  # of the Config itself one text is no tuple
                yield from choices(inner, f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, dict | tuple | list | frozenset):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from choices(entry, path)
    elif isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"\d+x\d+", value)):
        yield path, value


def words(names: set[str]) -> set[str]:
    """Of names of parts, without their numbers: "exact10" and "network-3x128" are exact, network and x."""
    return {re.sub(r"\d+", "", word) for name in names for word in re.split(r"[-._]", name)}


def unnamed(question: Question) -> Choices:
    """What a larger scale names and smoke scale does not; under "parts" kinds of parts that follow from no such field."""
    found = {scale: list(choices(question.config(scale))) for scale in contract.SCALES}
    parts = {scale: words(set(question.parts(scale))) for scale in contract.SCALES}
    larger = found["laptop"] + found["paper"]
    sizes = [value for scale in ("laptop", "paper") for value in vars(question.config(scale)).values()]
    called = {str(key) for value in sizes if isinstance(value, dict) for key in value} | {
        str(x) for _, x in larger
    }
    lacking: Choices = {"parts": (parts["laptop"] | parts["paper"]) - parts["smoke"] - words(called)}
    for path, choice in set(larger) - set(found["smoke"]):
        lacking.setdefault(path, set()).add(choice)
    return {path: named for path, named in lacking.items() if named}


@pytest.mark.parametrize("name", contract.names())
def test_smoke_scale_names_all_choices_or_says_why_not(name):
    """And no reason is left for what is named by now."""
    question = load(name)
    reasons = getattr(question.module, "NOT_AT_SMOKE_SCALE", {})
    lacks = unnamed(question)
    assert set(lacks) == set(reasons), f"{question.path}: name these at smoke scale, or say why not: {lacks}"
    assert all(len(reason.split()) > 3 for reason in reasons.values())
