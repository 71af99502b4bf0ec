"""What a page says of itself to others: how to cite it, its preview, the feed of the notebook, links to its text."""

import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")
pytest.importorskip("resvg_py", reason="previews are not set up: pip install resvg-py")

from tests.site import fake_answers

pytestmark = pytest.mark.slow
URL = "https://example.org/blog/"
SHOWS = "# Does it work?\n\n{{ fig('invented/any', alt='A curve.', caption='It rises.') }}\n"
NOTEBOOK = "# Notebook\n\n## Older\n\nNo date.\n\n## 3 December 2026: R&D, twice\n\nWe tried A < B.\n\n"
NOTEBOOK += "## 24 May 2026: first\n\nBegun.\n"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = {"index.md": SHOWS, "other.md": "# Other\n"}
    folder = tmp_path_factory.mktemp("cited")
    return fake_answers.small_site(folder, pages, NOTEBOOK, SITE_URL=URL, REPO_URL=fake_answers.REPOSITORY)


def test_a_page_has_the_date_of_its_newest_answer(site: Path) -> None:
    """In its head and in BibTeX; a page without an answer that of the notebook's newest entry."""
    index, other = ((site / name).read_text(encoding="utf-8") for name in ("index.html", "other/index.html"))
    assert '"citation_title" content="Does it work?"' in index
    assert '"citation_author" content="curvecast' in index
    assert '"citation_publication_date" content="2026/11/21"' in index
    assert "year = 2026,\n  month = nov,\n" in index
    assert '"citation_publication_date" content="2026/12/03"' in other
    assert f"url = {{{URL}other/}},\n}}" in other
    assert f'href="{fake_answers.REPOSITORY}/edit/main/docs/other.md"' in other
    assert "/issues/new?title=Other%3A%20" in other


def test_a_page_has_a_preview_of_its_first_figure(site: Path) -> None:
    """A picture of 1200 × 630; a page without a figure has that of the first page."""
    for name in ("index.html", "other/index.html"):
        text = (site / name).read_text(encoding="utf-8")
        assert f'"og:image" content="{URL}assets/cards/index.png"' in text
    png = (site / "assets/cards/index.png").read_bytes()
    assert struct.unpack(">II", png[16:24]) == (1200, 630)


def test_the_notebook_is_a_feed(site: Path) -> None:
    feed = ElementTree.parse(site / "feed.xml").getroot()
    entries = [
        [entry.findtext(ATOM + name) for name in ("id", "updated", "title", "summary")]
        for entry in feed.iter(ATOM + "entry")
    ]
    assert entries[0] == [
        f"{URL}feed.xml#3%20December%202026%3A%20R%26D%2C%20twice",
        "2026-12-03T00:00:00Z",
        "3 December 2026: R&D, twice",
        "We tried A < B.",
    ]
    assert [entry[1] for entry in entries[1:]] == ["2026-05-24T00:00:00Z"]
    assert feed.findtext(ATOM + "updated") == entries[0][1]
    links = [link.get("href") for entry in feed.iter(ATOM + "entry") for link in entry.iter(ATOM + "link")]
    assert links == [f"{fake_answers.REPOSITORY}/blob/HEAD/NOTEBOOK.md"] * 2
