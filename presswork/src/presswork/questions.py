"""Where the questions are: <name>.py, or question.py in a folder of that name, perhaps in a chapter; and on which pages.

What several questions of a chapter share lies beside them, in files whose names begin with an underscore. Standard library
only.
"""

import ast
import functools
import importlib
import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError, demand
from presswork.ground.files import read_text

TITLE = re.compile(r"^# (.*?)(?: \{:.*\})?$", re.MULTILINE)  # without its address
MACROS = ("fig", "table", "val", "found", "shows", "claims")
SHOWN = re.compile(rf"\b(?:(?:{'|'.join((*MACROS, *BLOG.shown_by))})[(=])\s*[\"']([a-z0-9_]+)")
NOWHERE = "no-page"


def chapters(root: Path) -> list[Path]:
    """The folder of all questions, and those in it that are no question themselves."""
    top = root / BLOG.questions
    folders = [path for path in top.glob("[!_.]*") if path.is_dir() and not (path / "question.py").is_file()]
    return [top, *sorted(path for path in folders if path.name not in BLOG.not_chapters)]


def files(root: Path) -> dict[str, Path]:
    """The questions there are: the file of each by its name."""
    by_name: dict[str, Path] = {}
    for chapter in chapters(root):
        names = {path: path.stem for path in chapter.glob("[!_.]*.py")}
        names |= {path: path.parent.name for path in chapter.glob("[!_.]*/question.py")}
        for path, name in sorted(names.items()):
            if chapter == root / BLOG.questions and name in BLOG.not_chapters:
                continue
            if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
                wrong = f"{name!r} cannot be the name of a question: rename it, with small letters, digits and _ alone"
                raise UserError(f"{path.relative_to(root)}: {wrong}.")
            if name in by_name:
                both = f"{by_name[name].relative_to(root)} and {path.relative_to(root)}"
                raise UserError(f"Two questions have the name {name!r}, {both}: rename one of them.")
            by_name[name] = path
    return dict(sorted(by_name.items()))


def file_of(name: str, root: Path) -> Path:
    """The file of a question; one that is not there, where there is no such question."""
    places = (chapter / file for chapter in chapters(root) for file in (f"{name}.py", f"{name}/question.py"))
    return next(filter(Path.is_file, places), root / BLOG.questions / f"{name}.py")


def pages_of(questions: list[str], root: Path) -> dict[str, list[str]]:
    """{slug of a page: those of these questions that it names more often than others do}, in the order of the site."""
    site = root / "mkdocs.yml"
    named_in_order = re.findall(r"([\w-]+)\.md", read_text(site)) if site.is_file() else []
    order = dict.fromkeys([*named_in_order, *sorted(path.stem for path in (root / "docs").glob("*.md"))])
    paths = [path for slug in order if (path := root / "docs" / f"{slug}.md").is_file()]
    named = {path.stem: Counter(SHOWN.findall(read_text(path))) for path in paths}
    pages: dict[str, list[str]] = {slug: [] for slug in [*named, NOWHERE]}
    for name in questions:
        slug = max(named, key=lambda slug: named[slug][name], default=NOWHERE)
        pages[slug if slug in named and named[slug][name] else NOWHERE].append(name)
    return {slug: names for slug, names in pages.items() if names}


def title_of(slug: str, root: Path) -> str:
    path = root / "docs" / f"{slug}.md"
    headings = TITLE.findall(read_text(path)) if path.is_file() else ["on no page"]
    return headings[0] if headings else slug.replace("-", " ").capitalize()


def named_on(page: Path, questions: list[str]) -> list[str]:
    named = dict.fromkeys(SHOWN.findall(read_text(page)))
    return [name for name in named if name in questions]


def title(name: str, root: Path = BLOG.root) -> str:
    """The question in one line, read without importing it; its name where the file is gone."""
    text = ast.get_docstring(tree_of(name, root)) if file_of(name, root).is_file() else name
    return (text or "(no docstring)").splitlines()[0]


def on_request(name: str, root: Path = BLOG.root) -> str | None:
    """The command that alone runs this question, if the blog's run leaves it out; read without an import."""
    told = _literal(name, "ON_REQUEST", root)
    return told[0] if isinstance(told, tuple) else told


def outside_the_tests(name: str, root: Path = BLOG.root) -> str | None:
    """The file without which the tests do not measure it: ON_REQUEST = (command, file). Read without an import."""
    told = _literal(name, "ON_REQUEST", root)
    return told[1] if isinstance(told, tuple) else None


def inputs(name: str, root: Path = BLOG.root) -> list[str]:
    """The files that it reads, from the root of the blog, as FILES names them. Read without an import."""
    for file in files_named(name, root):
        where = file_of(name, root).relative_to(root)
        demand((root / file).is_file(), f"{where}: FILES names {file}, which is not there.")
    return files_named(name, root)


def files_named(name: str, root: Path) -> list[str]:
    """The same, be they there or not; none of a question that is gone."""
    return list(_literal(name, "FILES", root) or ()) if file_of(name, root).is_file() else []


def has_stand_in(name: str, root: Path = BLOG.root) -> bool:
    """Does it read data that the plugin has a stand-in for, at the scale of tests? Read without an import."""
    return bool(_literal(name, "STAND_IN", root))


def lacking(name: str, root: Path = BLOG.root) -> str | None:
    """Why this question cannot be measured here: it needs a folder that no environment variable names; without an import."""
    for variable, what in (_literal(name, "FETCHED", root) or {}).items():
        folder = os.environ.get(variable)
        if not folder:
            return f"{variable} is not set: {what}"
        if not Path(folder).is_dir():
            return f"{variable} names {folder}, where there is no folder: {what}"
    return None


def _literal(name: str, what: str, root: Path) -> Any:
    """What a question binds to this name at its top, or None; it is imported only where that is not written out."""
    match bound_at(tree_of(name, root), what):
        case None:
            return None
        case ast.Assign(targets=[ast.Name()], value=written) | ast.AnnAssign(value=ast.expr() as written):
            with suppress(ValueError):
                return ast.literal_eval(written)
    path = file_of(name, root).relative_to(root)
    return getattr(importlib.import_module(".".join(path.with_suffix("").parts)), what)


def bound_at(tree: ast.Module | ast.ClassDef, what: str) -> ast.stmt | None:
    """The first statement of a file or a class that gives this name a value."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                bound = re.findall(r"\w+", ast.unparse(target))
            case ast.ImportFrom(names=names):
                bound = [one.asname or one.name for one in names]
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound = [name]
            case _:
                continue
        if what in bound:
            return statement
    return None


def tree_of(name: str, root: Path) -> ast.Module:
    path = file_of(name, root)
    return _parsed(path, read_text(path), root)


@functools.cache  # several things are asked of each question
def _parsed(path: Path, text: str, root: Path) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UserError(f"{path.relative_to(root)}:{error.lineno} is not Python: {error.msg}.") from None
