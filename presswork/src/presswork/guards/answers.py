"""Guards what is committed: it is whole, has the settings of today, and follows from its rows; so do numbers in Markdown."""

import functools
import json

import pytest

from presswork import contract, drawing, palette, questions, store
from presswork.answers import freshness, golden, ledger_file, receipts
from presswork.authoring import markers, publishing
from presswork.ground.blog import BLOG

FIGURES = contract.ROOT / "figures"
ANSWERS = [(path.parts[-3], path.parts[-2]) for path in sorted(FIGURES.glob("*/*/receipts.json"))]
MARKED = [md.name for md in contract.ROOT.glob("*.md") if "<!-- presswork:" in md.read_text(encoding="utf-8")]
load = functools.cache(contract.load)  # each time it looks through all chapters
each_answer = pytest.mark.parametrize(("name", "scale"), ANSWERS)


@each_answer
def test_no_committed_answer_has_outdated_settings(name, scale):
    """Settings and inputs are those of today; golden numbers may have moved since."""
    parts, asked = receipts.of(FIGURES / name / scale), load(name)
    why = freshness.outdated(parts, asked.settings(scale), contract.ROOT, "figures", asked.reads(scale))
    assert why is None, f"{why}: {BLOG.command} run {name} --scale {scale}"


@each_answer
def test_every_part_is_whole(name, scale):
    parts = {receipt["part"]: receipt["parts"] for receipt in receipts.of(FIGURES / name / scale)}
    assert all(store.whole(FIGURES / name / scale, part, all_parts) for part, all_parts in parts.items())


@pytest.mark.slow
@pytest.mark.parametrize("name", dict(ANSWERS))
def test_tables_and_claims_follow_from_the_rows(name):
    """Stated again they are the same: nobody edited a table, and nobody forgot to draw."""
    assert publishing.restated(name, contract.ROOT) == []


DRAWN = dict(reversed(ANSWERS))  # at its first scale
IN_TESTS = [name for name in DRAWN if not questions.outside_the_tests(name)]
EACH_RUN = [name for name in DRAWN if name not in IN_TESTS[1:]]  # one, and what the tests cannot measure


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*EACH_RUN, *(pytest.param(name, marks=pytest.mark.weekly) for name in IN_TESTS[1:])]
)
def test_a_drawing_is_the_same_bytes_when_drawn_again(name):
    rows, _ = drawing.rows_on_disk(load(name), DRAWN[name], FIGURES)
    once, again = (drawing.drawings(load(name), rows, DRAWN[name]) for _ in range(2))
    assert once == again


def test_every_committed_drawing_is_a_light_one_that_can_be_made_dark():
    drawings = sorted(FIGURES.glob("*/*/*.svg"))
    assert all(path.name.endswith(".light.svg") for path in drawings)
    assert not [path for path in drawings if palette.unknown_colours(path.read_bytes())]


def test_only_answers_lie_below_figures():
    names = contract.names()
    for path in FIGURES.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            name, *scale = path.relative_to(FIGURES).parts[:-1]
            assert name in names and (not scale or scale[0] in BLOG.scales[1:]) and len(scale) < 2, path
            assert scale or path.name == golden.FILE, path


@pytest.mark.parametrize("file", MARKED)
def test_numbers_in_markdown_files_are_those_of_the_published_answers(file):
    found = markers.numbers(contract.ROOT / file, contract.ROOT)
    assert found and markers.stale(contract.ROOT / file, found) == []


def test_committed_ledgers_can_be_read_and_differ_from_one_another():
    files = [path.read_bytes() for path in (contract.ROOT / ledger_file.FOLDER).glob("*.json")]
    assert len({json.loads(file)["checksum"] for file in files}) == len(files)
