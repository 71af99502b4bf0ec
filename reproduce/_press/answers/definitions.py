"""Which definitions a question rests on, wherever they stand. Standard library only.

A definition is a function, a class or a constant at the top of a file of ours. Its text is its syntax tree in which each
name that leads to another definition of ours is an arrow to it, whatever module it came from and whatever it was called
on the way; docstrings, comments, types of arguments and results, and imports are not part of it. So a file may be moved
or renamed, and the same definitions are reached with the same texts.

A file that is started as a program, or handed on as a module, counts whole. A data file that a definition names counts
by its bytes; weights do not, since they are inputs (see keys.py).
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("curvecast", "reproduce")
DATA = re.compile(r"(?:[\w-]+/)*[\w.-]+\.(?:csv|html|txt|bib|json|safetensors)")
DOTTED = re.compile(rf"\b(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
PLACE = re.compile(rf"\b(?:{'|'.join(PACKAGES)})(?:/\w+)+\.py\b")  # in a message: where to look
_IGNORED = {"ctx", "kind", "type_comment", "type_params", "returns"}

Functions = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    file: Path
    name: str  # "" stands for the statements that bind no name: they run whenever the file is imported


@dataclass
class Text:
    """A definition as text, and what it reaches."""

    text: str
    reached: list[Definition] = field(default_factory=list)
    data: list[Path] = field(default_factory=list)


# ------------------------------------------------------------------------------------------- files and names


@cache
def _parsed(text: str, path: Path) -> ast.Module:
    return ast.parse(text, filename=str(path))


def tree(path: Path) -> ast.Module:
    return _parsed(path.read_text(encoding="utf-8"), path)


@cache
def _module_file(dotted: str, root: Path) -> Path | None:
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
def _file(whole: ast.Module, path: Path, root: Path) -> File:
    file = File(path, {}, {}, [])
    for statement in whole.body:
        if _is_docstring(statement) or _is_main(statement):
            continue
        imported = dict(_imports(statement, path, root))
        file.imports.update(imported)
        names = _bound(statement) - set(imported)
        for name in names:
            file.binds.setdefault(name, []).append(statement)
        if not names and not imported and not isinstance(statement, ast.Import | ast.ImportFrom):
            file.loose.append(statement)
    return file


def of(path: Path, root: Path) -> File:
    return _file(tree(path), path, root)


def _imports(node: ast.AST, path: Path, root: Path) -> Iterator[tuple[str, str]]:
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


def _is_docstring(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == "__name__ == '__main__'"


# ------------------------------------------------------------------------------- what a dotted name leads to


def _whole(path: Path, root: Path) -> list[Definition]:
    """All definitions of a file; of a package none, since it counts by what is taken from it."""
    if path.name == "__init__.py":
        return []
    return [Definition(path, name) for name in ("", *of(path, root).binds)]


def lead(dotted: str, root: Path) -> tuple[list[Definition], str]:
    """The definitions that a dotted name leads to, and what is left of it; none where it leads out of our code."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        path = _module_file(".".join(parts[:n]), root)
        if path is None:
            continue
        if n == len(parts):
            return _whole(path, root), ""
        name, rest = parts[n], ".".join(parts[n + 1 :])
        if name == "__file__":
            return _whole(path, root), "__file__"
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


# ------------------------------------------------------------------------------------- a definition as text


def text_of(definition: Definition, root: Path) -> Text:
    return _text_of(definition, tree(definition.file), root)


@cache
def _text_of(definition: Definition, whole: ast.Module, root: Path) -> Text:
    file = _file(whole, definition.file, root)
    statements = file.loose if not definition.name else file.binds[definition.name]
    return _written(statements, file, root)


def text_at(node: ast.AST, path: Path, root: Path) -> Text:
    """Of an expression at the top of a file."""
    return _written([node], of(path, root), root)


def _written(nodes: Iterable[ast.AST], file: File, root: Path) -> Text:
    writer = _Writer(file, root)
    writer.found.text = "\n".join(writer.write(node) for node in nodes)
    return writer.found


