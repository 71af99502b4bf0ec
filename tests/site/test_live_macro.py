"""The macro of the live figure: what it needs, what stands there without it, and which curves it offers."""

import json
from pathlib import Path

import invented
import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from curvecast.forecasting.doubts import RARE
from presswork.ground.errors import UserError
from presswork.site.macros import site_of  # after the skip
from reproduce._plugin import live
from tests.site.test_macros import on_page

Site = site_of()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site whose model is there, with one answered question."""
    monkeypatch.delenv("CURVECAST_LIVE", raising=False)
    (tmp_path / "reproduce").mkdir()
    folder = tmp_path / "docs" / live.FOLDER
    (folder / "ort").mkdir(parents=True)
    for name in live.NEEDED:
        (folder / name).write_bytes(b"a stand-in")
    (tmp_path / "docs" / "page.md").write_text("# A page\n")
    (tmp_path / "docs" / "references.bib").write_text('@article{a, author="Ann Lee", title="T", year=2020}')
    invented.answer(tmp_path, "forecasts", "laptop", {"fig:one": set()})
    return on_page(Site(tmp_path, tmp_path / "docs", None), "page")


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
