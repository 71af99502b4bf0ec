"""A named piece of source, taken from the file itself, so that what a page prints is what runs."""

from __future__ import annotations

import ast
from pathlib import Path

from reproduce._press import questions
from reproduce._site.pages import PageError


def section(root: Path, path: str, name: str) -> tuple[str, int]:
    """The text and first line of a function, class, method ("Class.method") or constant of a file."""
    file = root / path
    if not file.is_file():
        raise PageError(
            f"code('{path}', '{name}'): there is no such file; give the path from the repository root."
        )
    text = file.read_text(encoding="utf-8")
    body: list[ast.stmt] = ast.parse(text).body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((node for node in body if part in names_of(node)), None)
        if found is None:
            known = ", ".join(n for node in body for n in names_of(node))
            raise PageError(f"code('{path}', '{name}'): {path} has no {part}; it has {known}.")
        body = getattr(found, "body", [])
    assert found is not None and found.end_lineno is not None
    decorators = getattr(found, "decorator_list", [])
    first = min([found.lineno, *(d.lineno for d in decorators)])
    lines = text.splitlines()[first - 1 : found.end_lineno]
    return dedent(lines), first


def title(root: Path, question: str) -> str:
    """The first line of a question's file: the question in words; its name where the file has gone."""
    file = questions.file_of(question, root)
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else None
    return (text or question).splitlines()[0]


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [t.id for t in targets if isinstance(t, ast.Name)]


def dedent(lines: list[str]) -> str:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] if line[:indent].isspace() else line for line in lines)
