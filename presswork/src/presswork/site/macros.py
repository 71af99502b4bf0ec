"""The macros that pages may call: MACROS names them, and those of the blog's plugin. Those that state claims are in
stated.py, the reference of the package in reference.py.

Loaded by mkdocs-macros. A name that does not exist raises, which fails the build with one clear sentence.
Files that a page shows (drawings, rows, receipts) are copied into the built site when they are named.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from presswork import claim_text
from presswork.answers.answer import Answer
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError
from presswork.site import blocks, pages, provenance, reference, verdicts
from presswork.site.bibliography import Bibliography
from presswork.site.carried import cited
from presswork.site.here import file_of, having, split
from presswork.site.names import Names
from presswork.site.reference import Reference
from presswork.site.stated import Stated

IN_FOLDERS = "figures and tables have numbers on pages that lie in docs/ itself; move this one there."


def define_env(env: Any) -> None:
    """Called by mkdocs-macros once per build."""
    root = BLOG.root
    kind = clearly(site_of, env)()
    site = clearly(kind, env)(root, root / env.conf["docs_dir"], env)
    for name in names_of(kind):
        env.macro(clearly(getattr(site, name), env), name)
    env.variables["site_macros"] = site
    extra = env.conf["extra"]
    extra["citation"] = cited.citation(root, site.docs, site.answers)
    if env.conf["site_url"] and find_spec("resvg_py"):  # an extra
        site.cards = clearly(cited.first_figures, env)(site.docs, site.answers)
    extra["cards"] = {page: f"assets/cards/{Path(page).stem}.png" for page in site.cards}


def site_of() -> type[Macros]:
    """The macros of the tool, and those of the blog's plugin."""
    return type("Site", (*BLOG.plugin.macros(), Macros), {})


def names_of(kind: type) -> tuple[str, ...]:
    return tuple(name for one in kind.__mro__ for name in vars(one).get("MACROS", ()))


def clearly(function: Callable[..., Any], env: Any) -> Callable[..., Any]:
    """What is wrong on a page is said in one sentence and ends the build; a traceback would bury it."""

    @functools.wraps(function, updated=())
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            fitting(function, arguments, named)
            return function(*arguments, **named)
        except BLOG.errors as error:
            page = getattr(env, "page", None)  # not there yet while the pages are surveyed
            where = f"docs/{file_of(page)}: " if page else ""
            if page and not str(error).startswith("line "):
                line = pages.line_of(page.file.content_string, function.__name__, arguments)
                where += f"line {line}: " if line else ""
            logging.getLogger("mkdocs.macros").error(where + str(error))
            raise SystemExit(2) from None

    return call


