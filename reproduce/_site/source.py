"""A named piece of source, taken from the file itself, so that a page prints the code that runs."""

import ast
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

from reproduce._press import questions
from reproduce._site.pages import PageError


def text_of(root: Path, path: str, call: str) -> str:
    """The content of a file; `call` names the macro that asked, for the complaint."""
    file = root / path
    if not file.is_file():
        raise PageError(f"{call}: there is no such file; give the path from the repository root.")
    return file.read_text(encoding="utf-8")


def section(root: Path, path: str, name: str) -> tuple[str, int]:
    """The text and first line of a function, class, method ("Class.method") or constant of a file."""
    call = f"code('{path}', '{name}')"
    text = text_of(root, path, call)
    node: Any = ast.parse(text)
    for part in name.split("."):
        body = reversed(getattr(node, "body", []))  # of several with one name, the first
        nodes = {known: child for child in body for known in names_of(child)}
        if part not in nodes:
            raise PageError(f"{call}: {path} has no {part}; it has {', '.join(reversed(nodes))}.")
        node = nodes[part]
    first = min(part.lineno for part in [node, *getattr(node, "decorator_list", [])])
    return dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno])), first


def title(root: Path, question: str) -> str:
    """The question in words, the first line of its file; its name where the file is gone."""
    file = questions.file_of(question, root)
    said = re.match(r'\s*"""(.+?)("""|\n)', file.read_text(encoding="utf-8")) if file.is_file() else None
    return said[1] if said else question


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    annotated = [node.target] if isinstance(node, ast.AnnAssign) else []
    targets = node.targets if isinstance(node, ast.Assign) else annotated
    return [target.id for target in targets if isinstance(target, ast.Name)]
