"""The built site in a real browser: what is asked for, what is shown, in both schemes and on a phone."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser.visits import Visit, axe, opened, settle, violations

pytestmark = pytest.mark.browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
EVERY_PAGE = bool(os.environ.get("CURVECAST_EVERY_PAGE"))  # once a week
# axe needs seconds for a page: it looks at one of each template. That with the live model is looked at by test_live.py.
OF_EACH_KIND = [
    "", "exact-bayes/", "reproduction/", "new-data/", "primers/attention/", "command-line/", "run-it-yourself/", "log/",
]  # fmt: skip
TEXTS = (path for path in sorted(DOCS.rglob("*.*")) if path.suffix in (".md", ".ipynb"))
PAGES = [path for path in TEXTS if path.stem != "index" and not path.stem.endswith(".questions")]
SLUGS = ["", *(f"{path.relative_to(DOCS).with_suffix('').as_posix()}/" for path in PAGES)]
ON_A_PHONE = {"", "reproduction/", "new-data/"}  # tables of claims and of Markdown, wide figures
SCHEMES = {"light": "default", "dark": "slate"}  # as the theme calls them


@dataclass
class Seen(Visit):
    """A page, and what it shows."""

    slug: str = ""
    in_scheme: dict[str, dict[str, Any]] = field(default_factory=dict)  # by "light" and "dark"
    width_on_a_phone: int = 0
    violations: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)


@pytest.fixture(scope="module", params=SLUGS)
def seen(site: str, chromium: Any, request: pytest.FixtureRequest) -> Seen:
    """Each page is opened once for all tests that look at it."""
    report = Seen(slug=request.param)
    asked = axe is not None and (EVERY_PAGE or report.slug in OF_EACH_KIND)
    with opened(chromium, site + report.slug, report, width=1400) as page:
        page.evaluate(UNFOLD)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_selector(f"body[data-md-color-scheme={SCHEMES[scheme]}]")
            settle(page)
            report.in_scheme[scheme] = page.evaluate(LOOK)
            if asked:
                report.violations[scheme] = violations(page)
        page.set_viewport_size({"width": 390, "height": 900})
        settle(page)
        report.width_on_a_phone = page.evaluate("document.documentElement.scrollWidth")
        if asked and (EVERY_PAGE or report.slug in ON_A_PHONE):
            report.violations["on a phone"] = violations(page)
    return report


def test_every_kind_of_page_is_there() -> None:
    assert ON_A_PHONE <= set(OF_EACH_KIND) <= set(SLUGS)


UNFOLD = """() => {
  document.querySelectorAll('article details:not(.cc-fold, .cc-live *)').forEach(fold => fold.open = true);
}"""

LOOK = """() => {
  const size = e => ({width: e.getBoundingClientRect().width, height: e.getBoundingClientRect().height});
  const shown = e => getComputedStyle(e).display != 'none' && e.getClientRects().length > 0;
  return {
    pictures: [...document.querySelectorAll('article img')].filter(shown).map(i => ({...size(i),
      src: i.currentSrc.slice(0, 150), alt: i.alt.trim(), kind: i.className, loaded: i.complete && i.naturalWidth > 0})),
    figures: document.querySelectorAll('.cc-fig').length,
    formulas: [...document.querySelectorAll('math')].filter(shown).map(m => ({...size(m), text: m.textContent,
      font: getComputedStyle(m).fontFamily})),
    fonts: [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family.replaceAll('"', '')),
  };
}"""


def test_nothing_leaves_this_machine_and_nothing_complains(site: str, seen: Seen) -> None:
    """Opening a page asks no other host for anything, and no script of ours says anything on the console."""
    assert not seen.elsewhere(site)
    assert not seen.complaints


def test_every_figure_is_drawn_in_its_scheme(seen: Seen) -> None:
    """In either scheme each figure shows just one drawing, of that scheme, with a size and with alt text."""
    for scheme, shown in seen.in_scheme.items():
        assert len(shown["pictures"]) >= shown["figures"]
        for picture in shown["pictures"]:
            assert picture["loaded"] and picture["width"] > 200 and picture["height"] > 50, picture
            assert picture["alt"], picture
            assert picture["kind"] == f"cc-only-{scheme}", picture


def test_formulas_are_set_in_the_math_font(seen: Seen) -> None:
    shown = seen.in_scheme["light"]
    for formula in shown["formulas"]:
        assert formula["width"] > 2 and formula["height"] > 4 and "STIX Two Math" in formula["font"], formula
    assert not shown["formulas"] or "STIX Two Math" in shown["fonts"]


def test_a_phone_scrolls_in_one_direction(seen: Seen) -> None:
    """On a screen of 390 pixels nothing is wider than the screen."""
    assert seen.width_on_a_phone <= 390


def test_the_page_is_accessible(seen: Seen) -> None:
    """axe finds nothing, not even minor: in either scheme, and in what scrolls sideways on a phone and nowhere else."""
    if axe is None:
        pytest.skip("axe-playwright-python is not installed: pip install axe-playwright-python")
    assert not any(seen.violations.values()), seen.violations


def test_a_fold_opens_around_what_is_asked_for(site: str, chromium: Any) -> None:
    with opened(chromium, site + "reproduction/#table-accuracy-crps", Visit()) as page:
        page.locator(":target").wait_for(state="visible")


def test_the_cards_and_links_under_a_figure_open(site: str, chromium: Any) -> None:
    """A click shows the command that remakes a figure; a number in a sentence shows its card on focus."""
    with opened(chromium, site + "exact-bayes/", Visit()) as page:
        figure = page.locator(".cc-fig").first
        figure.get_by_text("Remake", exact=True).click()
        figure.get_by_text("python -m reproduce run").wait_for(state="visible")
        number = page.locator(".cc-val").first
        number.focus()
        number.locator(".cc-card").wait_for(state="visible")


def test_warnings_of_others_are_no_complaints(chromium: Any) -> None:
    """What the browser itself warns of is let pass; what a script says, and each error, is not."""
    with opened(chromium, "about:blank", report := Visit()) as page:
        page.evaluate("console.log('a'); console.warn('b'); console.error('c')")
        with page.expect_event("pageerror"):
            page.evaluate("void setTimeout(() => { throw new Error('d') })")
    assert report.complaints[:2] == ["b", "c"] and len(report.complaints) == 3
