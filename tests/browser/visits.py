"""What all browser tests need: a server for a folder, a page that is opened and listened to, and what axe says of it."""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

try:
    from axe_playwright_python import sync_playwright as axe
except ImportError:
    axe = None

# Of each template one page: each run of the tests looks at these, the weekly one at all.
OF_EACH_KIND = [
    "", "reproduction/", "new-data/", "primers/attention/", "command-line/", "run-it-yourself/", "try-it/", "log/",
]  # fmt: skip
PATIENCE = 120_000  # ms; a busy machine is no fault of the page


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which this folder can be read."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@dataclass
class Visit:
    """What a page asked for and complained about."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def elsewhere(self, site: str) -> list[str]:
        """The requests to other hosts than this site."""
        return [url for url in self.requests if not url.startswith((site, "data:", "blob:"))]

    def listen(self, page: Any) -> None:
        asked, said = self.requests, self.complaints
        page.on("request", lambda r: asked.append(r.url))
        page.on("response", lambda r: said.append(f"{r.status} {r.url}") if r.status >= 400 else None)
        page.on("console", lambda m: said.append(m.text) if is_ours(m) else None)
        page.on("pageerror", lambda e: said.append(str(e)))


def is_ours(message: Any) -> bool:
    """Whether a line of the console is our fault: an error, or a warning of one of our scripts.

    Warnings of the browser itself (they have no arguments) differ from version to version, and what ONNX Runtime says
    differs from processor to processor; a file of the runtime that is missing is noted as a response.
    """
    if "/ort/" in message.location.get("url", ""):
        return False
    return message.type == "error" or (message.type == "warning" and bool(message.args))


@contextmanager
def opened(
    chromium: Any, url: str, report: Visit, scheme: str = "light", width: int = 1280,
    prepare: Callable[[Any], object] | None = None, **more: object,
) -> Iterator[Any]:  # fmt: skip
    """A page with all that it shows; it is opened anew if Chromium hangs, which on a busy machine it once did."""
    for last_try in (False, True):
        size = {"width": width, "height": 900}
        context = chromium.new_context(viewport=size, color_scheme=scheme, **more)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        report.listen(page)
        if prepare:
            prepare(page)
        try:
            page.goto(url, wait_until="load")
            settle(page)
            break
        except Exception as error:
            context.close()
            if last_try or "Timeout" not in type(error).__name__:
                raise
    yield page
    context.close()


def stands_still(chromium: Any, site: str, picture: str, moving: str) -> None:
    """Without scripts, and on paper, a picture stands where otherwise something moves."""

    def shown(page: Any) -> list[bool]:
        return [page.locator(one).is_visible() for one in (picture, moving)]

    page = chromium.new_page(java_script_enabled=False)
    page.goto(site)
    assert shown(page) == [True, False]
    page.close()
    with opened(chromium, site, Visit()) as page:
        assert shown(page) == [False, True]
        page.emulate_media(media="print")
        assert shown(page) == [True, False]


def settle(page: Any) -> None:
    """Waits until the pictures that are shown, and the fonts, are there."""
    page.evaluate(f"window.settled = false; void ({SETTLE})().then(() => window.settled = true)")
    page.wait_for_function("window.settled")  # unlike evaluate, it ends when the time is over


# A picture that is far below would be loaded only when a reader comes near.
SETTLE = """async () => {
  const atMost = seconds => new Promise(done => setTimeout(done, 1000 * seconds));
  const loaded = picture => new Promise(done => {
    if (picture.complete && picture.currentSrc) done();
    picture.onload = picture.onerror = done;
    picture.loading = 'eager';
  });
  const shown = [...document.images].filter(picture => picture.getClientRects().length > 0);
  await Promise.race([Promise.all(shown.map(loaded)), atMost(60)]);
  await Promise.race([document.fonts.ready, atMost(10)]); // on a busy machine it was once never ready
}"""


def violations(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds, minor or critical, with the first elements."""
    if axe is None:
        pytest.skip("axe-playwright-python is not installed: pip install axe-playwright-python")
    # the theme's script puts a copy button into a landmark without a name, beside each block of code
    asked = {"context": {"exclude": [[".md-code__nav"]]}, "options": {"resultTypes": ["violations"]}}
    found = axe.Axe().run(page, **asked).response["violations"]
    told = [(v["id"], [n["html"][:99] for n in v["nodes"] if not is_a_tab(v["id"], n)]) for v in found]
    return [(name, elements[:3]) for name, elements in told if elements]


def is_a_tab(rule: str, node: dict[str, Any]) -> bool:
    """Tabs that are wider than a phone: they scroll to the one that the keys of their hidden buttons choose."""
    return rule == "scrollable-region-focusable" and 'class="tabbed-labels' in node["html"]
