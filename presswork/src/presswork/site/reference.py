"""Reference of the package: the help text of a command, and functions and classes read from their syntax trees.

Nothing is imported, so that the site builds without what the package needs: --help runs as a process of its own.
"""

import ast
import html
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from presswork import questions
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError, demand, known
from presswork.site import blocks
from presswork.site.here import Here

WIDTH = 88  # characters of a help text, and of a signature on one line
TERM = re.compile(r"(\w+) {2,}(\S.*)")  # a row of an aligned table: name, two or more spaces, meaning


class Reference(Here):
    def help(self, command: str = "") -> str:
        """What the COMMAND of the package prints for --help."""
        return f"\n```text\n{printed(self.root, command)}\n```\n"

    def api(self, path: str, name: str) -> str:
        """Signature and docstring of a function; for a class also its public methods and properties."""
        where = f"api('{path}', '{name}')"
        body = parsed(text_of(self.root, path, where), path, where).body
        nodes = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        node, members = nodes[known(f"function or class of {path} called", name, nodes)], ""
        if isinstance(node, ast.ClassDef):
            bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
            head, members = f"class {name}{bases}", _members(node, path)
        else:
            head = signature(node)
        return f'\n```python title="{path}"\n{head}\n```\n\n{_documentation(node, path, name)}\n{members}'


@cache
def printed(root: Path, command: str) -> str:
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    settings = {"PYTHONPATH": path, "COLUMNS": str(WIDTH), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    line = [sys.executable, "-m", BLOG.package, *command.split(), "--help"]
    done = subprocess.run(line, cwd=root, env=os.environ | settings, capture_output=True, encoding="utf-8")
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"help('{command}'): `{BLOG.package} {command} --help` fails: {message}")
    return done.stdout.rstrip()


def _members(node: ast.ClassDef, path: str) -> str:
    """The public methods and properties, each an entry of a list."""
    entries = ""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            name, line = f"{node.name}.{part.name}", html.escape(signature(part, method=True))
            text = _documentation(part, path, name)
            entries += f'<dt id="{name}"><code>{line}</code></dt><dd>{text}</dd>'
    return f'\n<dl class="cc-api cc-members">{entries}</dl>\n'


def _documentation(node: ast.ClassDef | ast.FunctionDef, path: str, name: str) -> str:
    if text := ast.get_docstring(node):
        return prose(text)
    lacks = f"{name} in {path}, line {node.lineno}, has no docstring, and a page shows it"
    raise UserError(f"{lacks}: say in one sentence what it is.")


def signature(node: ast.FunctionDef, method: bool = False) -> str:
    """name(arguments) -> type, with one argument a line if it is too long for one line; of a property name: type."""
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    returned = ast.unparse(node.returns) if node.returns else ""
    if decorators & {"property", "cached_property"}:
        return f"{node.name}: {returned}" if returned else node.name
    back = f" -> {returned}" if returned else ""
    parts = arguments(node.args)[method and "staticmethod" not in decorators :]  # without self
    line = f"{node.name}({', '.join(parts)}){back}"
    if len(line) <= WIDTH:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{node.name}(\n{inside}){back}"


def arguments(a: ast.arguments) -> list[str]:
    """Each argument with its type and default, and the marks / and * between them."""
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    parts = list(map(_argument, plain, defaults))
    if a.posonlyargs:
        parts.insert(len(a.posonlyargs), "/")
    if a.vararg or a.kwonlyargs:
        parts.append(f"*{_argument(a.vararg) if a.vararg else ''}")
    parts += map(_argument, a.kwonlyargs, a.kw_defaults)
    return [*parts, f"**{_argument(a.kwarg)}"] if a.kwarg else parts


def _argument(argument: ast.arg, default: ast.expr | None = None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    equals = " = " if kind else "="
    return argument.arg + kind + (f"{equals}{ast.unparse(default)}" if default else "")


def prose(docstring: str) -> str:
    """A docstring as HTML: paragraphs, and a list of terms for each aligned table of names and meanings."""
    return "".join(map(_paragraph, re.split(r"\n\s*\n", docstring.strip())))


def _paragraph(text: str) -> str:
    rows = re.sub(r"\n +", " ", text).split("\n")  # an indented line continues the one before
    terms = [match for row in rows if (match := TERM.fullmatch(row))]
    if len(terms) < len(rows):
        return f"<p>{_inline(' '.join(row.strip() for row in rows))}</p>"
    body = "".join(f"<dt><code>{term[1]}</code></dt><dd>{_inline(term[2])}</dd>" for term in terms)
    return f'<dl class="cc-api cc-arguments">{body}</dl>'


def _inline(text: str) -> str:
    """Plain text, in which only `code` means something."""
    return re.sub("&#96;(.*?)&#96;", r"<code>\1</code>", blocks.inline(text))


# ---------------------------------------------------------------------------------------------- named pieces of source


def text_of(root: Path, path: str, call: str) -> str:
    """The content of a file; `call` names the macro that asked, for the complaint."""
    file = root / path
    if not file.is_file():
        raise UserError(f"{call}: there is no such file; give the path from the repository root.")
    return file.read_text(encoding="utf-8")


def parsed(text: str, path: str, call: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UserError(f"{call}: {path}:{error.lineno} is not Python: {error.msg}.") from None


def section(root: Path, path: str, name: str) -> tuple[str, int]:
    """The text and first line of a function, class, method ("Class.method") or constant of a file."""
    call = f"code('{path}', '{name}')"
    text = text_of(root, path, call)
    node: Any = parsed(text, path, call)
    for part in name.split("."):
        node = questions.bound_at(node, part)
        demand(node, f"{call}: {path} has no {name}: name a function, a class, a method or a constant.")
    first = min(part.lineno for part in [node, *getattr(node, "decorator_list", [])])
    return dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno])), first
