"""A definition as text, whatever it was called on the way to it. Standard library only.

The text is the syntax tree in which each name that leads to another definition of ours is an arrow to it; docstrings,
comments, types of arguments and results, and imports are not part of it. So a file may be moved or renamed, and the same
definitions are reached with the same texts.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from reproduce._press.answers import source_files
from reproduce._press.answers.source_files import (
    PACKAGES,
    Definition,
    File,
    Functions,
    is_docstring,
    lead,
    module_file,
    names_imported,
    whole_file,
)  # fmt: skip

DATA = re.compile(r"(?:[\w-]+/)*[\w.-]+\.(?:csv|html|txt|bib|json|safetensors)")
DOTTED = re.compile(rf"\b(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
PLACE = re.compile(rf"\b(?:{'|'.join(PACKAGES)})(?:/\w+)+\.py\b")  # in a message: where to look
Comprehensions = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_IGNORED = {"ctx", "kind", "type_comment", "type_params", "returns"}


@dataclass
class Text:
    """A definition as text, and what it reaches."""

    text: str
    reached: list[Definition] = field(default_factory=list)
    data: list[Path] = field(default_factory=list)


def text_of(definition: Definition, root: Path) -> Text:
    return text_in(definition, source_files.tree(definition.file), root)


@cache
def text_in(definition: Definition, whole: ast.Module, root: Path) -> Text:
    file = source_files.names_of(whole, definition.file, root)
    statements = file.loose if not definition.name else file.binds[definition.name]
    return _written(statements, file, root)


def text_at(node: ast.AST, path: Path, root: Path) -> Text:
    """Of an expression at the top of a file."""
    return _written([node], source_files.of(path, root), root)


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
            kept = [item for item in node if not is_docstring(item) and not _brings_names(item)]
            return "[" + ",".join(self.write(item) for item in kept) + "]"
        if isinstance(node, ast.Name | ast.Attribute) and (arrow := self.arrow(node)):
            return arrow
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.string(node.value)
        if isinstance(node, Functions | ast.Lambda):
            return self.function(node)
        if isinstance(node, Comprehensions):
            return self.comprehension(node)
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
        imported: dict[str, str] = {}
        for part in ast.walk(node):
            if isinstance(part, ast.Import | ast.ImportFrom):
                imported |= dict(names_imported(part, self.file.path, self.root))
        outside = {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}
        self.scopes.append(((arguments | _stored(node)) - outside, imported))
        written = self.fields(node)
        self.scopes.pop()
        return written

    def comprehension(self, node: ast.AST) -> str:
        self.scopes.append((_stored(node), {}))
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
            if path := module_file(dotted, self.root):
                self.found.reached += whole_file(path, self.root)
                value = value.replace(dotted, "→program")
        value = PLACE.sub("→place", value)
        if DATA.fullmatch(value) and (path := self.data(value)):
            self.found.data.append(path)
            return "→data"
        return f"str:{value!r}"

    def data(self, name: str) -> Path | None:
        """The data file of this name: beside the code, or seen from the root."""
        return next((p for p in (self.file.path.parent / name, self.root / name) if p.is_file()), None)


def _stored(scope: ast.AST) -> set[str]:
    """The names that are bound in this scope itself, not in one inside it: there the same name may be another thing."""
    found, waiting = set[str](), list(ast.iter_child_nodes(scope))
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        if not isinstance(part, Functions | ast.Lambda | Comprehensions):
            waiting += ast.iter_child_nodes(part)
    return found


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
