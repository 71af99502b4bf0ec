"""Golden numbers: what a question measures at smoke scale, a line a column, one plain text for all machines.

figures/<question>/golden.csv. A line of floats has count, finite, mean, ordered mean (each value weighted by its row, so
that a column in another order is noticed), min, median, max and rms to six digits; one of texts or integers has a digest.
Two lines agree where count, finite and digest do, and no number moved by more than SHARE · rms + FLOOR. The tolerance
that a question declares stands in its line: another share, or `chaotic`, of which count and finite alone are compared.
Standard library only.

The head, lines that begin with #, is not compared. It holds the number of lines, the hash of each scale's settings, the
versions of the libraries and, where the tests cannot measure the question, when it was last measured.
"""

import csv
import io
import math
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from presswork.answers.receipts import digest

FILE, FORMAT = "golden.csv", 1
NUMBERS = ("mean", "ordered_mean", "min", "median", "max")
FIELDS = ("column", "tolerance", "count", "finite", *NUMBERS, "rms", "digest")
SHARE, FLOOR = 1e-3, 1e-6
CHAOTIC = "chaotic"

Line = dict[str, str]  # by FIELDS
Columns = dict[str, list[str]]  # "table.column": its values, from the top down


@dataclass(frozen=True)
class Golden:
    lines: dict[str, Line]  # by column
    settings: dict[str, str] = field(default_factory=dict)  # by scale
    versions: str = ""
    unmeasured: str = ""  # why the tests do not measure this question, and the commit of the last measurement


def line_of(column: str, values: list[str], tolerance: str = "") -> Line:
    """The line of a column of cells as they stand in a CSV."""
    column_numbers = numbers(values)
    blank = dict.fromkeys(FIELDS, "") | {"column": column, "tolerance": tolerance, "count": str(len(values))}
    whole = all(not value or value.removeprefix("-").isdigit() for value in values)
    if column_numbers is None or (not tolerance and whole):
        return blank | {"digest": "" if tolerance == CHAOTIC else digest(*values)}
    finite = {place: value for place, value in enumerate(column_numbers, 1) if math.isfinite(value)}
    blank |= {"finite": str(len(finite))}
    return blank | ({} if tolerance == CHAOTIC or not finite else _summary(finite))


def _summary(finite: dict[int, float]) -> Line:
    """Of the finite values, each by its row."""
    values = list(finite.values())
    told = {
        "mean": statistics.fmean(values),
        "ordered_mean": sum(place * value for place, value in finite.items()) / sum(finite),
        "min": min(values),
        "median": statistics.median(values),
        "max": max(values),
        "rms": math.sqrt(statistics.fmean(value * value for value in values)),
    }
    return {name: f"{value:.6g}" for name, value in told.items()}


def numbers(values: list[str]) -> list[float] | None:
    """A column as numbers, an empty cell as NaN; None where there are words."""
    try:
        return [float(value) if value else math.nan for value in values]
    except ValueError:
        return None


def moved(golden: dict[str, Line], today: dict[str, Line]) -> list[str]:
    """A sentence for each column that is out of tolerance, new or gone: "rows.coverage: mean 0.914 → 0.906"."""
    sentences = [f"{name}: is gone" for name in golden if name not in today]
    for name, line in today.items():
        if words := differ(golden[name], line) if name in golden else "is new":
            sentences.append(f"{name}: {words}")
    return sentences


def differ(golden: Line, today: Line) -> str:
    """The first number of one column that moved; empty where all are within tolerance."""
    for name in ("tolerance", "count", "finite"):
        if golden[name] != today[name]:
            return f"{name} {golden[name] or 'none'} → {today[name] or 'none'}"
    if golden["digest"] != today["digest"]:
        return "other texts or integers"
    share = float(golden["tolerance"]) if golden["tolerance"] not in ("", CHAOTIC) else SHARE
    allowed = share * float(golden["rms"] or 0) + FLOOR
    far = (name for name in NUMBERS if _distance(golden[name], today[name]) > allowed)
    return next((f"{name} {golden[name]} → {today[name]}" for name in far), "")


def under(line: Line, tolerance: str) -> Line:
    """A line as it would be with this tolerance."""
    blank = dict.fromkeys((*NUMBERS, "rms", "digest"), "") if tolerance == CHAOTIC else {}
    return line | {"tolerance": tolerance} | blank


def _distance(a: str, b: str) -> float:
    if a == b:
        return 0.0
    return abs(float(a) - float(b)) if a and b else math.inf


def kept(golden: Golden, today: Golden) -> Golden:
    """What to commit: golden lines that still agree, today's for the others; today's versions if any line is new."""
    old = golden.lines
    agree = {name: name in old and not differ(old[name], line) for name, line in today.lines.items()}
    lines = {name: old[name] if agree[name] else line for name, line in today.lines.items()}
    same = lines == old
    return Golden(lines, today.settings, golden.versions if same else today.versions, today.unmeasured)


def write(question: str, golden: Golden) -> bytes:
    settings = ", ".join(f"{scale} {key}" for scale, key in golden.settings.items())
    head = [f"golden numbers of {question} at smoke scale: {len(golden.lines)} lines"]
    head += [f"format: {FORMAT}", f"settings: {settings}", f"made with: {golden.versions}"]
    head += [f"not measured by the tests: {golden.unmeasured}"] if golden.unmeasured else []
    lines = [*(f"# {line}" for line in head), ",".join(FIELDS), *texts(golden.lines)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def read(path: Path) -> Golden | None:
    """The content of a file, None where there is none. Raises ValueError with what is wrong with it."""
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    head = [line for line in text.splitlines() if line.startswith("# ")]
    body = [line for line in text.splitlines() if not line.startswith("#")]
    count = re.search(r"smoke scale: (\d+) lines$", head[0]) if head else None
    if count is None or body[:1] != [",".join(FIELDS)] or not text.endswith("\n"):
        raise ValueError("is cut off or no file of golden numbers")
    lines = lines_of(body[1:])
    if len(lines) != int(count[1]):
        raise ValueError(f"has {len(lines)} of its {count[1]} lines")
    facts = dict(line.removeprefix("# ").split(": ", 1) for line in head)
    if (form := facts.get("format", str(FORMAT))) != str(FORMAT):
        raise ValueError(f"has format {form}, and this code reads {FORMAT}")
    settings = dict(pair.split(" ", 1) for pair in facts.get("settings", "").split(", ") if " " in pair)
    return Golden(lines, settings, facts.get("made with", ""), facts.get("not measured by the tests", ""))


def texts(lines: dict[str, Line]) -> list[str]:
    """Lines as they stand in the file, and in receipts."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([line[name] for name in FIELDS] for line in lines.values())
    return out.getvalue().splitlines()


def lines_of(body: list[str]) -> dict[str, Line]:
    """Raises ValueError where a line has other fields, or a column two lines."""
    lines: dict[str, Line] = {}
    for row in csv.reader(body):
        if len(row) != len(FIELDS):
            raise ValueError(f"has a line of {len(row)} fields instead of {len(FIELDS)}: {','.join(row)!r}")
        if unread := [value for value in row[2:-1] if value and numbers([value]) is None]:
            raise ValueError(f"has {unread[0]!r} in the line of {row[0]}, where a number should be")
        if row[0] in lines:
            raise ValueError(f"has two lines for {row[0]}")
        lines[row[0]] = dict(zip(FIELDS, row, strict=True))
    return lines
