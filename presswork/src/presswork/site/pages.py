"""Which macros the pages call, in order: so figures and tables get numbers, and references get targets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
from jinja2 import nodes

from presswork.ground.errors import UserError
from presswork.ground.files import read_text

TEMPLATES = jinja2.Environment()
KINDS = {"fig": "Figure", "table": "Table"}


@dataclass
class Page:
    """One page: its title and the numbers of what it shows, {"fig:forecasts/cutoff10": 2}."""

    slug: str
    title: str
    numbers: dict[str, int] = field(default_factory=dict)
    explains: bool = False  # what the answers of claims mean


@cache  # once for its calls and for its names
def parsed(text: str) -> nodes.Template:
    return TEMPLATES.parse(text)


def calls(text: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """(macro, its constant arguments) for each call on a page, in the order of the page."""
    call_nodes = parsed(text).find_all(nodes.Call)
    for call in sorted(call_nodes, key=lambda call: call.lineno):  # stable: two on one line keep their order
        if isinstance(call.node, nodes.Name):
            yield call.node.name, tuple(arg.value for arg in call.args if isinstance(arg, nodes.Const))


@cache  # three readers ask for each page, and while the site is served only the saved one has another text
def calls_on(path: Path, text: str) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The calls on a page, or the complaint where the page cannot be read."""
    try:
        return tuple(calls(text))
    except jinja2.TemplateSyntaxError as error:
        raise UserError(f"docs/{path.name}, line {error.lineno}: {error.message}.") from None


def no_unknown_names(text: str, known: set[str], macros: Iterable[str]) -> None:
    """A page may use the macros, the variables of mkdocs and the functions of its templates, and nothing else."""
    if unknown := jinja2.meta.find_undeclared_variables(parsed(text)) - known - set(TEMPLATES.globals):
        there = parsed(text).find_all(nodes.Name)
        line, name = min((one.lineno, one.name) for one in there if one.name in unknown)
        raise UserError(f"line {line}: There is no macro {name!r}; there are {', '.join(macros)}.")


def line_of(text: str, macro: str, arguments: tuple[Any, ...]) -> int | None:
    """Where a page calls this macro so."""
    for call in parsed(text).find_all(nodes.Call):
        given = tuple(one.value for one in call.args if isinstance(one, nodes.Const))
        if isinstance(call.node, nodes.Name) and call.node.name == macro and given == arguments:
            return call.lineno
    return None


def survey(docs: Path) -> dict[str, Page]:
    """All pages by slug. A figure or table that stands twice on one page is an error."""
    pages = {}
    for path in sorted(docs.glob("*.md")):
        text = read_text(path)
        page = Page(path.stem, title_of(text, path.stem))
        counts = dict.fromkeys(KINDS, 0)
        for macro, arguments in calls_on(path, text):
            page.explains |= macro == "vocabulary"
            if macro in KINDS and arguments:
                counts[macro] += 1
                key = f"{macro}:{arguments[0]}"
                if key in page.numbers:
                    raise UserError(f"docs/{path.name} shows {key} twice; show it once and use ref('{key}').")
                page.numbers[key] = counts[macro]
        pages[page.slug] = page
    return pages


def title_of(text: str, slug: str) -> str:
    """Of the first heading, without its list of attributes."""
    headings = (line[2:] for line in text.splitlines() if line.startswith("# "))
    first = next(headings, slug.replace("-", " ").capitalize())
    return re.sub(r"\s*\{:.*\}$", "", first).strip()


def find(pages: dict[str, Page], slug: str, key: str) -> Page:
    """The page that shows `key`: this page if it does, else the only other one."""
    candidates = [pages[slug]] if key in pages[slug].numbers else pages.values()
    shown_on = [page for page in candidates if key in page.numbers]
    if len(shown_on) == 1:
        return shown_on[0]
    if shown_on:
        where = ", ".join(page.slug for page in shown_on)
        raise UserError(f"ref('{key}') on {slug} could mean several pages ({where}); show it here.")
    known = ", ".join(sorted(key for page in pages.values() for key in page.numbers))
    raise UserError(f"ref('{key}') on {slug} points at nothing; the pages show {known}.")


def anchor(key: str) -> str:
    """The id in the page: fig:forecasts/cutoff10 -> fig-forecasts-cutoff10."""
    return key.replace(":", "-").replace("/", "-")
