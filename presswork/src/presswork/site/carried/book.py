"""All pages in the order of the navigation as one PDF, printed by a headless Chromium.

The pages are put into one document, so that page numbers run on, links between pages stay inside the file and the headings
become its outline. How it looks is print.css, as for a page that a reader prints.
"""

import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
from mkdocs.config import load_config
from playwright.sync_api import sync_playwright

from presswork.ground.blog import BLOG
from presswork.ground.errors import demand
from presswork.site.build import configuration
from presswork.site.carried import edition

TARGET = edition.ROOT / "runs" / f"{BLOG.name}.pdf"
MOST = 20_000_000  # bytes of the PDF
NAMES = ("chromium", "chromium-browser", "google-chrome")

APPEND = Path(__file__).with_name("book.js").read_text(encoding="utf-8")
EMPTY = """version => {
  document.querySelector(".md-content").innerHTML =
    `<article class="md-typeset"><h1>${document.title.split(" - ").pop()}</h1><p>${version}</p><ul></ul></article>`;
}"""
SHOWN = "Promise.all([document.fonts.ready, ...[...document.images].map(one => one.decode())]).then(() => 0)"


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    way_out = "apt-get install chromium, or set CHROMIUM to its path"
    demand(chromium, f"There is no Chromium to print with: {way_out}.")
    site = edition.built(edition.ROOT / "runs" / "carried")
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        printed(browser, site, in_order(site), TARGET)
        browser.close()
    size = TARGET.stat().st_size
    demand(size <= MOST, f"{TARGET} has {size:,} bytes, more than {MOST:,}: make a drawing lighter.")
    print(f"{TARGET.relative_to(edition.ROOT)}: {size / 1e6:.0f} MB")


def in_order(site: Path) -> list[str]:
    """The files of the pages, as the navigation has them."""

    def below(items: list[Any]) -> Iterator[str]:
        for item in items:
            for one in item.values() if isinstance(item, dict) else [item]:
                yield from below(one) if isinstance(one, list) else [str(Path(one).with_suffix(".html"))]

    if nav := load_config(str(configuration(edition.ROOT)))["nav"]:
        return list(below(nav))
    paths = [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    return [path.relative_to(site).as_posix() for path in paths]


def printed(browser: Any, site: Path, names: list[str], target: Path) -> None:
    page = browser.new_page(color_scheme="light")
    page.set_default_timeout(0)  # a slow machine is no fault of the pages
    home = site.resolve().as_uri()
    page.goto(f"{home}/index.html")
    page.evaluate(EMPTY, f"Version of {edition.git('log', '-1', '--format=%cs').decode().strip()}")
    for name in names:
        page.evaluate(APPEND, [(site / name).read_text(encoding="utf-8"), name, f"{home}/"])
    page.evaluate(SHOWN)
    pdf = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
    with pikepdf.open(io.BytesIO(pdf)) as file:  # Chromium leaves the tags uncompressed, which is half of it
        streams = pikepdf.ObjectStreamMode.generate
        file.save(target, object_stream_mode=streams, deterministic_id=True)
        print(f"{len(file.pages)} pages")
