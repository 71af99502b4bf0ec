"""How much code does a call run through? Whole functions are counted, by one rule for every package.

A function counts, with all of its lines, if the call enters it; a class adds its own line and its settings, while its
other methods do not count. Nor do blank lines, comments, docstrings, and what stands at the top of a file.
    lines       as they stand in the file
    statements  the same trees as Python writes them, a line each however wide: no formatter plays a part
Standard library alone, since it also runs where the reference package lives.
"""

import ast
import copy
import io
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType

Count = dict[str, str | int]
DEFINITIONS = (ast.ClassDef, ast.FunctionDef)
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}  # fmt: skip


def used(call: Callable[[], object], folder: Path) -> list[Count]:
    """A row for each function below this folder that the call enters, and for each class that has one."""
    starts: dict[Path, set[int]] = {}
    for code in entered(call):
        starts.setdefault(Path(code.co_filename), set()).add(code.co_firstlineno)
    return [
        {"file": path.relative_to(folder).as_posix(), **count}
        for path in sorted(starts)
        if path.is_relative_to(folder)
        for count in counted(path.read_text(encoding="utf-8"), starts[path])
    ]


def entered(call: Callable[[], object]) -> set[CodeType]:
    """All Python code that the call runs through."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return codes


def counted(source: str, starts: set[int]) -> list[Count]:
    """The functions of one file that start in these lines, and their classes."""
    tree = ast.parse(source)
    spoken = rows_of_code(source, tree)
    return [
        {"name": name, "lines": len(mine & spoken), "statements": statements(node)}
        for name, node, mine in chosen(tree, starts)
    ]


def chosen(tree: ast.AST, starts: set[int], inside: str = "") -> Iterator[tuple[str, ast.AST, set[int]]]:
    """(name, node, its rows) from the outside in; what is inside a chosen function belongs to it."""
    for node in ast.iter_child_nodes(tree):
        name = f"{inside}{getattr(node, 'name', 'lambda')}"
        if isinstance(node, ast.FunctionDef | ast.Lambda) and first(node) in starts:
            yield name, node, rows(node)
        elif isinstance(node, ast.ClassDef):
            methods = list(chosen(node, starts, f"{name}."))
            if methods:
                yield name, *head(node)
            yield from methods
        else:
            yield from chosen(node, starts, f"{name}." if isinstance(node, DEFINITIONS) else inside)


def head(node: ast.ClassDef) -> tuple[ast.AST, set[int]]:
    """A class without its functions."""
    functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    left = copy.copy(node)
    left.body = [part for part in node.body if part not in functions]
    return left, rows(node).difference(*map(rows, functions))


def first(node: ast.FunctionDef | ast.ClassDef | ast.Lambda) -> int:
    """Where Python says that it starts: at its first decorator."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def rows(node: ast.FunctionDef | ast.ClassDef | ast.Lambda) -> set[int]:
    return set(range(first(node), (node.end_lineno or 0) + 1))


def rows_of_code(source: str, tree: ast.AST) -> set[int]:
    """Rows with anything but comments and docstrings."""
    spoken: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SILENT:
            spoken |= set(range(token.start[0], token.end[0] + 1))
    for text in filter(None, map(docstring, ast.walk(tree))):
        spoken -= set(range(text.lineno, (text.end_lineno or 0) + 1))
    return spoken


def docstring(node: ast.AST) -> ast.stmt | None:
    silent = isinstance(node, DEFINITIONS) and ast.get_docstring(node) is not None
    return node.body[0] if silent and isinstance(node, DEFINITIONS) else None


def statements(node: ast.AST) -> int:
    """Lines of the tree as Python writes it, without docstrings."""
    bare = copy.deepcopy(node)
    for part in ast.walk(bare):
        if docstring(part):
            part.body = part.body[1:]  # type: ignore[attr-defined] # only definitions have a docstring
    return sum(bool(line.strip()) for line in ast.unparse(bare).splitlines())
