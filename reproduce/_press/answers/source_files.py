"""The files of ours as they are read: what their names stand for, and where a dotted name leads. Standard library only.

A definition is a function, a class or a constant at the top of a file. A package counts by what is taken from it; a file
that is handed on as a module, or started as a program, counts whole.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("curvecast", "reproduce")

Functions = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    file: Path
    name: str  # "" stands for the statements that bind no name: they run whenever the file is imported


@cache
def _parsed(text: str, path: Path) -> ast.Module:
    return ast.parse(text, filename=str(path))


def tree(path: Path) -> ast.Module:
    return _parsed(path.read_text(encoding="utf-8"), path)


@cache
def module_file(dotted: str, root: Path) -> Path | None:
    """The file of a module or package of ours."""
    if dotted.split(".")[0] not in PACKAGES:
        return None
    path = root.joinpath(*dotted.split("."))
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in found if file.is_file()), None)


@dataclass(frozen=True)
class File:
    """What the names at the top of a file stand for."""

    path: Path
    binds: dict[str, list[ast.stmt]]  # the statements that define a name
    imports: dict[str, str]  # name: the dotted name that it was imported as
    loose: list[ast.stmt]  # statements that bind nothing


@cache
def names_of(whole: ast.Module, path: Path, root: Path) -> File:
    file = File(path, {}, {}, [])
    for statement in whole.body:
        if is_docstring(statement) or _is_main(statement):
            continue
        imported = dict(names_imported(statement, path, root))
        file.imports.update(imported)
        names = _bound(statement) - set(imported)
        for name in names:
            file.binds.setdefault(name, []).append(statement)
        if not names and not imported and not isinstance(statement, ast.Import | ast.ImportFrom):
            file.loose.append(statement)
    return file


def of(path: Path, root: Path) -> File:
    return names_of(tree(path), path, root)


def names_imported(node: ast.AST, path: Path, root: Path) -> Iterator[tuple[str, str]]:
    """(name, dotted source) for every import in a statement."""
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            for alias in part.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        elif isinstance(part, ast.ImportFrom):
            base = absolute(part, path, root)
            for alias in part.names:
                yield alias.asname or alias.name, f"{base}.{alias.name}"
        elif isinstance(part, ast.Lambda | Functions | ast.ClassDef) and part is node:
            return  # those inside a definition belong to it


def absolute(node: ast.ImportFrom, path: Path, root: Path) -> str:
    """The dotted name that a `from … import` starts at; relative ones are seen from their file."""
    if not node.level:
        return node.module or ""
    package = path.relative_to(root).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a file defines, also inside `if` and `try`."""
    if isinstance(statement, Functions | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.If | ast.Try | ast.With | ast.For):
        inside = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)]
        return set().union(*(_bound(part) for part in inside))
    return assigned(statement)[0]


def assigned(statement: ast.stmt) -> tuple[set[str], ast.expr | None]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    names = {n.id for target in targets if target for n in ast.walk(target) if isinstance(n, ast.Name)}
    return names, getattr(statement, "value", None)


def is_docstring(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == "__name__ == '__main__'"


# ------------------------------------------------------------------------------- what a dotted name leads to


def whole_file(path: Path, root: Path) -> list[Definition]:
    """All definitions of a file; of a package none, since it counts by what is taken from it."""
    if path.name == "__init__.py":
        return []
    return [Definition(path, name) for name in ("", *of(path, root).binds)]


def lead(dotted: str, root: Path) -> tuple[list[Definition], str]:
    """The definitions that a dotted name leads to, and what is left of it; none where it leads out of our code."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        path = module_file(".".join(parts[:n]), root)
        if path is None:
            continue
        if n == len(parts):
            return whole_file(path, root), ""
        name, rest = parts[n], ".".join(parts[n + 1 :])
        if name == "__file__":
            return whole_file(path, root), "__file__"
        file = of(path, root)
        if name in file.binds:
            return [Definition(path, name)], rest
        source = file.imports.get(name) or _lazy(path, ".".join(parts[:n]), name, root)
        return lead(f"{source}.{rest}" if rest else source, root) if source else ([], rest)
    return [], ""


def _lazy(path: Path, package: str, name: str, root: Path) -> str | None:
    """Through a package's table of names that are fetched when they are first used: {"forecast": "module"}."""
    if path.name != "__init__.py":
        return None
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    return f"{package}.{ast.literal_eval(value)}.{name}"
    return None
