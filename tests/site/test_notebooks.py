"""Notebook pages as they are stored: what is visible is the idea, figures have words, outputs belong to the code."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")
pytest.importorskip("nbclient", reason="comes with mkdocs-jupyter")

import nbformat
from mkdocs.exceptions import BuildError

from presswork.site import notebook as pages
from tests.site import notebooks
from tests.site.sentences import WORDS_A_CAPTION

DOCS = notebooks.ROOT / "docs"
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))
LINES_OF_THE_FIRST = 8
FIGURE = '<figure><img alt="a line" src="data:"><figcaption>It rises.</figcaption></figure>'


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def lines(cell: Any) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def is_folded(cell: Any) -> bool:
    return bool(set(cell.metadata.get("tags", [])) & set(pages.FOLDS))


def shown(cell: Any) -> str:
    return "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_a_notebook_was_run_and_reads_as_a_page(path: Path) -> None:
    """From top to bottom, with the code that stands there; it begins with few lines, folds what draws, captions are short."""
    notebook, cells = nbformat.read(path, as_version=4), code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    again = f"older than its code: run python -m tests.site.notebooks {path.relative_to(notebooks.ROOT)}"
    assert notebook.metadata.get(notebooks.MADE_BY) == notebooks.digest(notebook), again
    first = next(cell for cell in cells if not is_folded(cell))
    assert lines(first) <= LINES_OF_THE_FIRST, first.id
    visible = [c.id for c in cells if "<img" in shown(c) and "draws" not in c.metadata.get("tags", [])]
    assert not visible, f"give these cells the tag 'draws': {visible}"
    captions = [
        one for cell in cells for one in re.findall(r"<figcaption>(.*?)</figcaption>", shown(cell), re.DOTALL)
    ]
    assert not [caption for caption in captions if len(caption.split()) > WORDS_A_CAPTION]


@pytest.mark.parametrize(("data", "tags", "says"), [
    ({"image/png": "iVBO"}, [], "a figure without alternative text"),
    ({"text/html": FIGURE.replace("a line", " ")}, [], "a figure without alternative text"),
    ({"text/html": FIGURE.replace('alt="a line" ', "")}, [], "a figure without alternative text"),
    ({"text/html": FIGURE.replace("It rises.", " ")}, [], "a figure without a caption"),
    ({"text/html": FIGURE}, ["darws"], "the tag 'darws' is none of"),
])  # fmt: skip
def test_what_a_figure_lacks_stops_the_build(data: dict[str, str], tags: list[str], says: str) -> None:
    cell = {"id": "a-figure", "metadata": {"tags": tags}, "outputs": [{"data": data}]}
    page = SimpleNamespace(file=SimpleNamespace(src_path="primers/one.ipynb"), meta={})
    with pytest.raises(BuildError, match=f"^docs/primers/one.ipynb, cell a-figure: {says}"):
        pages.on_page_markdown(json.dumps({"cells": [cell], "metadata": {}}), page)
    cell |= {"metadata": {"tags": ["draws"]}, "outputs": [{"data": {"text/html": FIGURE}}]}
    pages.on_page_markdown(json.dumps({"cells": [cell], "metadata": {}}), page)


def test_sizes_of_language_models_are_the_printed_ones() -> None:
    """The primer on blocks runs where the table of printed numbers is not."""
    code = "\n".join(cell.source for cell in code_cells(DOCS / "primers/blocks.ipynb"))
    table = (notebooks.ROOT / "reproduce/printed/language_models.csv").read_text(encoding="utf-8")
    assert all(line.split(",", 2)[2] in code for line in table.splitlines())
