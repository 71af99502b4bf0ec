"""The blog without a server: the zip opens from disk with the network off, and pages print in the light scheme, unfolded."""

import base64
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

pikepdf = pytest.importorskip("pikepdf", reason="make pdf is not set up: pip install pikepdf")

from once import made_once  # noqa: E402

from presswork.site.carried import book, edition  # noqa: E402  # after the skip
from reproduce._plugin.carried import LIVE, with_modules  # noqa: E402
from reproduce._plugin.live import absent  # noqa: E402
from tests.browser.visits import Visit, opened  # noqa: E402
from tests.site import fake_answers  # noqa: E402

LACKING = absent(fake_answers.ROOT / "docs" / LIVE)
INDEX = """# A first page

The word *zygomorphic* stands [elsewhere](under/second.md#far).

{{ live('real_runs/still', alt='Curves.', caption='What the model draws.') }}

??? note "A fold"

    What is folded.
"""
SECOND = "# A second page\n\nBack to [the first](../index.md).\n\n## Far\n\nA zygomorphic flower.\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pages with invented answers and the real model, built as for the zip."""

    def make(folder: Path) -> None:
        fake_answers.small_site(folder, {"index.md": INDEX, "under/second.md": SECOND}, OFFLINE="true")

    return made_once(tmp_path_factory, "small-site", make) / "site"


@pytest.fixture
def address(small: Path, tmp_path: Path) -> str:
    """Where the unpacked zip lies."""
    files = dict(edition.carried(small))
    assert not edition.dead_links(files)
    edition.pack(tmp_path / "blog.zip", files, 1_800_000_000)
    with zipfile.ZipFile(tmp_path / "blog.zip") as file:
        file.extractall(tmp_path / "a folder")
    return (tmp_path / "a folder/curvecast/index.html").as_uri()


def unplugged(page: Any) -> None:
    page.context.set_offline(True)


def test_the_zip_opens_from_disk_and_is_searched(address: str, chromium: Any) -> None:
    """A page shows, its link leads to a file, a search finds the other page; nothing is asked of any host."""
    with opened(chromium, address, report := Visit(), prepare=unplugged) as page:
        page.locator(".md-search__input").fill("zygomorphic")
        page.locator(".md-search__input").press("End")
        page.locator(".md-search-result__item", has_text="second page").first.wait_for()
        page.locator(".md-search__input").press("Escape")
        page.get_by_role("link", name="elsewhere").click()
        page.get_by_role("heading", name="A second page").wait_for()
        page.locator("article a", has_text="the first").click()
        page.get_by_role("heading", name="A first page").wait_for()
    assert not report.elsewhere("file:") and not report.complaints


@pytest.mark.skipif(LACKING is not None, reason=f"{LACKING} is missing: make runtime, with npm")
def test_the_model_runs_from_disk(address: str, chromium: Any) -> None:
    with opened(chromium, address, report := Visit(), prepare=unplugged) as page:
        page.locator('[data-live="start"]').click()
        page.wait_for_function(
            "document.querySelector('[data-live=summary]').textContent.includes('10 epochs')"
        )
        page.locator('[data-live="horizon"]').fill("60")
        page.locator('[data-live="horizon"]').blur()
        page.wait_for_function("document.querySelector('[data-live=summary]').textContent.includes('median is')")  # fmt: skip
        assert page.locator('[data-live="curve"] option', has_text="prior 1").count() == 1
        page.locator('[data-live="futures"]').check()
        page.wait_for_function("document.querySelectorAll('.cc-live-futures path').length == 12")
    assert not report.elsewhere("file:") and not report.complaints


@pytest.mark.skipif(LACKING is not None, reason=f"{LACKING} is missing: make runtime, with npm")
def test_every_script_of_a_page_finds_its_modules(small: Path) -> None:
    script = '<script type="module" src="assets/{}.js"></script>'
    starts = "".join(map(script.format, ("live/live", "live/verify", "guess/guess")))
    text = with_modules(starts, small)
    (known,) = re.findall(r'<script type="importmap">(.*?)</script>', text)
    modules = json.loads(known)["imports"]
    codes = [text, *(base64.b64decode(address.split(",")[1]).decode() for address in modules.values())]
    wanted = {name for code in codes for name in re.findall(r'(?:from|import) ?\(?"(\w+/[\w-]+\.js)"', code)}
    assert {"live/live.js", "live/verify.js", "live/model.js", "guess/stroke.js"} <= wanted <= set(modules)
    assert "src" not in re.sub(r'src="[^"]*from_disk\.js"', "", text.replace(known, ""))


def test_what_the_zip_lacks_is_named_with_its_page() -> None:
    page = b'<a href="../rows.csv#x">rows</a> <a href="https://example.org">out</a> <img src="https://example.org/a.png">'
    (told,) = edition.dead_links({"a/b.html": page, "rows.csv": b""})
    assert told == "a/b.html loads https://example.org/a.png, which a page from disk should not."
    (told,) = edition.dead_links({"a/b.html": page[:40]})
    assert told == "a/b.html links to ../rows.csv, which is not in the zip."


def test_pages_print_in_the_light_scheme_unfolded(address: str, chromium: Any) -> None:
    """A reader of the dark scheme prints dark letters on white paper, with open folds and without navigation."""
    with opened(chromium, address, Visit(), scheme="dark") as page:
        page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
        color = "getComputedStyle(document.querySelector('article p')).color"
        assert min(map(int, re.findall(r"\d+", page.evaluate(color))[:3])) > 150
        page.emulate_media(media="print")
        assert max(map(int, re.findall(r"\d+", page.evaluate(color))[:3])) < 80
        assert page.locator("details .cc-only-light, details:not(.cc-fold) p").last.is_visible()
        assert page.locator(".cc-answer img.cc-only-light").first.is_visible()
        apart = page.locator(".md-header, .md-sidebar, .cc-answer img.cc-only-dark")
        assert not apart.filter(visible=True).count()


def test_the_book_has_every_page_and_links_inside(small: Path, chromium: Any, tmp_path: Path, monkeypatch):
    """A title page and each page begin a sheet of their own; no link leads to a file of the machine."""
    monkeypatch.setattr(edition, "git", lambda *_: b"2026-11-27")
    book.printed(chromium, small, ["index.html", "under/second.html"], tmp_path / "book.pdf")
    with pikepdf.open(tmp_path / "book.pdf") as file, file.open_outline() as outline:
        assert len(file.pages) == 3
        assert [one.title for one in outline.root][1:] == ["A first page", "A second page"]
        links = [note.get("/A", {}) for page in file.pages for note in page.get("/Annots", [])]
        assert len(links) == 4 and not any("file:" in str(link.get("/URI")) for link in links)
