"""Is an answer still true to the code? Keys over syntax trees, read with the standard library alone.

content key    a hash over the syntax trees of all that makes an answer's rows: the question's `measure`,
               `models`, `parts` and the Config of its scale, whatever they reach by name, and every file of
               ours that is imported on the way. A helper counts; comments, docstrings and formatting do not.
               Nor do `draw`, `tabulate` and `claims`, which take seconds and run every time (see drawing key),
               nor the settings of another scale.
behaviour      the integers `BEHAVIOUR = n` of the files of curvecast on that way, raised by hand when code
               changes meaning.
config code    a hash over what the Config of one scale reaches inside the question: stands in for the hash of
               the config where torch is not installed.
"""

import ast
import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduce._site import trees

MEASURING = ("measure", "models", "parts")  # what makes rows; the other functions only show them
NOT_CONFIG = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Freshness:
    state: str  # fresh | code changed | stale | missing
    detail: str


# ---------------------------------------------------------------------------------------------- keys


def content_key(question: str, scale: str, root: Path) -> str:
    """The key of the rows of an answer at this scale."""
    path = _question(question, root)
    entry = _scale_entry(trees.tree(path), scale)
    roots, settings = (MEASURING, [entry]) if entry else ((*MEASURING, "SCALES"), [])
    parts = [trees.plain(trees.reached(trees.tree(path), roots, settings)) + trees.plain(settings)]
    others = [file for file in trees.closure(path, root, roots, settings) if file != path]
    return _digest(parts + [_whole(file, root) for file in others])


def drawing_key(question: str, root: Path) -> str:
    """The key of everything that the question is, its figures, tables and claims included."""
    return _digest([_whole(file, root) for file in trees.closure(_question(question, root), root)])


def config_code(question: str, scale: str, root: Path) -> str:
    """A hash over the statements of the question that the Config of this scale reaches."""
    tree = trees.tree(_question(question, root))
    entry = _scale_entry(tree, scale)
    kept = [
        s for s in trees.reached(tree, ("Config",), [entry] if entry else []) if not isinstance(s, NOT_CONFIG)
    ]
    return _digest([trees.plain(s) for s in kept] + [trees.plain(entry) if entry else ""])


def behaviour(question: str, root: Path) -> dict[str, int]:
    """The behaviour numbers that the question's rows rest on, by file of curvecast."""
    files = trees.closure(_question(question, root), root, (*MEASURING, "SCALES"))
    numbers = {path.stem: behaviour_number(path) for path in files if path.parent.name == "curvecast"}
    return {name: number for name, number in sorted(numbers.items()) if number is not None}


def behaviour_number(path: Path) -> int | None:
    """The integer that a module-level `BEHAVIOUR = n` states, or None."""
    for statement in trees.tree(path).body if path.is_file() else []:
        names, value = trees.assigned(statement)
        if "BEHAVIOUR" in names and isinstance(value, ast.Constant) and isinstance(value.value, int):
            return value.value
    return None


def _whole(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() + trees.plain_body(trees.tree(file))


def _question(question: str, root: Path) -> Path:
    return root / "reproduce" / f"{question}.py"


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _scale_entry(tree: ast.Module, scale: str) -> ast.expr | None:
    """The expression that SCALES gives to this scale."""
    for statement in tree.body:
        names, value = trees.assigned(statement)
        if "SCALES" in names and isinstance(value, ast.Dict):
            for key, entry in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == scale:
                    return entry
    return None


# -------------------------------------------------------------------------------------------- freshness


def receipts(folder: Path) -> list[dict[str, Any]]:
    """The receipts of an answer, one a part; one that cannot be read does not count."""
    found = []
    for path in sorted(folder.glob("receipt*.json")):
        try:
            found.append(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            continue
    return found


def freshness(question: str, scale: str, root: Path, config_hash: str | None = None) -> Freshness:
    """How a committed answer stands to the code of today; `config_hash` compares the config exactly."""
    found = receipts(root / "figures" / question / scale)
    if not found or not _question(question, root).is_file():
        return Freshness("missing", f"no answer of {question} at scale {scale}")
    for receipt in found:
        if why := outdated(receipt, root, config_hash):
            return Freshness("stale", why)
    missing = set(found[0]["parts"]) - {receipt["part"] for receipt in found}
    note = f"; {len(missing)} of {len(found[0]['parts'])} parts are missing" if missing else ""
    if all(receipt["content_key"] == content_key(question, scale, root) for receipt in found):
        return Freshness("fresh", "made by the code of today" + note)
    return Freshness("code changed", "the code changed since" + _commits_since(question, root, found) + note)


def outdated(receipt: dict[str, Any], root: Path, config_hash: str | None = None) -> str | None:
    """Why this part would come out differently today: other settings, or a raised behaviour number."""
    question = receipt["question"]
    if config_hash:
        same = receipt["config_hash"] == config_hash
    else:
        same = receipt["config_code"] == config_code(question, receipt["scale"], root)
    if not same:
        return "the settings differ from those of today"
    now = behaviour(question, root)
    for name, then in receipt["behaviour"].items():
        if now.get(name, then) != then:
            return f"curvecast/{name}.py behaves differently now ({then} then, {now[name]} now)"
    return None


def _commits_since(question: str, root: Path, found: list[dict[str, Any]]) -> str:
    """', n commits' through git, where there is git and it knows the commit."""
    closure = trees.closure(_question(question, root), root, (*MEASURING, "SCALES"))
    files = [str(path.relative_to(root)) for path in closure]
    count = 0
    for commit in {receipt.get("commit") for receipt in found}:
        command = ["git", "rev-list", "--count", f"{commit}..HEAD", "--", *files]
        try:
            done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        if not commit or done.returncode:
            return ""
        count = max(count, int(done.stdout))
    return f", {count} commit{'s' if count != 1 else ''}" if count else ", not committed yet"
