"""Which files and statements a question rests on, and their syntax trees as text. Standard library only.

question.py ─ roots ─► statements reached by name ─► imports ─► files of ours ─► the same again
"""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("curvecast", "reproduce")

# ----------------------------------------------------------------------- which files of ours are imported


def closure(
    path: Path, root: Path, roots: tuple[str, ...] | None = None, more: Sequence[ast.AST] = ()
) -> list[Path]:
    """The file and, transitively, all files of ours that it imports (of itself only what `roots` and `more` reach)."""
    seen: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen[file] = None
        if file == path and roots:
            waiting += _imported(reached(tree(file), roots, more), file, root)
        else:
            waiting += _imported_by(tree(file), file, root)
    return sorted(seen)


@cache
def _imported_by(whole: ast.Module, file: Path, root: Path) -> list[Path]:
    """Those of a whole file: the same tree as long as its text is the same."""
    return list(_imported(whole.body, file, root))


def _imported(statements: list[ast.stmt], file: Path, root: Path) -> Iterator[Path]:
    """The files of ours that these statements import, also inside functions."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(alias.name, root)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, file, root)
            for alias in node.names:
                yield from _module(f"{base}.{alias.name}", root) or _attribute(base, alias.name, root)
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in PACKAGES
        ):
            base = node.value.id  # `import curvecast` and later `curvecast.prior.sample`
            yield from _module(f"{base}.{node.attr}", root) or _attribute(base, node.attr, root)


def _absolute(node: ast.ImportFrom, file: Path, root: Path) -> str:
    """The dotted name that a `from … import` starts at; relative ones are seen from their file."""
    if not node.level:
        return node.module or ""
    package = file.relative_to(root).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _module(dotted: str, root: Path) -> list[Path]:
    """The file of a module of ours; a package of ours counts by the names taken from it, not as a whole."""
    if dotted.split(".")[0] not in PACKAGES:
        return []
    file = root.joinpath(*dotted.split(".")).with_suffix(".py")
    return [file] if file.is_file() else []


def _attribute(base: str, name: str, root: Path) -> list[Path]:
    """The file that defines `name` of module or package `base`, looking through a table of lazy names."""
    package = root.joinpath(*base.split(".")) / "__init__.py"
    if base.split(".")[0] not in PACKAGES or not package.is_file():
        return _module(base, root)
    for node in ast.walk(tree(package)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    return _module(f"{base}.{ast.literal_eval(value)}", root)
    return [] if package.with_name(name).is_dir() else [package]


# ------------------------------------------------------------------ which statements are reached by name


def reached(tree: ast.Module, roots: tuple[str, ...], more: Sequence[ast.AST] = ()) -> list[ast.stmt]:
    """The top-level statements that the roots and more reach by name, and those that bind none; all, without roots."""
    binds = [(statement, _bound(statement)) for statement in tree.body]
    wanted = {root for root in roots if any(root in names for _, names in binds)}
    if not wanted:
        return tree.body
    for node in more:
        wanted |= _names(node)
    while True:
        kept = [s for s, names in binds if names & wanted or (not names and not _is_docstring(s))]
        reach = wanted.union(*(_names(statement) for statement in kept))
        if reach == wanted:
            return [_narrowed(statement, wanted) for statement in kept]
        wanted = reach


def _narrowed(statement: ast.stmt, wanted: set[str]) -> ast.stmt:
    """An import without the names that nobody wants; any other statement as it is."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return statement
    names = [alias for alias in statement.names if (alias.asname or alias.name.split(".")[0]) in wanted]
    if isinstance(statement, ast.Import):
        return ast.Import(names=names)
    return ast.ImportFrom(module=statement.module, names=names, level=statement.level)


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name.split(".")[0]) for alias in statement.names}
    return assigned(statement)[0]


def assigned(statement: ast.stmt) -> tuple[set[str], ast.expr | None]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    names = {n.id for target in targets if target for n in ast.walk(target) if isinstance(n, ast.Name)}
    return names, getattr(statement, "value", None)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


# ---------------------------------------------------------- a tree as text, the same for every Python version

_IGNORED = {"ctx", "kind", "type_comment", "type_params"}


@cache
def _parsed(text: str, path: Path) -> ast.Module:
    return ast.parse(text, filename=str(path))


def tree(path: Path) -> ast.Module:
    return _parsed(path.read_text(encoding="utf-8"), path)


@cache
def plain_body(whole: ast.Module) -> str:
    return plain(whole.body)


def plain(node: Any) -> str:
    """`ast.dump` without docstrings and without what differs between versions of Python."""
    if isinstance(node, list):
        return "[" + ",".join(plain(item) for item in node if not _is_docstring(item)) + "]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__}:{node!r}"
    fields = [(name, value) for name, value in ast.iter_fields(node) if name not in _IGNORED]
    if (
        isinstance(node, ast.ClassDef) and node.name == "Config"
    ):  # a field added later changes nothing by being there
        fields = [(n, [s for s in v if not _is_later(s)] if n == "body" else v) for n, v in fields]
    return (
        type(node).__name__
        + "("
        + ",".join(f"{n}={plain(v)}" for n, v in fields if v not in (None, []))
        + ")"
    )


def _is_docstring(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_later(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return (
        isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) == "later"
    )
