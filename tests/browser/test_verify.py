"""A printed score, made again in a real browser: the real network on the real curves, from the macro's own HTML."""

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.scores import evaluate
from presswork.contract import ROOT
from reproduce.practice import _ship
from reproduce.practice.shipped import SCALES
from tests.browser.visits import PATIENCE, Visit, opened, served, violations

pytestmark = pytest.mark.browser
pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from presswork.site.macros import site_of  # noqa: E402
from reproduce._plugin.live import FOLDER, absent  # noqa: E402  # after the skip
from tests.site.test_macros import on_page  # noqa: E402

MISSING = absent(ROOT / "docs" / FOLDER)
STATUS = '[role="status"]'
ENDED = f"() => /printed|could not/.test(document.querySelector('{STATUS}').textContent)"


def test_the_curves_are_those_of_the_published_run() -> None:
    """If not: python -c 'from reproduce.practice import _ship; _ship.write_test_curves()'."""
    there = np.fromfile(_ship.LIVE / "test_curves.f32", "<f4").reshape(-1, 100)
    assert np.array_equal(there, prior.test_set(SCALES["paper"].curves).noisy.numpy())


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page with nothing but the table, among the files of the site."""
    if MISSING:
        pytest.skip(f"{MISSING} is missing: install npm, then make setup")
    site, folder = on_page(site_of()(ROOT, ROOT / "docs", None), "page"), tmp_path_factory.mktemp("verify")
    site.env.conf["site_dir"] = str(folder)
    shutil.copytree(ROOT / "docs" / "assets", folder / "assets")
    (folder / "page").mkdir()
    head = (
        '<!doctype html><html lang="en" class="no-js"><title>t</title><link rel="icon" href="data:,">'
        "<script>document.documentElement.className = 'js'</script>"
        '<link rel="stylesheet" href="../assets/css/live.css"><main><h1>t</h1>'
    )
    shown = head + site.verify("shipped/likelihood", "released model", "shipped")
    (folder / "page" / "index.html").write_text(shown, encoding="utf-8")
    with served(folder) as address:
        yield address + "page/"


def said_after(page: Any, cutoff: int) -> str:
    """What the page says in the end when the button of this cutoff was pressed, by keyboard."""
    page.locator(f'tr[data-cutoff="{cutoff}"] button').press("Enter")
    page.wait_for_function(ENDED)
    return str(page.locator(STATUS).text_content())


def test_the_page_makes_the_printed_score_again(panel: str, chromium: Any) -> None:
    """Nothing is loaded before the click; the mean is Python's, inside its interval, and every curve is the published one."""
    ours = evaluate.likelihood(torch_network.load(shipped.PATH), prior.test_set(500).noisy, 70).mean().item()
    with opened(chromium, panel, report := Visit()) as page:
        assert not [url for url in report.requests if "model" in url or "test_curves" in url]
        said = said_after(page, 70)
        cell = str(page.locator('[data-cutoff="70"] [data-verify]').text_content())
        assert float(cell.split(" ± ")[0]) == pytest.approx(ours, abs=1e-3) and cell.endswith(" ± 0.087")
        assert "500 test curves" in said and "lies inside its 95 % interval" in said
        assert re.search(r"agrees with the published run: no score differs by more than 0\.000\d\d\.$", said)
        assert not report.complaints and not violations(page)


def test_another_network_would_be_noticed(panel: str, chromium: Any) -> None:
    others = json.dumps({"70": [2.0] * 40})
    with opened(chromium, panel, Visit()) as page:
        page.route("**/by_curve.json", lambda route: route.fulfill(body=others))
        page.locator('tr[data-cutoff="70"]').evaluate("row => row.cells[1].textContent = '9.999 ± 1'")
        said = said_after(page, 70)
        assert "the printed 9.999 lies outside" in said and "more than rounding explains" in said


def test_where_it_cannot_run_one_sentence_says_so(panel: str, chromium: Any) -> None:
    with opened(chromium, panel, Visit()) as page:
        page.route("**/test_curves.f32", lambda route: route.abort())
        assert "could not be computed" in said_after(page, 70)
        page.add_init_script("delete globalThis.WebAssembly")
        page.reload()
        assert "needs WebAssembly" in str(page.locator(STATUS).text_content())
        assert page.locator("button:enabled").count() == 0
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(panel, timeout=PATIENCE)
    assert page.locator("noscript p").is_visible() and not page.locator("button").first.is_visible()
    context.close()
