"""Corrections of notes: tables whose rows name the test or page that shows them."""

import html
import re
from collections.abc import Callable
from pathlib import Path

from presswork.answers.claims_file import lines_of
from presswork.ground.errors import UserError
from presswork.site import blocks, verdicts
from presswork.site.verdicts import labelled

FILE = "reproduce/printed/corrections.csv"
TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
PAGE = re.compile(r"([\w/-]+\.(?:md|ipynb))(#[\w-]+)?")


def read(root: Path) -> dict[str, list[dict[str, str]]]:
    """{notes: their rows}. A row that names no test or page that exists is refused with its line."""
    notes: dict[str, list[dict[str, str]]] = {}
    for number, row in enumerate(lines_of(root / FILE), 2):
        if problem := lacking(row, root):
            raise UserError(f"{FILE}, line {number}: {problem}.")
        notes.setdefault(row["notes"], []).append(row)
    return notes


def lacking(row: dict[str, str], root: Path) -> str | None:
    """What is wrong with a row. Where a copy of the site has no tests, their names are taken on trust."""
    if None in row:
        return "it has more cells than the header: quote what holds a comma"
    if empty := [name for name, text in row.items() if not (text or "").strip()]:
        return f"{empty[0]} is empty"
    shown = row["shown"]
    if page := PAGE.fullmatch(shown):
        return None if (root / "docs" / page[1]).is_file() else f"there is no page docs/{page[1]}"
    if not (test := TEST.fullmatch(shown)):
        return f"{shown!r} names no test (tests/…/test_x.py::test_y) or page (slug.md)"
    file = root / test[1]
    there = file.is_file() and f"def {test[2]}(" in file.read_text(encoding="utf-8")
    return f"there is no {shown}" if (root / "tests").is_dir() and not there else None


def table(rows: list[dict[str, str]], link: Callable[[str, str], str]) -> str:
    """`link(slug, anchor)` leads to a page."""
    first, *middle = [column for column in rows[0] if column not in ("notes", "shown")]
    body = ""
    for row in rows:
        cells = [labelled(column.capitalize(), formula(row[column])) for column in middle]
        body += f'<tr><th scope="row">{blocks.cell(row[first])}</th>{"".join(cells)}'
        body += f"{labelled('Shown by', shown(row['shown'], link))}</tr>"
    header = [column.capitalize() for column in (first, *middle)]
    return verdicts.html_table([*header, "Shown by"], body, rows[0]["notes"], "cc-claims cc-paper")


def formula(text: str) -> str:
    """Plain text in which _x and ^x, or _{…} and ^{…}, are set below and above the line."""
    marks = {"_": "sub", "^": "sup"}
    return re.sub(r"([_^])(?:\{([^}]*)\}|([^\W_]+))",
                  lambda m: f"<{marks[m[1]]}>{m[2] or m[3]}</{marks[m[1]]}>", blocks.cell(text))  # fmt: skip


def shown(where: str, link: Callable[[str, str], str]) -> str:
    if test := TEST.fullmatch(where):
        return f'<code title="{html.escape(test[1])}">{test[2].replace("_", "_<wbr>")}</code>'
    file, _, anchor = where.partition("#")
    slug = file.rpartition(".")[0]
    return f'<a href="{link(slug, anchor).rstrip("#")}">{slug.rpartition("/")[2].replace("-", " ")}</a>'
