"""The site by touch, without scripts and on a phone; what it weighs; and what a reader types is found."""

import gzip
from functools import cache
from typing import Any
from urllib.request import urlopen

import pytest

from presswork.site import blocks
from tests.browser.test_browser import SLUGS
from tests.browser.visits import Visit, opened, settle

pytestmark = pytest.mark.browser

OF_EACH_KIND = ["exact-bayes/", "primers/state-spaces/", "run-it-yourself/", "try-it/"]
HEAVIEST = 1_000_000  # bytes, from a server that compresses


def test_a_tap_shows_what_a_word_and_a_badge_mean(site: str, chromium: Any) -> None:
    from playwright.sync_api import expect

    with opened(chromium, site + "exact-bayes/", Visit(), has_touch=True) as page:
        for kind in ("abbr[tabindex]", ".cc-badge"):
            element = page.locator(f"article {kind}:visible").first
            means = element.get_attribute("title") or ""
            expect(element).to_have_accessible_description(means)
            element.tap()
            assert element.evaluate("e => getComputedStyle(e, '::after').content") == f'"{means}"'


@pytest.mark.parametrize("slug", OF_EACH_KIND)
def test_a_page_needs_no_script(site: str, chromium: Any, slug: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site + slug)
    article = page.locator("article")
    assert len(article.inner_text()) > 1500
    for kind in (".cc-picture", "table", "math"):
        for shown in article.locator(f"{kind}:not(details *, .cc-live-ui *, .tabbed-block *)").all():
            assert shown.is_visible(), (kind, shown.inner_html()[:120])
    for picture in article.locator("img:visible").all():
        assert "cc-only-light" in (picture.get_attribute("class") or "")
    for fold in article.locator("details:not(details *, .cc-live-ui *, .tabbed-block *)").all()[:3]:
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()
        assert fold.locator(":scope > :not(summary)").first.is_visible()
    for label in article.locator(".tabbed-labels > label").all()[1:2]:
        label.click()
        assert article.locator(".tabbed-block").nth(1).is_visible()
    assert page.locator(".cc-live-ui, .cc-live button").filter(visible=True).count() == 0
    context.close()


@cache
def sent(address: str) -> int:
    """What a server that compresses sends for an address; fonts are compressed already."""
    with urlopen(address) as file:
        data = file.read()
    return len(data) if address.endswith(".woff2") else len(gzip.compress(data))


def test_no_page_is_heavy(site: str, chromium: Any) -> None:
    """All that a page fetches before its reader does anything: the index of the search and the drawings in view too.
    Those with the most text tell it, and those with scripts or doors of their own: the others fetch the same."""
    heavy = {}
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    for slug in {"", "try-it/", *sorted(SLUGS, key=lambda slug: sent(site + slug))[-5:]}:
        page, visit = context.new_page(), Visit()
        visit.listen(page)
        page.goto(site + slug)
        page.wait_for_function("performance.getEntries().some(one => one.name.includes('search_index'))")
        asked = {address for address in visit.requests if address.startswith(site)}
        assert any("search_index" in address for address in asked) and len(asked) > 8
        heavy[slug] = sum(map(sent, asked))
        page.close()
    context.close()
    assert max(heavy.values()) <= HEAVIEST, {slug: size for slug, size in heavy.items() if size > HEAVIEST}


def test_the_claims_of_a_page_open_for_a_link_and_by_keyboard(site: str, chromium: Any) -> None:
    with opened(chromium, site + "all-claims/", Visit(), width=390) as page:
        assert page.locator("details[id^=claims-][open]").count() == 0
        assert page.evaluate("document.documentElement.scrollHeight") < 15_000
        fold = page.locator("#claims-exact-bayes")
        fold.locator("summary").press("Enter")
        fold.locator("table").wait_for(state="visible")
    with opened(chromium, site + "all-claims/#claims-markov-chains", Visit(), width=390) as page:
        page.locator("#claims-markov-chains table").wait_for(state="visible")


@pytest.mark.parametrize("slug", ["priors/", "markov-chains/", "primers/blocks/"])
def test_letters_of_figures_can_be_read_on_a_phone(site: str, chromium: Any, slug: str) -> None:
    """On 390 pixels they are as large as promised, and a figure that is wider scrolls in a box that has the focus."""
    with opened(chromium, site + slug, Visit(), width=390) as page:
        page.evaluate("document.querySelectorAll('article details').forEach(fold => fold.open = true)")
        settle(page)
        pictures = page.locator("article .cc-picture img:visible").evaluate_all(SIZES)
    assert pictures
    for picture in pictures:
        with urlopen(picture["source"]) as file:  # a notebook has its drawings in the page
            svg = file.read()
        width = blocks.size_of(svg)[0]
        assert blocks.letters(svg) * picture["width"] / width > 0.97 * blocks.READABLE, picture
        assert picture["fits"] or picture["reached"], picture


SIZES = """pictures => pictures.map(picture => ({source: picture.currentSrc, width: picture.clientWidth,
  fits: picture.clientWidth <= picture.parentElement.clientWidth, reached: picture.parentElement.tabIndex == 0}))"""


def test_another_stop_shows_its_number_its_card_and_no_mark_of_another(site: str, chromium: Any) -> None:
    """By keyboard, and without scripts too: the style sheet alone turns it."""
    from playwright.sync_api import expect

    for scripts in (True, False):
        with opened(chromium, site + "exact-bayes/", Visit(), java_script_enabled=scripts) as page:
            choice = page.get_by_label("Epochs observed")
            number, mark = (page.locator("p", has=choice).locator(".cc-turned").nth(i) for i in range(2))
            expect(choice).to_have_value("10")
            assert page.locator(".cc-turn > :visible").count() == page.locator(".cc-turn").count()
            expect(mark.locator(".cc-mark:visible")).to_have_count(1)
            choice.press("ArrowDown")
            expect(choice).to_have_value("20")
            expect(mark.locator(".cc-mark:visible")).to_have_count(0)
            number.locator(".cc-val:visible").focus()
            expect(number.locator(".cc-card:visible")).to_contain_text("Which 20")


def test_a_word_shows_its_picture_on_focus_and_below_the_pointer_until_escape(
    site: str, chromium: Any
) -> None:
    with opened(chromium, site + "eleven-encodings/", Visit()) as page:
        word = page.locator(".cc-term[tabindex='0']").first
        card = word.locator(".cc-card")
        for acts in ([word.focus], [word.focus, card.hover], [word.hover, card.hover], [word.hover]):
            for act in acts:  # it stays below the pointer
                act()
            card.wait_for()
            page.wait_for_function("document.querySelector('.cc-term img').naturalWidth > 0")
            page.keyboard.press("Escape")
            card.wait_for(state="hidden")
            word.blur()
            page.mouse.move(0, 0)
