"""The macros of figures that move: what is drawn, and drawn against, is made of published rows; what the live model needs,
and what stands there without all that."""

import gzip
import json
from pathlib import Path

import invented
import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from curvecast.forecasting.doubts import RARE
from presswork import questions
from presswork.answers.answer import Answers
from presswork.contract import ROOT
from presswork.ground.errors import UserError
from presswork.site.macros import site_of  # after the skip
from reproduce._plugin import guess, idea, live
from tests.site.test_macros import on_page

ANSWER = Answers(ROOT).of("draw_the_rest")[0]
Site = site_of()


def of_one_page(root: Path, question: str, figure: str) -> Site:
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs" / "page.md").write_text("# A page\n")
    (root / "docs" / "references.bib").write_text('@article{a, author="Ann Lee", title="T", year=2020}')
    invented.answer(root, question, "laptop", {f"fig:{figure}": set()})
    return on_page(Site(root, root / "docs", None), "page")


def test_the_picture_is_made_of_published_rows_and_small() -> None:
    """Fifty curves, the one that rises most, and at each epoch that is drawn and not observed what was forecast of it."""
    found, rows = idea.picture(answer := Answers(ROOT).of("forecasts")[0]), [*guess.lines(answer, "frames")]
    assert (
        len(gzip.compress(json.dumps(found).encode() + (ROOT / "docs" / idea.SCRIPT).read_bytes())) < 15_000
    )
    rise = [curve[-1] - curve[0] for curve in found["curves"]]
    assert len(rise) == 50 and {int(row["curve"]) for row in rows} == {rise.index(max(rise))}
    for frame in found["frames"]:
        of = {"trained_on": str(frame["trainedOn"]), "cutoff": str(frame["cutoff"])}
        drawn = [row for row in rows if row | of == row and int(row["epoch"]) in found["epochs"]]
        for name in idea.FORECAST:
            assert frame[name] == pytest.approx([1000 * float(row[name]) for row in drawn], abs=0.5)
    prior = [row for row in guess.lines(answer, "prior") if row["curve"] == rows[0]["curve"]]
    noisy, clean = ([round(1000 * float(row[name])) for row in prior] for name in ("noisy", "clean"))
    assert found["one"] == noisy and found["epochs"][-1] == len(noisy) == 100
    assert found["curves"][rise.index(max(rise))][:10] == clean[:10]
    assert idea.picture(ANSWER) == {}, "without its tables there is none"
    assert len({str(frame["median"]) for frame in found["frames"]}) == 11, "no forecast comes twice"


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
    site = of_one_page(tmp_path, "draw_the_rest", "runs")
    text = site.guess("draw_the_rest/runs", alt="Runs.", caption="Six runs.")
    assert 'alt="Runs."' in text and "Six runs." in text and "<script" not in text and "<button" not in text


def test_every_question_stands_on_a_page_which_its_run_reports():
    assert questions.NOWHERE not in questions.pages_of([*questions.files(ROOT)], ROOT)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site whose model is there, with one answered question."""
    monkeypatch.delenv("CURVECAST_LIVE", raising=False)
    (tmp_path / "reproduce").mkdir()
    folder = tmp_path / "docs" / live.FOLDER
    (folder / "ort").mkdir(parents=True)
    for name in live.NEEDED:
        (folder / name).write_bytes(b"a stand-in")
    return of_one_page(tmp_path, "forecasts", "one")


def shown(site: Site) -> str:
    return site.live("forecasts/one", alt="rising lines", caption="Six forecasts.")


def test_what_it_calls_rare_is_what_python_calls_so(site: Site) -> None:
    """And what the page's own code does. What else stands there, browser/test_live.py looks at."""
    assert f"fewer than 1 in {1 / RARE:.0f})" in shown(site)


@pytest.mark.parametrize("name", live.NEEDED)
def test_without_the_model_the_picture_stays(site: Site, name: str) -> None:
    (site.docs / live.FOLDER / name).unlink()
    text = shown(site)
    assert 'alt="rising lines"' in text and "Six forecasts." in text
    assert f"docs/assets/live/{name} was not there" in text
    assert "<script" not in text and "button" not in text


def test_where_the_model_is_required_its_absence_fails_the_build(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With CURVECAST_LIVE=required, as where the site is published, a missing runtime is an error that says what to do."""
    monkeypatch.setenv("CURVECAST_LIVE", "required")
    assert "data-base" in shown(site)
    (site.docs / live.FOLDER / "ort/ort.wasm.bundle.min.mjs").unlink()
    with pytest.raises(UserError, match=r"docs/assets/live/ort/.*: make runtime"):
        shown(site)


def test_a_printed_score_has_a_button_where_each_curve_was_scored(site: Site) -> None:
    """The scores of the named method go into a file, in order; without them, or without the model, one sentence."""
    invented.answer(site.root, "shipped", "laptop", {"table:likelihood": {("5", "released")}})
    asked = ("shipped/likelihood", "released", "ours")
    assert "no published score" in site.verify(*asked)
    rows = "case,method,cutoff,curve,ll\nwhole,ours,5,0,1.5\nholes,ours,5,0,7\nwhole,theirs,5,0,8\nwhole,ours,5,1,-2\n"
    (site.root / "figures/shipped/laptop/rows.csv").write_text(rows)
    assert site.verify(*asked).count("<button") == 1  # browser/test_verify.py presses it
    stored = site.root / "site/answers/shipped/laptop/by_curve.json"
    assert json.loads(stored.read_text()) == {"5": [1.5, -2]}
    (site.docs / live.FOLDER / "model.onnx").unlink()
    assert "model.onnx was not there" in site.verify(*asked) and "button" not in site.verify(*asked)
