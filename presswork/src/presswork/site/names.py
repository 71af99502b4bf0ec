"""The names in tables: each leads to the place that explains it, and says in a line what it is when it is pointed at.

docs/names.txt has a section for each kind of table: the heads of their first columns. A line of it is `name = page#place`,
with ` | what it is` where the glossary has no such term. “LSTM, all states” needs no line of its own where “LSTM” has one.
In a table that is written by hand, a name may also be a link already, or have an anchor: the row itself then explains it.
"""

import configparser
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from presswork.answers.answer import Table
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError
from presswork.site import blocks

BY_HAND = re.compile(r"^(\|([^|\n]+)\|.*\n\|[-:| ]+\n)((?:\|.*(?:\n|$))+)", re.MULTILINE)
FIRST_CELL = re.compile(r"^\| *(.+?) *(?=\|)", re.MULTILINE)


class Names:
    def __init__(self, docs: Path) -> None:
        lines = configparser.RawConfigParser(delimiters=("=",))
        lines.optionxform = str  # type: ignore[assignment,method-assign]  # “ReLU” stays as it is
        lines.read(docs / "names.txt", encoding="utf-8")
        terms = "".join(path.read_text(encoding="utf-8") for path in docs.glob("glossary.txt"))
        glossary = dict(re.findall(r"^\*\[(.+?)\]: (.+)$", terms, re.MULTILINE))
        # {head of a column: {name: (address, what it is)}}
        self.of: dict[str, dict[str, tuple[str, str]]] = {}
        for heads in lines.sections():
            for name, line in lines[heads].items():
                address, _, words = line.partition(" | ")
                words = words or found(glossary, name)
                if not words or "#" not in address:
                    needs = "page#place, and words here or in glossary.txt"
                    raise UserError(f"docs/names.txt, {name!r}: needs {needs}.")
                for head in heads.split("; "):
                    self.of.setdefault(head, {})[name] = (address, words)

    def links(self, table: Table, complete: bool) -> dict[str, tuple[str, str]]:
        """{cell: (address, what it is)}; in a complete table whose first column holds names, each must have its line."""
        known, heads = self.of.get("".join(table.header[:1]), {}), self.of.get("other columns", {})
        rows = {row[0]: found(known, row[0].strip("*")) for row in table.rows}
        if known and complete and (missing := [name for name, link in rows.items() if not link]):
            where = f"docs/names.txt has no line for it below the head {table.header[0]!r}."
            raise UserError(f"Table {table.name} names {', '.join(map(repr, missing))}, and {where}")
        cells = {title: found(heads, title) for title in table.header[1:]} | rows
        return {text: link for text, link in cells.items() if link}

    def in_markdown(self, text: str, link_to: Callable[[str, str], str]) -> str:
        """The same page, whose hand-written tables of names link each name that has a line and no link or anchor yet."""

        def linked(table: re.Match[str]) -> str:
            top, head, rows = table[1], table[2].strip().lower(), table[3]
            if head not in {*BLOG.plugin.heads, *self.of}:
                return table[0]

            def cell(first: re.Match[str]) -> str:
                name = first[1]
                if "](" in name or "{: #" in name:
                    return first[0]
                if not (line := found(self.of.get(head, {}), name)):
                    way_out = "make it a link, give it an anchor, or write a line for it into docs/names.txt"
                    raise UserError(f"A table below the head {head!r} names {name!r}: {way_out}.")
                return f"| {blocks.named(name, {name: (link_to(*line[0].split('#')), line[1])})} "

            return top + FIRST_CELL.sub(cell, rows)

        return BY_HAND.sub(linked, text)


def found(lines: dict[str, Any], name: str) -> Any:
    """What is said of a name, or else of the part before its last comma, colon, number or sign of equality."""
    while name not in lines and (shorter := re.match(r"(.*[^,:])(?:[,:] |[,:]? (?=[\d=]))", name)):
        name = shorter[1]
    return lines.get(name)
