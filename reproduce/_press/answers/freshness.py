"""How an answer stands to the code of today, as a reader is told. Standard library only, since pages ask it.

up to date             settings, inputs and golden numbers are those of the day when it was made
made by earlier code   its golden numbers have moved since, by more than their tolerance
settings have changed  another config, other trained networks, or other rows that it reads
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from reproduce._press.answers import golden, inputs, receipts
from reproduce._press.answers.golden import Golden

UP_TO_DATE, EARLIER, CHANGED, MISSING = (
    "up to date",
    "made by earlier code",
    "settings have changed",
    "missing",
)
SHOWN = 3  # columns that moved, in a sentence


@dataclass(frozen=True)
class Freshness:
    state: str  # one of the four
    detail: str
    parts: str = ""  # "2 of 3 parts" where some are missing


def freshness(question: str, scale: str, root: Path, home: str = "figures") -> Freshness:
    found = receipts.of(root / home / question / scale)
    if not found:
        return Freshness(MISSING, f"no answer of {question} at scale {scale}")
    parts = {part for receipt in found for part in receipt["parts"]}
    count = len(parts & {receipt["part"] for receipt in found})
    some = f"{count} of {len(parts)} parts" if count < len(parts) else ""
    state, detail = _state(found, question, scale, root, home)
    return Freshness(state, detail + (f"; there are {some}" if some else ""), some)


def _state(found: list[dict[str, Any]], question: str, scale: str, root: Path, home: str) -> tuple[str, str]:
    if old := next((one for one in found if not {"settings", "golden"} <= one.keys()), None):
        return EARLIER, f"its receipt is of an older form; make it again: {old['command']}"
    try:
        today = of(question, root)
    except UserError as error:
        return EARLIER, f"nobody can compare: {error}"
    if why := outdated(found, today.settings.get(scale), root, home):
        return CHANGED, why
    if columns := earlier(found, today):
        more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
        return EARLIER, f"golden numbers have moved since: {'; '.join(columns[:SHOWN])}{more}"
    return UP_TO_DATE, "settings, inputs and golden numbers are those of the day when it was made"


def of(question: str, root: Path) -> Golden:
    """The golden numbers of today; none where nobody has kept any. A damaged file is told with the way out."""
    path = root / "figures" / question / golden.FILE
    try:
        return golden.read(path) or Golden({})
    except ValueError as error:
        name = path.relative_to(root)
        raise UserError(
            f"{name} {error}: take it back with `git checkout -- {name}`, or remove it and measure it: "
            f"python -m reproduce smoke {question} --keep"
        ) from None


def outdated(parts: list[dict[str, Any]], settings: str | None, root: Path, home: str) -> str | None:
    """Why these parts of an answer would be asked something else today, or rest on something else."""
    if settings and {part["settings"] for part in parts} != {settings}:
        return "the settings, or the networks that they name, are not those of today"
    if name := inputs.replaced(parts, root, home):
        return f"it rests on another version of {name} than the one that lies here"
    return None


def earlier(parts: list[dict[str, Any]], today: Golden) -> list[str]:
    """Which golden numbers have moved since these parts were measured, by the tolerances of today."""
    found: list[str] = []
    for texts in dict.fromkeys(tuple(part["golden"]) for part in parts):
        lines = golden.lines_of(list(texts))
        tolerances = {name: today.lines[name]["tolerance"] for name in lines.keys() & today.lines.keys()}
        lines = {name: golden.under(line, tolerances.get(name, "")) for name, line in lines.items()}
        found += golden.moved(lines, today.lines)
    return list(dict.fromkeys(found))