class _Writer:
    """A syntax tree as text, the same for every Python, with arrows for the names that lead to definitions of ours."""

    def __init__(self, file: File, root: Path) -> None:
        self.file, self.root, self.found = file, root, Text("")
        self.scopes: list[tuple[set[str], dict[str, str]]] = []  # names bound inside functions; imports there

    def write(self, node: Any) -> str:
        if isinstance(node, list):
            kept = [item for item in node if not _is_docstring(item) and not _brings_names(item)]
            return "[" + ",".join(self.write(item) for item in kept) + "]"
        if isinstance(node, ast.Name | ast.Attribute) and (arrow := self.arrow(node)):
            return arrow
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.string(node.value)
        if isinstance(node, Functions | ast.Lambda):
            return self.function(node)
        if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "parents":
            return self.write(node.value)  # how deep a file lies is no part of what it does
        return self.fields(node) if isinstance(node, ast.AST) else f"{type(node).__name__}:{node!a}"

    def fields(self, node: ast.AST) -> str:
        fields = [(name, value) for name, value in ast.iter_fields(node) if name not in _IGNORED]
        if isinstance(node, ast.ClassDef):  # a field added later changes nothing by being there
            fields = [(n, [s for s in v if not is_later(s)] if n == "body" else v) for n, v in fields]
        elif not isinstance(node, ast.AnnAssign) or self.scopes:  # the types of a class's own fields count
            fields = [(name, value) for name, value in fields if name != "annotation"]
        written = ",".join(f"{name}={self.write(value)}" for name, value in fields if value not in (None, []))
        return f"{type(node).__name__}({written})"

    def function(self, node: Functions | ast.Lambda) -> str:
        arguments = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        parts = list(ast.walk(node))
        imported: dict[str, str] = {}
        for part in parts:
            if isinstance(part, ast.Import | ast.ImportFrom):
                imported |= dict(_imports(part, self.file.path, self.root))
        stored = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        outside = {name for part in parts if isinstance(part, ast.Global) for name in part.names}
        self.scopes.append(((arguments | stored) - outside, imported))
        written = self.fields(node)
        self.scopes.pop()
        return written

    def arrow(self, node: ast.Name | ast.Attribute) -> str | None:
        """→name where it leads to a definition of ours, the dotted source where it was imported from elsewhere."""
        dotted = _dotted(node)
        if dotted is None or isinstance(node.ctx, ast.Store):
            return None
        first, _, rest = dotted.partition(".")
        source = self.source(first)
        if source is None:
            return None
        whole = f"{source}.{rest}" if rest else source
        if source.split(".")[0] not in PACKAGES:
            return f"from:{whole}"
        found, left = lead(whole, self.root)
        self.found.reached += found
        names = found[0].name if len(found) == 1 else "".join(f"{d.name} " for d in found)
        return f"→{names}.{left}" if left else f"→{names}"

    def source(self, name: str) -> str | None:
        """The dotted name that a name stands for; None where it is bound inside a function, or built in."""
        for bound, imported in reversed(self.scopes):
            if name in imported:
                return imported[name]
            if name in bound:
                return None
        if name in self.file.binds:
            relative = self.file.path.relative_to(self.root).with_suffix("")
            parts = [part for part in relative.parts if part != "__init__"]
            return ".".join([*parts, name])
        return self.file.imports.get(name)

    def string(self, value: str) -> str:
        """A string; if it names a program or a data file of ours, that counts and its place does not."""
        for dotted in DOTTED.findall(value):
            if path := _module_file(dotted, self.root):
                self.found.reached += _whole(path, self.root)
                value = value.replace(dotted, "→program")
        value = PLACE.sub("→place", value)
        if DATA.fullmatch(value) and (path := self.data(value)):
            self.found.data.append(path)
            return "→data"
        return f"str:{value!r}"

    def data(self, name: str) -> Path | None:
        """The data file of this name: beside the code, or seen from the root."""
        return next((p for p in (self.file.path.parent / name, self.root / name) if p.is_file()), None)


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return None


def _brings_names(node: Any) -> bool:
    """An import, or a block for type checkers alone: what it brings is followed where it is used."""
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        return True
    return isinstance(node, ast.Import | ast.ImportFrom)


def is_later(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and (_dotted(value.func) or "").split(".")[-1] == "later"


# ------------------------------------------------------------------------------------- all that is reached


def reached(starts: Iterable[Text], root: Path) -> dict[Definition, Text]:
    """All definitions that these texts lead to, and what runs when their files are imported."""
    found: dict[Definition, Text] = {}
    parsed = cache(tree)  # each file is read once
    waiting = [definition for start in starts for definition in start.reached]
    while waiting:
        definition = waiting.pop()
        if definition in found:
            continue
        found[definition] = _text_of(definition, parsed(definition.file), root)
        waiting += found[definition].reached
        if definition.name:
            waiting.append(Definition(definition.file, ""))
    return found


def key(starts: list[Text], found: dict[Definition, Text]) -> str:
    """A hash over texts and what they lead to, blind to files: an arrow counts by the text at its end."""
    first = {definition: digest(definition.name, text.text) for definition, text in found.items()}
    texts = [*starts, *found.values()]
    whole = {digest(text.text, *(first[d] for d in text.reached)) for text in texts if text.text}
    data = {digest(data_hash(path)) for text in texts for path in text.data if path.suffix != ".safetensors"}
    return digest(*sorted(whole), *sorted(data))


def data_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
