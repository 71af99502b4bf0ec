"""Fixtures of the browser tests: a Chromium, and the site as it is published."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.visits import served

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-quic",
]  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium, or set CHROMIUM to its path")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site as it is published."""
    pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")
    from tests.site import fake_answers

    with served(fake_answers.whole_site(tmp_path_factory)) as address:
        yield f"{address}site/"  # below a folder, as Pages serves it
