"""Do two versions of the code give the same numbers? Read from the smoke rows that both gave; standard library only.

figures/<question>/smoke.csv.xz holds takes: one run of the question at smoke scale by one version of the code. Long
rows (take, table, row, column, value); a take's own facts have no table: the content keys that this code had, the kind
of CPU, the commit, and which columns are stopwatches.

Numbers that are no counts may differ by a share of TOLERANCE, those near zero by FLOOR; counts and words must be equal.
"""

import csv
import io
import lzma
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from reproduce._press.answers.packed import MOST

FILE = "smoke.csv.xz"  # takes repeat one another, further apart than gzip looks back
COLUMNS = ["take", "table", "row", "column", "value"]
TOLERANCE, FLOOR = 1e-3, 1e-6
FACTS = ("keys", "cpu", "commit", "stopwatches")

Rows = dict[str, dict[str, list[str]]]  # table: column: the values, from the top down


@dataclass
class Take:
    """What one version of the code gave at smoke scale."""

    keys: set[str]
    cpu: str
    commit: str
    stopwatches: set[str]  # "table.column"
    rows: Rows = field(default_factory=dict)


@dataclass(frozen=True)
class Told:
    """What the badge says of an answer whose key is not the one of today."""

    state: str  # same numbers since | code changed
    detail: str
    rank: int  # the worst of several counts


def compared(folder: Path, before: str, today: str) -> Told:
    """The smoke rows of the code that made an answer against those of the code of today, on one kind of CPU."""
    try:
        takes = read(folder / FILE)
    except ValueError:
        return Told("code changed", f"the code changed since, and {FILE} beside it is damaged", 3)
    pairs = [(a, b) for a in takes if before in a.keys for b in takes if today in b.keys and a.cpu == b.cpu]
    if not pairs and today in same_as(before, takes):
        return Told(
            "same numbers since",
            "the code changed since; its numbers at smoke scale did not, step by step",
            1,
        )
    if not pairs:
        return Told("code changed", "the code changed since, and nobody has compared its smoke rows", 3)
    difference = max((differ(a, b) for a, b in pairs), key=lambda found: found[0])
    if difference[0] == 0:
        return Told("same numbers since", "the code changed since; its numbers at smoke scale did not", 1)
    return Told("code changed", f"the code changed since; at smoke scale {difference[1]}", 2)


def same_as(key: str, takes: list[Take]) -> set[str]:
    """The keys that give the same numbers as this one, by a chain of takes: each two neighbours ran on one kind of CPU."""
    found, more = set[str](), {key}
    while more - found:
        found |= more
        near = [one for one in takes if one.keys & found]
        alike = [b for a in near for b in takes if a.cpu == b.cpu and differ(a, b)[0] == 0]
        more = {key for one in near + alike for key in one.keys}
    return found


def bridges(takes: list[Take]) -> set[str]:
    """Keys of code that ran on several kinds of CPU: they lead from the takes of one to those of another."""
    counted = Counter(key for one in takes for key in one.keys)
    return {key for key, times in counted.items() if times > 1}


def differ(a: Take, b: Take) -> tuple[float, str]:
    """How far two takes are apart, and in words where most; 0 where they agree."""
    watches = a.stopwatches | b.stopwatches
    if amiss := _other_tables(a, b, watches):
        return math.inf, amiss
    worst, words = 0.0, ""
    for table, (_, columns) in shape(a, watches).items():
        for column in columns:
            far = column_differs(a.rows[table][column], b.rows[table][column])
            if far > worst:
                worst, words = far, f"{table}.{column} differs by {_amount(far)}"
    return worst, words


def _other_tables(a: Take, b: Take, watches: set[str]) -> str:
    """Which tables have other columns or another number of rows, and how many of the others are the same."""
    then, now = shape(a, watches), shape(b, watches)
    other = sorted(table for table in then.keys() | now.keys() if then.get(table) != now.get(table))
    if not other:
        return ""
    alike = [table for table in then if table not in other]
    same = [t for t in alike if all(not column_differs(a.rows[t][c], b.rows[t][c]) for c in then[t][1])]
    return (
        f"{', '.join(other)}: other columns or another number of rows; {len(same)} of the other {len(alike)} tables are "
        "the same"
    )


