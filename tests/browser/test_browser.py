"""The built site in a real browser: what is asked for, what is shown, in both schemes and on a phone."""

import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("mkdocs", reason="the site's tools are not installed: pip install -e .[site]")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)

try:
    from axe_playwright_python import sync_playwright as axe
except ImportError:
    axe = None

from tests.site import fake_answers  # noqa: E402  # after the skips

ROOT = fake_answers.ROOT
SLUGS = [
    "",
    *sorted(
        p.relative_to(ROOT / "docs").with_suffix("").as_posix() + "/"
        for p in (ROOT / "docs").rglob("*.*")
        if p.suffix in (".md", ".ipynb") and p.stem != "index"
    ),
]
ON_A_PHONE = ["", "what-the-prior-believes/", "new-data/"]  # tables of claims and of Markdown, wide figures
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-quic",
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site from the committed answers, or from invented ones while some are missing: its address."""
    folder, stopped = fake_answers.committed_site(tmp_path_factory)
    if stopped:
        folder = fake_answers.invented_site(tmp_path_factory)
    handler = functools.partial(Quiet, directory=str(folder / "site"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium, or set CHROMIUM to its path")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """What one page asked for, complained about and showed, after it was scrolled through once."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    violations: list[tuple[str, list[str]]] | None = None  # None: axe is not installed
    height: int = 0  # as a reader finds it, its folds closed


@pytest.fixture(scope="module")
def visit(site: str, chromium: Any) -> Callable[..., Visit]:
    """visit(slug, scheme, width): each page is opened once for all tests that look at it."""

    @functools.cache
    def at(slug: str, scheme: str = "light", width: int = 1400) -> Visit:
        report = Visit()
        with opened(chromium, site + slug, scheme, width, report) as page:
            report.seen = page.evaluate(LOOK)
            if axe is not None and (width > 1000 or slug in ON_A_PHONE):
                found = axe.Axe().run(page).response["violations"]
                serious = [v for v in found if v["impact"] in ("serious", "critical")]
                report.violations = [(v["id"], [n["html"][:150] for n in v["nodes"][:3]]) for v in serious]
        return report

    return at


@contextmanager
def opened(chromium: Any, url: str, scheme: str, width: int, report: Visit) -> Iterator[Any]:
    """A page that was scrolled through once; it is opened anew if Chromium hangs, which on a busy machine it once did."""
    for last_try in (False, True):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(120_000)  # a busy machine is no fault of the page
        listen(page, report)
        page.goto(url, wait_until="load")
        report.height = page.evaluate("document.documentElement.scrollHeight")
        page.evaluate(f"void ({SCROLL})().then(() => window.scrolled = true)")
        try:
            page.wait_for_function("window.scrolled")  # unlike evaluate, it ends when the time is over
            break
        except playwright.TimeoutError:
            context.close()
            if last_try:
                raise
    yield page
    context.close()


def listen(page: Any, report: Visit) -> None:
    asked, said = report.requests, report.complaints
    page.on("request", lambda r: asked.append(r.url))
    page.on("response", lambda r: said.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: said.append(str(e)))


# folds are opened, and pictures load when they come near
SCROLL = """async () => {
  const pause = ms => new Promise(done => setTimeout(done, ms));
  document.querySelectorAll('article details:not(.cc-fold, .cc-live *)').forEach(fold => fold.open = true);
  for (let y = 0; y < document.body.scrollHeight; y += 600) { scrollTo(0, y); await pause(30); }
  const shown = [...document.images].filter(i => i.getClientRects().length > 0);
  shown.forEach(i => i.loading = 'eager'); // on a busy machine a picture may be scrolled past unseen
  await Promise.race([Promise.all(shown.map(i => i.decode().catch(() => 0))), pause(60000)]);
  await Promise.race([document.fonts.ready, pause(10000)]); // on a busy machine it was once never ready
  scrollTo(0, 0);
}"""

