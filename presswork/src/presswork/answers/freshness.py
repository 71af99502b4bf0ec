"""Is an answer up to date with today's code? Standard library only, since pages ask it.

up to date             settings, inputs and the golden numbers that are kept are the same as when it was made
made by earlier code   its golden numbers have moved since, by more than their tolerance
settings have changed  another config, other trained networks, or other files or rows that it reads
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from presswork import questions
from presswork.answers import golden, receipts
from presswork.answers.golden import Golden
from presswork.answers.receipts import Receipt
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError

UP_TO_DATE, EARLIER = "up to date", "made by earlier code"
CHANGED, MISSING = "settings have changed", "missing"
SHOWN = 3  # columns that moved, in a sentence


@dataclass(frozen=True)
class Freshness:
    state: str  # one of the four
    detail: str
    parts: str = ""  # "2 of 3 parts" where some are missing


def freshness(question: str, scale: str, root: Path, home: str = "figures", asked: Any = None) -> Freshness:
    """`asked`: the question itself, where it is imported."""
    parts = receipts.of(root / home / question / scale)
    if not parts:
        return Freshness(MISSING, f"no answer of {question} at scale {scale}")
    expected = {*asked.parts(scale)} if asked else {part for receipt in parts for part in receipt["parts"]}
    count = len(expected & {receipt["part"] for receipt in parts})
    incomplete = f"{count} of {len(expected)} parts" if count < len(expected) else ""
    state, detail = compare(parts, question, root, home, asked)
    return Freshness(state, detail + (f"; there are {incomplete}" if incomplete else ""), incomplete)


def compare(parts: list[Receipt], question: str, root: Path, home: str, asked: Any = None) -> tuple[str, str]:
    """The state of these parts and its reason. Where the question is not imported, the head of its golden numbers notes
    its settings, perhaps older ones, and nobody knows whose rows it reads today."""
    scale = parts[0]["scale"]
    settings, reads = (asked.settings(scale), asked.reads(scale)) if asked else (None, None)
    try:
        today = of(question, root)
        why = outdated(parts, settings or today.settings.get(scale), root, home, reads)
    except UserError as error:
        return EARLIER, f"nobody can compare: {error}"
    if why:
        return CHANGED, why
    if today.lines and not all(part.get("golden") for part in parts):
        return EARLIER, "it is older than its golden numbers, and its code may be another one: run it again"
    if columns := earlier(parts, today):
        more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
        return EARLIER, f"golden numbers have moved since: {'; '.join(columns[:SHOWN])}{more}"
    return UP_TO_DATE, "settings, inputs and kept golden numbers are the same as when it was made"


def of(question: str, root: Path) -> Golden:
    """The golden numbers of today; none where nobody has kept any. A damaged file is reported with the way out."""
    path = root / "figures" / question / golden.FILE
    try:
        return golden.read(path) or Golden({})
    except ValueError as error:
        name = path.relative_to(root)
        back = f"take it back with `git checkout -- {name}`, or remove it and measure it"
        raise UserError(f"{name} {error}: {back}: {BLOG.command} smoke {question} --keep") from None


def outdated(
    parts: list[Receipt], settings: str | None, root: Path, home: str, reads: list[str] | None = None
) -> str | None:
    """Why these parts no longer fit: other settings today, or other inputs here. `reads`: whose rows it reads today."""
    if settings and {part.get("settings") for part in parts} != {settings}:  # receipts once had none
        return "the settings, or the networks that they name, are not those of today"
    noted = {name for part in parts for name in part.get("inputs", {})}
    there = (file for file in questions.files_named(parts[0]["question"], root) if (root / file).is_file())
    other = {f"file {file}" for file in there} ^ {name for name in noted if name.startswith("file ")}
    if reads is not None:  # older receipts lack rows that are read today
        other |= {one for one in noted if one.startswith("rows of ")} - {f"rows of {one}" for one in reads}
    if other:
        return f"it and the question of today do not read the same: {', '.join(sorted(other))}"
    name = receipts.replaced(parts, root, home)
    return name and f"it rests on another version of {name} than the one that lies here"


def earlier(parts: list[Receipt], today: Golden) -> list[str]:
    """Which golden numbers have moved since these parts were measured, by the tolerances of today.

    A table that a question has had only since then comes from parts of its own, and says nothing of these.
    """
    moved: list[str] = []
    for texts in dict.fromkeys(tuple(part.get("golden", ())) for part in parts):
        lines = golden.lines_of(list(texts))
        tables = {name.partition(".")[0] for name in lines}
        all_of_them = today.lines.items()
        now = {name: line for name, line in all_of_them if not tables or name.partition(".")[0] in tables}
        for name in lines.keys() & today.lines.keys():
            lines[name] = golden.under(lines[name], today.lines[name]["tolerance"])
        moved += golden.moved(lines, now)
    return list(dict.fromkeys(moved))
