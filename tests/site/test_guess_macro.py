"""What a reader draws against: made of published rows, small, in order; and what stands there without them."""

import json
from pathlib import Path

import invented
import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from presswork import questions
from presswork.answers.answer import Answers
from presswork.contract import ROOT
from presswork.site.macros import site_of  # after the skip
from reproduce._plugin import guess
from tests.site.test_macros import on_page

ANSWER = Answers(ROOT).of("draw_the_rest")[0]


def test_what_is_drawn_against_are_published_rows() -> None:
    """A fifth is seen; each forecast has a value in per cent for each hidden epoch, its median inside its interval."""
    found = guess.runs(ANSWER)
    assert len(found) == 12 and len(json.dumps(found)) < 60_000
    rows = [line for line in guess.lines(ANSWER, "rows") if line["curve"] == "3"]
    for name, values in (("accuracy", found[3]["seen"] + found[3]["later"]), ("exact", found[3]["exact"])):
        assert values == [round(100 * float(line[name]), 2) for line in rows if line[name]]
    assert "10\u00a0% of its training labels were wrong, and its learning rate stayed" in found[3]["about"]
    for run in found:
        assert [len(run[name]) for name in ("seen", "later", *guess.FORECASTS)] == [20, 80, 80, 80, 80, 80]
        assert all(
            0 <= a <= b <= c <= 100 for a, b, c in zip(run["low"], run["median"], run["high"], strict=True)
        )


def test_a_visit_has_each_data_set_once_and_no_setting_comes_twice() -> None:
    names = [line["run"] for line in guess.lines(ANSWER, "curves")]
    data = ["digits", "cancer", "wine", "diabetes", "photo_china", "photo_flower"] * 2
    assert all(name.startswith(f"networks-{own}") for name, own in zip(names, data, strict=True))
    assert len({name.rstrip("b") for name in names}) == 12  # a b names the second seed of a setting


def test_without_its_rows_the_picture_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# A page\n")
    (tmp_path / "docs" / "references.bib").write_text('@article{a, author="Ann Lee", title="T", year=2020}')
    invented.answer(tmp_path, "draw_the_rest", "laptop", {"fig:runs": set()})
    site = on_page(site_of()(tmp_path, tmp_path / "docs", None), "page")
    text = site.guess("draw_the_rest/runs", alt="Runs.", caption="Six runs.")
    assert 'alt="Runs."' in text and "Six runs." in text and "<script" not in text and "<button" not in text


def test_every_question_stands_on_a_page_which_its_run_reports():
    assert questions.NOWHERE not in questions.pages_of([*questions.files(ROOT)], ROOT)
