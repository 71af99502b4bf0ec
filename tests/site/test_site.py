"""The site as a whole: it builds strictly and without torch, and every link inside it leads somewhere."""

import functools
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from tests.browser.visits import OF_EACH_KIND
from tests.site import fake_answers, notebooks

ROOT = fake_answers.ROOT
pytestmark = pytest.mark.slow
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it is published, built strictly and without torch."""
    return fake_answers.whole_site(tmp_path_factory)


class Page(HTMLParser):
    """The links, ids and pictures of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.without_alt: list[str] = []
        self.canonical: str | None = None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        found = dict(pairs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if tag == "a" and "href" in found else []
        if tag in ("img", "script") and found.get("src"):
            self.loaded.append(found["src"] or "")
        if tag == "link" and found.get("rel") in ("stylesheet", "icon"):
            self.loaded.append(found["href"] or "")
        if tag == "link" and found.get("rel") == "canonical":
            self.canonical = found["href"]
        if tag == "img" and not (found.get("alt") or "").strip():
            self.without_alt.append(found.get("src") or "")


read = functools.cache(Page)  # several tests ask the same pages


def html_pages(folder: Path) -> list[Path]:
    return sorted(p for p in (folder / "site").rglob("*.html") if p.name != "404.html")


def test_site_builds_beside_answers_of_laptop_scale(tmp_path: Path) -> None:
    """`make reproduce` ends with a site: also where its answers lack rows, columns, claims and figures."""
    folder = fake_answers.stand_ins(fake_answers.copy_site(tmp_path, keep_answers=True))
    fake_answers.as_made_here(folder)
    done = fake_answers.build(folder)
    assert done.returncode == 0, done.stderr[-3000:]
    assert any("Not measured here" in path.read_text(encoding="utf-8") for path in html_pages(folder))


def test_all_links_inside_the_site_lead_somewhere(whole: Path) -> None:
    """Below the folder of SITE_URL each link, picture, script and style exists, each fragment is an id of its page.

    The page for what is not there is read at any depth: nothing on it may depend on the address.
    """
    root, missing = whole / "site", whole / "site" / "404.html"
    pages = {path: read(path) for path in [*html_pages(whole), missing]}
    dead = []
    for path, page in pages.items():
        lost = fake_answers.SITE + "no/such/page/"
        address = lost if path == missing else fake_answers.SITE + path.relative_to(root).as_posix()
        for link in page.links + page.loaded:
            url, fragment = urldefrag(urljoin(address, link))
            if not url.startswith("https://owner.github.io/"):
                continue
            if not url.startswith(fake_answers.SITE):
                dead.append(f"{path.relative_to(root)}: {link} leaves the site")
                continue
            target = path if url == lost else root / unquote(url.removeprefix(fake_answers.SITE))
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (fragment and target in pages and fragment not in pages[target].ids):
                dead.append(f"{path.relative_to(root)}: {link}")
    assert not dead


def test_the_site_knows_its_address_and_its_code(whole: Path) -> None:
    """The sitemap and the canonical links name the same pages, all below SITE_URL; a link to code names a file of here."""
    pages = {path: read(path) for path in html_pages(whole)}
    folders = (path.parent.relative_to(whole / "site").as_posix() for path in pages)
    own = {fake_answers.SITE + (f"{folder}/" if folder != "." else "") for folder in folders}
    sitemap = (whole / "site" / "sitemap.xml").read_text(encoding="utf-8")
    assert {page.canonical for page in pages.values()} == own == set(re.findall(r"<loc>(.*?)</loc>", sitemap))
    code = re.compile(re.escape(fake_answers.REPOSITORY) + r"/(?:blob|tree|raw)/(\w+)/([^#]+)")
    named = {found.groups() for page in pages.values() for link in page.links if (found := code.match(link))}
    assert named and all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit, _ in named)
    # an older commit may have had files of other names
    assert any((ROOT / path).is_file() for _, path in named)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.weekly)])
def test_every_page_is_valid_html(whole: Path, every: bool) -> None:
    """It parses without an error, and a caption comes first or last in its figure, which the parser does not ask for."""
    html5lib = pytest.importorskip("html5lib", reason="html5lib is not installed: pip install html5lib")
    wrong = []
    few = [whole / "site" / slug / "index.html" for slug in OF_EACH_KIND]
    for path in [*(html_pages(whole) if every else few), whole / "site" / "404.html"]:
        parser = html5lib.HTMLParser(namespaceHTMLElements=False)
        figures = parser.parse(path.read_bytes()).iter("figure")
        wrong += [(path, error) for error in parser.errors]
        wrong += [(path, "figcaption") for one in figures if "figcaption" in [part.tag for part in one][1:-1]]
    assert not wrong


def test_what_others_link_to_stays(whole: Path) -> None:
    """Each page, heading, figure and table that was once published is where it was, so that links of others hold."""
    site = whole / "site"
    there = set()
    for path in html_pages(whole):
        slug = path.parent.relative_to(site).as_posix() if path.parent != site else "index"
        there |= {slug, *(f"{slug}#{name}" for name in read(path).ids)}
    published = (ROOT / "tests" / "addresses.txt").read_text(encoding="utf-8").split()
    assert not set(published) - there


