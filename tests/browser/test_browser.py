"""The built site in a real browser: one visit of a page serves all that is asked of it, in both schemes and on a phone."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser.visits import OF_EACH_KIND, Visit, axe, opened, settle, violations

pytestmark = pytest.mark.browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXTS = (path for path in sorted(DOCS.rglob("*.*")) if path.suffix in (".md", ".ipynb"))
PAGES = [path for path in TEXTS if path.stem != "index" and not path.stem.endswith(".questions")]
SLUGS = ["", *(f"{path.relative_to(DOCS).with_suffix('').as_posix()}/" for path in PAGES)]
OTHERS = [pytest.param(slug, marks=pytest.mark.weekly) for slug in SLUGS if slug not in OF_EACH_KIND]
SCHEMES = {"light": "default", "dark": "slate"}  # as the theme calls them


@dataclass
class Seen(Visit):
    """A page, and what it shows."""

    slug: str = ""
    in_scheme: dict[str, dict[str, Any]] = field(default_factory=dict)  # by "light" and "dark"
    missed_by_tab: list[str] = field(default_factory=list)
    width_on_a_phone: int = 0
    violations: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)


@pytest.fixture(scope="module", params=[*OF_EACH_KIND, *OTHERS])
def seen(site: str, chromium: Any, request: pytest.FixtureRequest) -> Seen:
    """Each page is opened once for all tests that look at it."""
    report = Seen(slug=request.param)
    with opened(chromium, site + report.slug, report, width=1400) as page:
        report.missed_by_tab = missed_by_tab(page)
        page.evaluate(UNFOLD)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_selector(f"body[data-md-color-scheme={SCHEMES[scheme]}]")
            settle(page)
            report.in_scheme[scheme] = page.evaluate(LOOK)
            if axe and (scheme == "light" or report.slug not in OF_EACH_KIND):
                report.violations[scheme] = violations(page)
        page.set_viewport_size({"width": 390, "height": 900})
        settle(page)
        report.width_on_a_phone = page.evaluate("document.documentElement.scrollWidth")
        report.violations["on a phone, in the dark scheme"] = violations(page) if axe else []
    return report


def missed_by_tab(page: Any) -> list[str]:
    """What Tab reaches without being seen, what it never reaches, and where it goes round in a circle of its own."""
    missed, step = [], None
    for _ in range(MOST):
        page.keyboard.press("Tab")
        step = page.evaluate(STEP)
        if step is None or step["again"]:
            break
        missed += [] if step["seen"] else [step["is"]]
    from_the_last_to_the_first = step is None or step["first"]
    return [*missed, *page.evaluate(UNREACHED), *([] if from_the_last_to_the_first else [step["is"]])]


MOST = 900  # elements of a page that can have the focus
# Hidden inputs of tabs and of the colour scheme show the focus beside them, and that of the search opens it.
STEP = """() => {
  const e = document.activeElement;
  if (e === document.body) return null;
  const beside = e.matches('.tabbed-set > input') ? e.parentElement.querySelector('.tabbed-labels') : e.nextElementSibling;
  const look = getComputedStyle(e.matches('.tabbed-set > input, .md-option') ? beside : e);
  const card = e.querySelector(':scope > .cc-card');
  const words = !e.matches('abbr, .cc-badge') || getComputedStyle(e, '::after').content == JSON.stringify(e.title);
  const again = 'reached' in e.dataset, first = e.dataset.reached == 'first';
  e.dataset.reached ??= document.querySelector('[data-reached]') ? 'later' : 'first';
  const outlined = look.outlineStyle != 'none' && parseFloat(look.outlineWidth) > 0;
  return {again, first, is: e.outerHTML.slice(0, 120), seen: (outlined || e.matches('.md-search__input'))
    && words && (!card || getComputedStyle(card).display != 'none')};
}"""
UNREACHED = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
  .filter(e => e.tabIndex >= 0 && !e.disabled && !e.matches('[type=radio]') && !e.closest('[inert], .md-search')
    && e.checkVisibility({visibilityProperty: true}) && !('reached' in e.dataset)).map(e => e.outerHTML.slice(0, 120))"""


UNFOLD = """() => {
  document.querySelectorAll('article details:not(.cc-fold, .cc-live *)').forEach(fold => fold.open = true);
}"""

LOOK = """() => {
  const size = e => ({width: e.getBoundingClientRect().width, height: e.getBoundingClientRect().height});
  const shown = e => getComputedStyle(e).display != 'none' && e.getClientRects().length > 0;
  return {
    pictures: [...document.querySelectorAll('article img')].filter(shown).map(i => ({...size(i),
      src: i.currentSrc.slice(0, 150), alt: i.alt.trim(), kind: i.className, loaded: i.complete && i.naturalWidth > 0})),
    figures: document.querySelectorAll('.cc-fig:not(.cc-idea + *)').length, // beside that one the picture moves
    formulas: [...document.querySelectorAll('math')].filter(shown).map(m => ({...size(m), text: m.textContent,
      font: getComputedStyle(m).fontFamily})),
    fonts: [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family.replaceAll('"', '')),
  };
}"""


def test_nothing_leaves_this_machine_and_nothing_complains(site: str, seen: Seen) -> None:
    assert not seen.elsewhere(site)
    assert not seen.complaints


def test_every_figure_is_drawn_in_its_scheme(seen: Seen) -> None:
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
    assert seen.width_on_a_phone <= 390


def test_all_that_can_be_used_is_reached_by_tab_and_seen(seen: Seen) -> None:
    assert not seen.missed_by_tab


def test_the_page_is_accessible(seen: Seen) -> None:
    """axe finds nothing, not even minor: in the light scheme, on a phone in the dark one, once a week in both when wide."""
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