LOOK = """() => {
  const size = e => ({width: e.getBoundingClientRect().width, height: e.getBoundingClientRect().height});
  const shown = e => getComputedStyle(e).display != 'none' && e.getClientRects().length > 0;
  return {
    pictures: [...document.querySelectorAll('article img')].filter(shown).map(i => ({...size(i),
      src: i.currentSrc.slice(0, 150), alt: i.alt.trim(), kind: i.className, loaded: i.complete && i.naturalWidth > 0})),
    figures: document.querySelectorAll('figure.cc-fig').length,
    formulas: [...document.querySelectorAll('math')].filter(shown).map(m => ({...size(m), text: m.textContent,
      font: getComputedStyle(m).fontFamily})),
    fonts: [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family.replaceAll('"', '')),
    width: document.documentElement.scrollWidth,
  };
}"""


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_leaves_this_machine_and_nothing_complains(site: str, visit: Any, slug: str) -> None:
    """Opening a page asks no other host for anything, and the console stays empty."""
    report = visit(slug)
    assert not [url for url in report.requests if not url.startswith((site, "data:", "blob:"))]
    assert not report.complaints


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("slug", SLUGS)
def test_every_figure_is_drawn_in_its_scheme(visit: Any, slug: str, scheme: str) -> None:
    """In either scheme each figure shows just one drawing, of that scheme, with a size and with alt text."""
    seen = visit(slug, scheme).seen
    assert len(seen["pictures"]) >= seen["figures"]
    for picture in seen["pictures"]:
        assert picture["loaded"] and picture["width"] > 200 and picture["height"] > 50, picture
        assert picture["alt"], picture
        assert picture["kind"] == f"cc-only-{scheme}", picture


@pytest.mark.parametrize("slug", SLUGS)
def test_formulas_are_set_in_the_math_font(visit: Any, slug: str) -> None:
    """Each formula has a size, and where there is one our math font has been loaded."""
    seen = visit(slug).seen
    for formula in seen["formulas"]:
        assert formula["width"] > 2 and formula["height"] > 4 and "STIX Two Math" in formula["font"], formula
    assert not seen["formulas"] or "STIX Two Math" in seen["fonts"]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_phone_scrolls_in_one_direction(visit: Any, slug: str) -> None:
    """On a screen of 390 pixels nothing is wider than the screen."""
    assert visit(slug, width=390).seen["width"] <= 390


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in ("log/", "all-claims/")])
def test_no_page_is_too_long(visit: Any, slug: str) -> None:
    """On a screen of 1400 pixels a page ends before pixel 15,000: it answers one question, or leads to those that do."""
    assert visit(slug).height <= 15_000


def test_an_old_address_leads_to_the_new_place(site: str, chromium: Any) -> None:
    """Where a section or a figure has moved, its old address shows the link to it; a fold opens around what is asked for."""
    with opened(chromium, site + "reproduction/#fig-exact_bayes-calibration", "light", 1400, Visit()) as page:
        page.locator("a:target").click()
        page.wait_for_url("**/exact-bayes/#fig-exact_bayes-calibration")
        assert page.locator("figure:target figcaption").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("slug", SLUGS)
def test_the_page_is_accessible(visit: Any, slug: str, scheme: str) -> None:
    """axe finds nothing serious or critical, in either scheme."""
    violations = visit(slug, scheme).violations
    if violations is None:
        pytest.skip("axe-playwright-python is not installed: pip install axe-playwright-python")
    assert not violations


@pytest.mark.parametrize("slug", ON_A_PHONE)
def test_a_page_is_accessible_on_a_phone(visit: Any, slug: str) -> None:
    """What scrolls sideways there and nowhere else can be reached by the keyboard."""
    violations = visit(slug, width=390).violations
    if violations is None:
        pytest.skip("axe-playwright-python is not installed: pip install axe-playwright-python")
    assert not violations


def test_the_cards_and_links_under_a_figure_open(site: str, chromium: Any) -> None:
    """A click shows the command that remakes a figure; a number in a sentence shows its card on focus."""
    with opened(chromium, site + "exact-bayes/", "light", 1280, Visit()) as page:
        figure = page.locator("figure.cc-fig").first
        figure.get_by_text("Remake", exact=True).click()
        assert figure.get_by_text("python -m reproduce run").is_visible()
        number = page.locator(".cc-val").first
        number.focus()
        assert number.locator(".cc-card").is_visible()