def test_a_page_loads_nothing_from_elsewhere_and_has_no_id_twice_no_picture_undescribed_no_template(
    whole: Path,
) -> None:
    """Nor does a style load from another host; no macro call, error text or TeX remains in the text of a page."""
    for path in html_pages(whole):
        page, text = read(path), path.read_text(encoding="utf-8")
        assert not [link for link in page.loaded if re.match(r"(https?:)?//", link)], path
        assert len(page.ids) == len(set(page.ids)) and not page.without_alt, path
        prose = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert not re.findall(r"\{\{.*?\}\}|\{%.*?%\}|\\\(|\\\[|Traceback|\$\$", prose), path
    for path in (whole / "site").rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//|@import", path.read_text(encoding="utf-8")), path


def test_a_dead_link_and_a_page_that_nobody_reaches_fail_the_build(tmp_path: Path) -> None:
    links = "# Page\n\n[here](dead-page.md) [there](log.md#dead-section)\n"
    folder = fake_answers.few_pages(tmp_path, {"index.md": links, "log.md": "# Log\n"})
    (folder / "docs" / "orphan.md").write_text("# Orphan\n", encoding="utf-8")
    done = fake_answers.build(folder)
    assert done.returncode != 0
    assert all(name in done.stderr for name in ("dead-page.md", "dead-section", "orphan.md"))


def test_every_output_is_shown() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").glob("*.md"))
    hidden = []
    for path in sorted((ROOT / "figures").glob("*/*/*")):
        name = path.name.removesuffix(".light.svg").removesuffix(".table.csv")
        if name != path.name and f"'{path.parts[-3]}/{name}'" not in text:
            hidden.append(f"{path.parts[-3]}/{name}")
    assert not hidden, "name them on a page with fig() or table(), or stop drawing them"


def test_notebook_pages_are_small_and_fold_their_drawing(whole: Path) -> None:
    """At most 1 MB, without the converter's style; code of tagged cells is in closed folds, figures are numbered below it."""
    for path in NOTEBOOKS:
        folder = whole / "site" / path.relative_to(ROOT / "docs").with_suffix("")
        page = (folder / "index.html").read_text(encoding="utf-8")
        assert "<style" not in page.split("md-content", 1)[1] and "jupyter-wrapper" in page
        assert "cc-drawn" not in page  # a mark that the site takes away when it has made the dark drawing
        assert len(page.encode()) <= 1_000_000, path
        assert f"colab.research.google.com/github/owner/repo/blob/HEAD/{path.relative_to(ROOT)}" in page
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tags = [tag for cell in cells for tag in cell["metadata"].get("tags", []) if tag != "parameters"]
        fold = r'<details class="cc-code" data-search-exclude><summary>.*?</details>'
        folds = re.findall(fold, page, re.DOTALL)
        assert len(folds) == len(tags) and not any("<img" in fold for fold in folds), path
        assert re.findall(r"Figure (\d+)\.</span>", page) == [str(1 + i) for i in range(tags.count("draws"))]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """That of all notebooks: most of what one takes is to start and to import torch."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("without")
    for name in ("reproduce", "presswork"):
        (folder / f"{name}.py").write_text("raise ImportError('no wheel holds it')")
    with notebooks.kernel(folder) as client:
        yield client


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks_run(path: Path, tmp_path_factory: pytest.TempPathFactory, kernel: Any) -> None:
    """From top to bottom, where the package alone is installed: with a training of a few steps, or else to its outputs."""
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    stored = [shown(c) for c in notebook.cells if c.cell_type == "code"]
    short = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    for cell in short:
        longer = cell.source
        cell.source = re.sub(r"curves=[\d_]+", "curves=128", longer)
        assert cell.source != longer
    folder = tmp_path_factory.mktemp("notebook")  # the kernel stays in it when the test is over
    (folder / "docs").mkdir()
    notebooks.run(notebook, folder / "docs", kernel)
    if short:
        trains = "weights/" in "".join(c.source for c in notebook.cells)
        assert len(short) == 1 and trains == any((folder / "weights").glob("*.safetensors"))
        return
    for before, cell in zip(stored, (c for c in notebook.cells if c.cell_type == "code"), strict=True):
        kinds, words, numbers = shown(cell)
        assert (kinds, words) == before[:2], cell.source
        assert numbers == pytest.approx(before[2], rel=0.05, abs=0.02), cell.source


def shown(cell: Any) -> tuple[list[str], list[str], list[float]]:
    """What a cell shows: the kinds of its outputs, and the words and numbers of those that are text."""
    texts: dict[str, str] = {}
    for output in cell.outputs:
        for kind, text in [(output.get("name"), output.get("text")), *output.get("data", {}).items()]:
            if kind:
                texts[kind] = texts.get(kind, "") + str(text)
    # which came first is chance
    kinds = [kind for kind in ("stdout", "stderr", "text/plain") if kind in texts]
    text = "\n".join(texts[kind] for kind in kinds)
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", text)]
    return sorted(texts), re.findall(r"[^\W\d]+", text), numbers
