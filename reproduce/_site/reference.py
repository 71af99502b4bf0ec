"""Reference of the package: the help of a command as it prints it, and functions and classes out of their syntax trees.

Nothing is imported, so that the site builds without torch: `curvecast … --help` runs by itself, and needs none either.
"""

from __future__ import annotations

import ast
import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reproduce._site import blocks
from reproduce._site.here import Here
from reproduce._site.pages import PageError
from reproduce._site.source import names_of

WIDTH = 88  # characters of a help text, and of a signature on one line
ROW = re.compile(
    r"(\w+) {2,}(\S.*)"
)  # of an aligned table in a docstring: name, two spaces or more, what it is

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Reference(Here):
    def help(self, command: str = "") -> str:
        """What `curvecast COMMAND --help` prints."""
        file = self.root / "curvecast" / "__main__.py"
        if not file.is_file():
            raise PageError(f"help('{command}'): there is no {file.relative_to(self.root)}.")
        text = printed(self.root, command, file.read_text(encoding="utf-8"))
        return f"\n```text\n{text}\n```\n"

    def api(self, path: str, name: str) -> str:
        """Signature and docstring of a function; of a class also those of its public methods and properties."""
        file = self.root / path
        where = f"api('{path}', '{name}')"
        if not file.is_file():
            raise PageError(f"{where}: there is no such file; give the path from the repository root.")
        body = ast.parse(file.read_text(encoding="utf-8")).body
        found = next((node for node in body if name in names_of(node)), None)
        if isinstance(found, ast.ClassDef):
            return _class(found, path, name)
        if not isinstance(found, Function):
            known = ", ".join(
                n.name for n in body if isinstance(n, ast.ClassDef | Function) and n.name[0] != "_"
            )
            raise PageError(f"{where}: {path} has no such function or class; it has {known}.")
        return (
            f'\n```python title="{path}"\n{signature(found)}\n```\n\n{prose(documented(found, path, name))}\n'
        )


@cache
def printed(root: Path, command: str, source: str) -> str:
    """The help text; asked once for each text of the program."""
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    settings = {"PYTHONPATH": path, "COLUMNS": str(WIDTH), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "curvecast", *command.split(), "--help"],
        cwd=root, env=os.environ | settings, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise PageError(f"help('{command}'): `curvecast {command} --help` fails: {said}")
    return done.stdout.rstrip()


def members(node: ast.ClassDef) -> Iterator[Function]:
    """The public methods and properties of a class, in the order of the file."""
    for part in node.body:
        if isinstance(part, Function) and not part.name.startswith("_"):
            yield part


def documented(node: ast.ClassDef | Function, path: str, name: str) -> str:
    text = ast.get_docstring(node)
    if not text:
        raise PageError(
            f"{name} in {path}, line {node.lineno}, has no docstring, and a page shows it: say in one sentence what it is."
        )
    return text


def signature(node: Function, of: str = "") -> str:
    """name(arguments) -> what comes back, on one line if it fits, else an argument a line; of a property name: what."""
    what = ast.unparse(node.returns) if node.returns else ""
    if of and any(_last(d) in ("property", "cached_property") for d in node.decorator_list):
        return f"{node.name}: {what}" if what else node.name
    back = f" -> {what}" if what else ""
    parts = arguments(node.args)[1 if of and not _static(node) else 0 :]
    line = f"{node.name}({', '.join(parts)}){back}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{node.name}(\n{inside}){back}"


def arguments(a: ast.arguments) -> list[str]:
    """Each argument with its type and default, and the marks / and * between them."""
    plain = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(a.defaults)) + [*a.defaults]
    parts = [_argument(arg, default) for arg, default in zip(plain, defaults, strict=True)]
    if a.posonlyargs:
        parts.insert(len(a.posonlyargs), "/")
    if a.vararg:
        parts.append(f"*{_argument(a.vararg)}")
    elif a.kwonlyargs:
        parts.append("*")
    parts += [_argument(arg, default) for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return [*parts, f"**{_argument(a.kwarg)}"] if a.kwarg else parts


def _argument(arg: ast.arg, default: ast.expr | None = None) -> str:
    kind = f": {ast.unparse(arg.annotation)}" if arg.annotation else ""
    if default is None:
        return arg.arg + kind
    return f"{arg.arg}{kind} = {ast.unparse(default)}" if kind else f"{arg.arg}={ast.unparse(default)}"


def _last(decorator: ast.expr) -> str:
    """functools.cached_property -> cached_property"""
    return ast.unparse(decorator).rpartition(".")[2]


def _static(node: Function) -> bool:
    return any(_last(d) == "staticmethod" for d in node.decorator_list)


def _class(node: ast.ClassDef, path: str, name: str) -> str:
    """What it is, and below each method and property as one entry of a list."""
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    entries = ""
    for part in members(node):
        said = prose(documented(part, path, f"{name}.{part.name}"))
        shown = html.escape(signature(part, of=name))
        entries += f'<dt id="{name}.{part.name}"><code>{shown}</code></dt><dd>{said}</dd>'
    return (
        f'\n```python title="{path}"\nclass {name}{bases}\n```\n\n{prose(documented(node, path, name))}\n\n'
        f'<dl class="cc-api cc-members">{entries}</dl>\n'
    )


def prose(docstring: str) -> str:
    """A docstring as HTML: paragraphs, and lists of terms where it aligns names with what they mean."""
    return "".join(_paragraph(part.split("\n")) for part in re.split(r"\n\s*\n", docstring.strip()))


def _paragraph(lines: list[str]) -> str:
    rows = [line for line in lines if not line.startswith(" ")]
    matches = [ROW.fullmatch(row) for row in rows]
    if lines[0].startswith(" ") or not all(matches):
        return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"
    terms: list[list[str]] = []
    for line in lines:
        if line.startswith(" "):
            terms[-1][1] += f" {line.strip()}"
        else:
            found = ROW.fullmatch(line)
            assert found
            terms.append([found[1], found[2]])
    body = "".join(f"<dt><code>{term}</code></dt><dd>{_inline(text)}</dd>" for term, text in terms)
    return f'<dl class="cc-api cc-arguments">{body}</dl>'


def _inline(text: str) -> str:
    """Plain text, in which only `code` means something."""
    parts = text.split("`")
    return "".join(
        f"<code>{blocks.inline(part)}</code>" if i % 2 and i < len(parts) - 1 else blocks.inline(part)
        for i, part in enumerate(parts)
    )
