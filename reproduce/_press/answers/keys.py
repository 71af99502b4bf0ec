"""Is an answer still true to the code? Read with the standard library alone, so that the site needs no torch.

content key    a hash over all that makes an answer's rows: what the question's `measure`, `models` and `parts`, its
               Config and the settings of one scale reach by name (see definitions.py). Not `draw`, `tabulate` and
               `claims`, which take seconds and run every time: they have a drawing key.
settings key   a hash over the constants and the fields of dataclasses that the settings of one scale reach, those of
               shared trainings too: two answers with the same one were asked the same.
behaviour      the integers `BEHAVIOUR = n` of the files that trained weights hang on, raised by hand.
inputs         weights by their sha256: those that a receipt names, against those that are committed.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduce._press import questions
from reproduce._press.answers import definition_text, definitions, sameness, source_files
from reproduce._press.answers.definition_text import Text
from reproduce._press.answers.receipts import FILE, apart
from reproduce._press.answers.source_files import Definition

MEASURING = ("measure", "models", "parts", "reads")  # what makes rows; the other functions only show them
ASKING = ("models",)  # what names the trainings that an answer rests on


@dataclass(frozen=True)
class Freshness:
    state: str  # fresh | same numbers since | code changed | stale | missing
    detail: str
    parts: str = ""  # "2 of 3 parts" where some are missing


# ---------------------------------------------------------------------------------------------- keys


def content_key(question: str, scale: str, root: Path) -> str:
    """The key of the rows of an answer at this scale."""
    starts = _starts(_question(question, root), MEASURING, scale, root)
    return definitions.key(starts, definitions.reached(starts, root))


def settings_key(question: str, scale: str, root: Path) -> str:
    """The key of what was asked: constants and fields alone, whatever code stands between them."""
    path = _question(question, root)
    starts = _starts(path, (), scale, root)
    functions = [Text("", [d]) for d in _named(path, ASKING, root)]
    found = {d: text for d, text in _settings(starts + functions, root).items() if text.text}
    return definitions.key(starts, _nothing(starts) | {d: Text(text.text) for d, text in found.items()})


def _settings(starts: list[Text], root: Path) -> dict[Definition, Text]:
    """Constants, and classes cut down to their fields; functions of the questions are followed, and do not count."""
    found: dict[Definition, Text] = {}
    waiting = [definition for start in starts for definition in start.reached]
    while waiting:
        definition = waiting.pop()
        if definition in found or not definition.name:
            continue
        found[definition] = _setting(definition, root)
        waiting += found[definition].reached
    return found


def _setting(definition: Definition, root: Path) -> Text:
    statement = source_files.of(definition.file, root).binds[definition.name][0]
    text = definition_text.text_of(definition, root)
    if isinstance(statement, ast.ClassDef):
        fields = [
            s for s in statement.body if isinstance(s, ast.AnnAssign) and not definition_text.is_later(s)
        ]
        named: list[ast.stmt] = [
            ast.Assign([s.target], s.value or ast.Constant(None)) for s in fields
        ]  # their types do not count
        return definition_text.text_at(ast.Module(named, []), definition.file, root)
    if isinstance(statement, source_files.Functions):
        of_a_question = definition.file.relative_to(root).parts[0] == "reproduce"
        return Text("", text.reached if of_a_question else [])
    return text


def _nothing(starts: list[Text]) -> dict[Definition, Text]:
    return {definition: Text("") for start in starts for definition in start.reached}


def drawing_key(question: str, root: Path) -> str:
    """The key of everything that the question is, its figures, tables and claims included."""
    path = _question(question, root)
    starts = [Text("", _named(path, source_files.of(path, root).binds, root))]
    return definitions.key(starts, definitions.reached(starts, root))


def behaviour(question: str, root: Path) -> dict[str, int]:
    """The behaviour numbers of the files of curvecast that the question's rows rest on, by the file's name."""
    found = definitions.reached(_starts(_question(question, root), MEASURING, "", root), root)
    files = {d.file for d in found if d.file.relative_to(root).parts[0] == "curvecast"}
    numbers = {path.stem: behaviour_number(path) for path in files}
    return {name: number for name, number in sorted(numbers.items()) if number is not None}


def behaviour_number(path: Path) -> int | None:
    """The integer that a `BEHAVIOUR = n` at the top of a file states, or None."""
    for statement in source_files.tree(path).body if path.is_file() else []:
        names, value = source_files.assigned(statement)
        if "BEHAVIOUR" in names and isinstance(value, ast.Constant) and isinstance(value.value, int):
            return value.value
    return None


def _starts(path: Path, functions: Iterable[str], scale: str, root: Path) -> list[Text]:
    """Where the search begins: these functions, Config, and what SCALES gives to this scale."""
    entry = _scale_entry(source_files.tree(path), scale)
    named = Text("", _named(path, [*functions, "Config", *([] if entry else ["SCALES"])], root))
    return [named, definition_text.text_at(entry, path, root)] if entry else [named]


def _named(path: Path, names: Iterable[str], root: Path) -> list[Definition]:
    binds = source_files.of(path, root).binds
    return [Definition(path, name) for name in names if name in binds]


def _question(question: str, root: Path) -> Path:
    return questions.file_of(question, root)


def _scale_entry(tree: ast.Module, scale: str) -> ast.expr | None:
    """The expression that SCALES gives to this scale."""
    for statement in tree.body:
        names, value = source_files.assigned(statement)
        if "SCALES" in names and isinstance(value, ast.Dict):
            for key, entry in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == scale:
                    return entry
    return None


# -------------------------------------------------------------------------------------------- freshness


def receipts(folder: Path) -> list[dict[str, Any]]:
    """The receipts of an answer, one a part; a file that cannot be read does not count."""
    try:
        return apart((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return []


def freshness(
    question: str, scale: str, root: Path, config_hash: str | None = None, home: str = "figures"
) -> Freshness:
    """How an answer stands to the code of today; `config_hash` compares the config exactly."""
    found = receipts(root / home / question / scale)
    if not found or not _question(question, root).is_file():
        return Freshness("missing", f"no answer of {question} at scale {scale}")
    parts = {part for receipt in found for part in receipt["parts"]}
    count = len(parts & {receipt["part"] for receipt in found})
    some = f"{count} of {len(parts)} parts" if count < len(parts) else ""
    note = f"; there are {some}" if some else ""
    if why := outdated(found, root, config_hash, home):
        return Freshness("stale", why + note, some)
    today = content_key(question, scale, root)
    changed = {receipt["content_key"] for receipt in found} - {today}
    if not changed:
        return Freshness("fresh", "made by the code of today" + note, some)
    told = [sameness.compared(root / "figures" / question, before, today) for before in sorted(changed)]
    worst = max(told, key=lambda one: one.rank)
    return Freshness(worst.state, worst.detail + note, some)


def outdated(
    parts: list[dict[str, Any]], root: Path, config_hash: str | None = None, home: str = "figures"
) -> str | None:
    """Why these parts of an answer would come out differently today: settings, weights, a raised behaviour number."""
    question, scale = parts[0]["question"], parts[0]["scale"]
    today = config_hash or settings_key(question, scale, root)
    if {part["config_hash" if config_hash else "settings_key"] for part in parts} != {today}:
        return "the settings differ from those of today"
    now = behaviour(question, root)
    for name, then in _each(parts, "behaviour"):
        if now.get(name, then) != then:
            return f"{name}.py behaves differently now ({then} then, {now[name]} now)"
    for name, then in _each(parts, "inputs"):
        if hash_of(name, scale, root, home) not in (then, None):
            return f"it rests on another version of {name} than the one that lies here"
    return None


def _each(parts: list[dict[str, Any]], field: str) -> list[tuple[str, Any]]:
    """(name, what it was then), once for all parts that say the same."""
    return list(dict.fromkeys(pair for part in parts for pair in part[field].items()))


def hash_of(name: str, scale: str, root: Path, home: str) -> str | None:
    """The hash of an input that lies here: rows of another question, weights, the network that ships; else None."""
    if name.startswith("rows of "):
        other = name.removeprefix("rows of ")
        return published_hash(other, root) if "/" in other else rows_hash(root / home / other / scale)
    path = root / ("weights/published" if home == "figures" else "weights") / f"{name}.safetensors"
    if not path.is_file():
        path = next((root / "curvecast").rglob(f"{name}.safetensors"), path)
    return definitions.data_hash(path) if path.is_file() else None


def rows_hash(folder: Path) -> str | None:
    """A hash over all rows of an answer; None where there are none."""
    files = {name: digest for receipt in receipts(folder) for name, digest in receipt["files"].items()}
    return definitions.digest(*(f"{name} {files[name]}" for name in sorted(files))) if files else None


def published_hash(answer: str, root: Path) -> str | None:
    """Of all published rows of "question/scale"."""
    return rows_hash(root / "figures" / answer)


def named_weights(question: str, scale: str, root: Path) -> dict[str, str]:
    """The weights that the code itself names, such as those of the network that ships: {name: sha256}."""
    starts = _starts(_question(question, root), MEASURING, scale, root)
    texts = [*starts, *definitions.reached(starts, root).values()]
    found = {path for text in texts for path in text.data if path.suffix == ".safetensors"}
    return {path.stem: definitions.data_hash(path) for path in sorted(found)}