def other_machine(a: Take, b: Take) -> str:
    """What two takes on different kinds of CPU must have in common and have not, in words; "" where nothing is amiss."""
    watches = a.stopwatches | b.stopwatches
    if amiss := _other_tables(a, b, watches):
        return amiss
    for table, (_, columns) in shape(a, watches).items():
        for column in columns:
            if _finite(a.rows[table][column]) != _finite(b.rows[table][column]):
                return f"{table}.{column} is not finite in the same rows"
    return ""


def _finite(values: list[str]) -> list[bool]:
    found = numbers(values)
    return [math.isfinite(number) for number in found] if found else []


def merged(takes: list[Take]) -> list[Take]:
    """Takes of one kind of CPU whose rows are the same to the last digit become one, with all their keys and commits."""
    found: list[Take] = []
    for take in takes:
        for i, one in enumerate(found):
            if (one.cpu, one.stopwatches, one.rows) == (take.cpu, take.stopwatches, take.rows):
                commits = dict.fromkeys([*one.commit.split(), *take.commit.split()])
                found[i] = replace(one, keys=one.keys | take.keys, commit=" ".join(commits))
                break
        else:
            found.append(take)
    return found


def shape(take: Take, watches: Iterable[str] = ()) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Of each table the number of rows and the columns that are no stopwatches; a table without rows is none."""
    return {
        table: (
            max(map(len, columns.values())),
            tuple(sorted(c for c in columns if f"{table}.{c}" not in watches)),
        )
        for table, columns in take.rows.items()
        if any(columns.values())
    }


def column_differs(a: list[str], b: list[str]) -> float:
    """The largest difference of two numbers as a share of the larger; infinite for words and counts that are not equal."""
    if a == b:
        return 0.0
    x, y = numbers(a), numbers(b)
    if x is None or y is None or (counts(a) and counts(b)):
        return math.inf
    pairs = [(u, v) for u, v in zip(x, y, strict=True) if u != v and not (math.isnan(u) and math.isnan(v))]
    if not all(math.isfinite(u) and math.isfinite(v) for u, v in pairs):
        return math.inf
    pairs = [(u, v) for u, v in pairs if abs(u - v) > FLOOR]
    share = max((abs(u - v) / max(abs(u), abs(v)) for u, v in pairs), default=0.0)
    return share if share > TOLERANCE else 0.0


def numbers(values: list[str]) -> list[float] | None:
    """The column as numbers, an empty cell as NaN; None where there are words."""
    try:
        return [float(value) if value else math.nan for value in values]
    except ValueError:
        return None


def counts(values: list[str]) -> bool:
    return all(value.removeprefix("-").isdigit() for value in values if value)


def _amount(far: float) -> str:
    return "words or counts" if math.isinf(far) else f"{100 * far:.1f} %"


# ------------------------------------------------------------------------------------------------ the file


def read(path: Path) -> list[Take]:
    """The takes of a file; none where there is no file. Raises ValueError where it is cut off or changed."""
    if not path.is_file():
        return []
    text = _unpacked(path.read_bytes()).decode("utf-8")
    takes: dict[str, Take] = {}
    for number, table, _, column, value in list(csv.reader(io.StringIO(text)))[1:]:
        take = takes.setdefault(number, Take(set(), "", "", set()))
        if table:
            take.rows.setdefault(table, {}).setdefault(column, []).append(value)
        elif column in ("keys", "stopwatches"):
            setattr(take, column, set(value.split()))
        else:
            setattr(take, column, value)
    return list(takes.values())


def write(takes: list[Take]) -> bytes:
    """The file of these takes: the same bytes for the same takes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, take in enumerate(takes, 1):
        for fact in FACTS:
            value = getattr(take, fact)
            writer.writerow(
                [number, "", "", fact, " ".join(sorted(value)) if isinstance(value, set) else value]
            )
        for table, columns in take.rows.items():
            for column, values in columns.items():
                writer.writerows([number, table, row, column, value] for row, value in enumerate(values))
    return lzma.compress(out.getvalue().encode("utf-8"), preset=9)


def _unpacked(data: bytes) -> bytes:
    """Raises ValueError where the end is missing or something was changed."""
    reader = lzma.LZMADecompressor()
    try:
        plain = reader.decompress(data, MOST)
    except lzma.LZMAError as error:
        raise ValueError(f"cannot be unpacked ({error})") from None
    if not reader.eof:
        raise ValueError("cannot be unpacked (its end is missing)")
    return plain
