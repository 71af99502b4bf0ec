"""Guards figures/: what is committed is whole, has the settings of today, and follows from its rows."""

import functools
import json
from pathlib import Path

import pytest

from presswork import contract, drawing, store
from presswork.answers import estimates_file, freshness, golden, receipts

ROOT = Path(__file__).resolve().parents[2]
RECEIPTS = sorted((ROOT / "figures").glob("*/*/receipts.json"))
ANSWERS = [path.parts[-3:-1] for path in RECEIPTS]
load = functools.cache(contract.load)  # each time it looks through all chapters
each_answer = pytest.mark.parametrize(("question", "scale"), ANSWERS)


@each_answer
def test_no_committed_answer_has_outdated_settings(question, scale):
    """Settings and inputs are those of today; golden numbers may have moved since."""
    found = receipts.of(ROOT / "figures" / question / scale)
    why = freshness.outdated(found, load(question).settings(scale), ROOT, "figures")
    assert why is None, f"{why}: python -m reproduce run {question} --scale {scale}"


@each_answer
def test_every_part_is_whole(question, scale):
    folder = ROOT / "figures" / question / scale
    parts = {receipt["part"]: receipt["parts"] for receipt in receipts.of(folder)}
    assert all(store.whole(folder, part, all_parts) for part, all_parts in parts.items())


@pytest.mark.slow
@each_answer
def test_tables_and_claims_follow_from_the_rows(question, scale):
    """Stated again they are the same: nobody edited a table, and nobody forgot to draw."""
    folder = ROOT / "figures" / question / scale
    asked = load(question)
    rows, _ = drawing.rows_on_disk(asked, scale, ROOT / "figures")
    tables, claims = drawing.stated(asked, rows, scale)
    found, there = tables.pop(estimates_file.FILE, None), folder / estimates_file.FILE
    assert there.is_file() == bool(found) and (not found or estimates_file.same(found, there.read_bytes()))
    assert tables == {path.name: path.read_bytes() for path in folder.glob("*.table.csv")}
    assert claims == json.loads((folder / "claims.json").read_text(encoding="utf-8"))


# no test draws these at smoke scale
EACH_RUN = ["forecasts", *filter(contract.outside_the_tests, contract.names())]
OTHERS = [pytest.param(name, marks=pytest.mark.weekly) for name in contract.names() if name not in EACH_RUN]


@pytest.mark.slow
@pytest.mark.parametrize("question", EACH_RUN + OTHERS)
def test_a_drawing_is_the_same_bytes_when_drawn_again(question):
    asked, scale = load(question), min(at for name, at in ANSWERS if name == question)
    rows, _ = drawing.rows_on_disk(asked, scale, ROOT / "figures")
    assert drawing.drawings(asked, rows, scale) == drawing.drawings(asked, rows, scale)


def test_only_answers_lie_below_figures():
    names = contract.names()
    for path in (ROOT / "figures").rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            question, *scale = path.relative_to(ROOT / "figures").parts[:-1]
            assert question in names and scale in (["laptop"], ["paper"], []), path
            assert scale or path.name == golden.FILE, path