def fitting(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A macro that is called with other arguments than it has says which these are."""
    try:
        inspect.signature(function).bind(*arguments, **named)
    except TypeError as error:
        raise UserError(f"{error}; it is {function.__name__}{inspect.signature(function)}.") from None


def on_post_build(env: Any) -> None:
    """The pictures of links, once the site's folder is there."""
    site, kept = env.variables["site_macros"], BLOG.root / "runs" / "cards"
    place = provenance.Place("", Path(env.conf["site_dir"]), "", set())
    for page, svg in site.cards.items():
        place.publish(env.conf["extra"]["cards"][page], partial(cited.card, svg, kept))


def on_pre_page_macros(env: Any) -> None:
    """A notebook is not a template: braces in its code mean themselves. Any other page names only what there is."""
    for side in ("previous_page", "next_page"):  # they end where a tab of the navigation ends, also for keys
        neighbour = getattr(env.page, side)
        if neighbour is not None and neighbour.ancestors[-1:] != env.page.ancestors[-1:]:
            setattr(env.page, side, None)
    if env.page.file.src_path.endswith(".ipynb"):
        env.page.meta["render_macros"] = False
    else:
        text = env.page.file.content_string  # with its front matter, as it was read before
        macros = names_of(type(env.variables["site_macros"]))
        clearly(pages.no_unknown_names, env)(text, {*env.variables, *env.macros}, macros)


def on_post_page_macros(env: Any) -> None:
    """A page that cites must also list what it cites; one with marks says what they mean; its names are linked."""
    site = env.variables["site_macros"]
    clearly(site.bibliography.finish, env)()
    env.markdown = clearly(site.names.in_markdown, env)(env.markdown, site.page_link)
    env.markdown = verdicts.with_legend(verdicts.words_in_tables(env.markdown))


class Macros(Stated, Reference):
    """What a page may show of the answers, the code and the literature."""

    MACROS = (
        "fig", "table", "val", "found", "shows", "turn", "turned", "claims", "after_rows", "retired", "vocabulary",
        "reproductions", "code", "ref", "cite", "references", "help", "api",
    )  # fmt: skip

    def __init__(self, root: Path, docs: Path, env: Any) -> None:
        super().__init__(root, docs, env)
        self.bibliography = Bibliography(docs / "references.bib")
        self.names = Names(docs)
        self.cards: dict[str, bytes] = {}  # by page, where the site has an address

    def fig(self, name: str, alt: str, caption: str) -> str:
        """A figure: both drawings, number, caption that states the finding, and where it comes from."""
        return self._block("fig", name, caption, self.drawn("fig", name, alt, caption))

    def table(self, name: str, caption: str, columns: list[str] | None = None) -> str:
        """A table of formatted cells, all columns or the named ones."""
        if not caption.strip():
            raise UserError(f"table('{name}') on {self.slug} needs words in its caption.")
        question, table = split(name, "table")
        versions = []
        for answer in having(self.answers.of(question), f"{table}.table.csv"):
            found, here = answer.table(table), answer.origin == "here"
            names = self.names.links(found, complete=not here)
            links = {name: (self.page_link(*to.split("#")), words) for name, (to, words) in names.items()}
            body = blocks.table(found, columns, here, links)
            versions.append((answer, body, provenance.row(self.place, answer, table)))
        return self._block("table", name, caption, versions)

    def _block(self, kind: str, name: str, caption: str, versions: list[tuple[Answer, str, str]]) -> str:
        key = f"{kind}:{name}"
        if self.slug not in self.pages:
            raise UserError(IN_FOLDERS)
        number = f"{pages.KINDS[kind]} {self.pages[self.slug].numbers[key]}"
        return blocks.block(number, pages.anchor(key), caption, versions, kind)

    def val(self, name: str, *key: object, error: bool = True, form: str = "", unit: str = "") -> str:
        """An estimate by its key, or a cell of a table by row and column, with a card; error=False drops '±'.

        form   its digits, as in ".2f", where the width of its interval should not decide
        unit   what stands behind it; "%" shows a share as a percentage, "percent" what is one already
        """
        question, first = split(name, "val")
        answer = self.answers.of(question)[0]
        found = answer.number(first, *key)
        if isinstance(found, str):
            text, over = found, ""
            shown = text if error else text.split("±")[0].strip()
        else:
            try:
                text, shown = (claim_text.estimate(found, form, unit, wide) for wide in (True, error))
            except ValueError:
                wrong = f"{form!r} is no form of a number; write form='.2f'."
                raise UserError(f"val('{name}'): {wrong}") from None
            over = claim_text.over({"over": found.over})
        text, shown = blocks.minus(text), blocks.minus(shown)
        facts = {
            "Table" if isinstance(found, str) else "Estimate": name,
            "Which": ", ".join(map(str, key)),
            "Interval": f"95 %, over {over}" if over else "",
            "Exactly": "" if error else text,
            "From": provenance.made_how(answer),
            "Remake": provenance.command(answer),
        }
        return blocks.card(blocks.inline(shown.strip("*")), facts, self.link_to(f"table:{name}"))

    def code(self, path: str, name: str, fold: bool = False) -> str:
        """A named piece of source, as it is in the repository; folded to one line if fold=True."""
        text, first = reference.section(self.root, path, name)
        fence = f'```python title="{path}" linenums="{first}"\n{text}\n```'
        if not fold:
            return f"\n{fence}\n"
        inside = "\n".join(f"    {line}" if line else "" for line in fence.splitlines())
        return f'\n??? code "{name} in {path}"\n\n{inside}\n'

    def ref(self, key: str) -> str:
        """'Figure 2' or 'Table 1', linked; with the title of the page where that is another one."""
        if self.slug not in self.pages:
            raise UserError(f"ref('{key}'): {IN_FOLDERS}")
        page = pages.find(self.pages, self.slug, key)
        text = f"{pages.KINDS[key.split(':')[0]]} {page.numbers[key]}"
        if page.slug != self.slug:
            text = f"{text} of “{page.title}”"
        return f'<a class="cc-ref" href="{self.link_to(key)}">{text}</a>'

    def cite(self, *keys: str) -> str:
        return self.bibliography.cite(*keys)

    def references(self) -> str:
        return self.bibliography.references()
