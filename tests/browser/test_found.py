"""What a reader types is found where it is explained; folds open for a link; what a phone shows can be read."""

from typing import Any
from urllib.request import urlopen

import pytest

from reproduce._site import blocks
from tests.browser.visits import Visit, opened, settle

pytestmark = pytest.mark.browser

WANTED = {  # what is typed: the pages of which one should be first
    "RoPE": {"primers/blocks", "eleven-encodings"},
    "scaling law": {"scaling-curves"},
    "wandb": {"command-line"},
    "Optuna pruner": {"while-it-trains"},
    "calibration": {"your-own-finished-runs"},
    "coverage": {"your-own-finished-runs", "new-data", "reproduction"},
    "early stopping": {"stopping-early"},
    "MCMC": {"markov-chains"},
    "Mamba": {"primers/state-spaces"},
    "LLaMA": {"primers/blocks"},
    "TabPFN": {"a-small-tabpfn"},
    "learning rate schedule": {"where-curves-come-from", "the-craft-of-training", "primers/learning"},
}
SAID = "document.querySelector('.md-search-result__meta').innerText"
FIRST = ".md-search-result__item > a"


def test_the_first_hit_is_the_page_that_one_wants(site: str, chromium: Any) -> None:
    """Typed into the search of the site; neither the log nor the list of all claims comes first."""
    found = {}
    with opened(chromium, site, Visit()) as page:
        box = page.locator(".md-search__input")
        for typed in WANTED:
            for text, until in (("", "Type to start"), (typed, "match")):
                box.fill(text)
                box.press("End")  # the search listens to keys
                page.wait_for_function(f"{SAID}.includes('{until}')")
            link = page.locator(FIRST).first.evaluate("link => link.href")
            found[typed] = link.removeprefix(site).partition("/?")[0].partition("/#")[0].strip("/")
    assert not {typed: first for typed, first in found.items() if first not in WANTED[typed]}


def test_what_is_searched_stays_below_a_megabyte(site: str) -> None:
    """Each reader who searches loads it: without tables, cards and folded code."""
    with urlopen(site + "search/search_index.json") as index:
        text = index.read().decode()
    assert len(text.encode()) < 1_000_000
    for left_out in ("QuestionAnswer", "what is needed", "AMD EPYC", "import matplotlib"):
        assert text.count(left_out) < 10, left_out  # a page may say such words, once


def test_the_claims_of_a_page_open_for_a_link_and_by_keyboard(site: str, chromium: Any) -> None:
    """All are closed at first; the address of one opens it, and so does a key."""
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
        assert blocks.letters(svg) * picture["width"] / blocks.size_of(svg)[0] > 0.97 * blocks.READABLE, (
            picture
        )
        assert picture["fits"] or picture["reached"], picture


SIZES = """pictures => pictures.map(picture => ({source: picture.currentSrc, width: picture.clientWidth,
  fits: picture.clientWidth <= picture.parentElement.clientWidth, reached: picture.parentElement.tabIndex == 0}))"""
