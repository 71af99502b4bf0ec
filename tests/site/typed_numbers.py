"""Finds numbers that were typed into prose by hand. A measured number comes through a macro."""

from __future__ import annotations

import re

# What may hold decimals: macros, code, math, links and their targets, HTML tags, front matter.
EXEMPT = re.compile(
    r"\A---\n.*?\n---\n"  # front matter
    r"|\{%\s*raw\s*%\}.*?\{%\s*endraw\s*%\}"
    r"|\{\{.*?\}\}|\{%.*?%\}"
    r"|^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)"
    r"|^ +(?P<inner>`{3,}).*?^ +(?P=inner)"  # code inside tabs and folds
    r"|`[^`\n]*`"
    r"|\$\$.*?\$\$|\$[^$\n]+\$"
    r"|\]\([^)]*\)|<[^>]+>|https?://\S+"
    r"|LCDB 1\.1|(?:model|release)\*? \(0\.[12]\)",  # names
    re.DOTALL | re.MULTILINE,
)
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\w)")
REASON = re.compile(r"\A---\n(?:.*\n)*?numbers_by_hand: *(\S.*)\n(?:.*\n)*?---\n")


def bare_decimals(page: str) -> list[tuple[int, str]]:
    """(line, number) of each decimal in the prose of a page; none if the page says why it may."""
    if REASON.match(page):
        return []
    prose = EXEMPT.sub(lambda m: "\n" * m[0].count("\n"), page)
    return [(prose[: m.start()].count("\n") + 1, m[0]) for m in DECIMAL.finditer(prose)]
