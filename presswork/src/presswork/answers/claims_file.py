"""What an answer says beside its rows, a line a claim and a line an estimate. Standard library only.

    claims.json      {"format": 1, "claims": [
                     {"name": "fair", "asks": "Is …?", "needs": {"at_least": 0.48}, "value": 0.5, …, "answer": "yes"}, …]}
    estimates.json   {"format": 1, "estimates": [
                     [["ll", "3x128", 10], 1.7, 1.69, 1.71, [["curves", 10000]]], …]}

The key of an estimate is a list of texts, numbers and truth values; a page asks for it as `val('accuracy/ll', '3x128', 10)`.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import astuple, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from presswork.ground.blog import BLOG
from presswork.ground.files import read_text

FILE, ESTIMATES, FORMAT = "claims.json", "estimates.json", 1


def as_bytes(claims: list[dict[str, Any]]) -> bytes:
    return _written("claims", [json.dumps(claim, ensure_ascii=False, allow_nan=False) for claim in claims])


def read(data: bytes) -> list[dict[str, Any]]:
    """ValueError where the file is damaged, or of another format."""
    return _lines("claims", data)


def by_name(data: bytes) -> dict[str, dict[str, Any]]:
    return {claim["name"]: claim for claim in read(data)}


def _written(what: str, lines: list[str]) -> bytes:
    return (f'{{"format": {FORMAT}, "{what}": [\n' + ",\n".join(lines) + "\n]}\n").encode()


def _lines(what: str, data: bytes) -> list[Any]:
    content = json.loads(data)
    form = content.get("format") if isinstance(content, dict) else None
    if form != FORMAT:
        raise ValueError(f"it has format {form!r}, and this code reads {FORMAT}")
    return list(content[what])


class Estimate(NamedTuple):
    value: float
    low: float
    high: float
    over: list[list[Any]]


def estimates_as_bytes(found: dict[Any, Any]) -> bytes:
    """In the order in which the question found them; six digits, as rows have."""
    told = (([*_flat(key)], *(float(f"{x:.6g}") for x in one), one.over) for key, one in found.items())
    return _written("estimates", [json.dumps(line) for line in told])


def _flat(key: Any) -> Iterator[Any]:
    """Tuples and settings within a key are laid out in its list."""
    if isinstance(key, tuple) or is_dataclass(key):
        for one in key if isinstance(key, tuple) else astuple(key):  # type: ignore[arg-type]  # of an instance
            yield from _flat(one)
    else:
        one = key.item() if hasattr(key, "item") else key  # of numpy
        yield one if isinstance(one, str | bool | int | float) else str(one)


def by_key(data: bytes) -> dict[tuple[str, ...], Estimate]:
    return {tuple(map(str, key)): Estimate(*numbers) for key, *numbers in _lines("estimates", data)}


def same_estimates(one: bytes, other: bytes) -> bool:
    """The same keys and units, and numbers but for rounding errors, which another processor makes elsewhere."""
    a, b = by_key(one), by_key(other)
    if a.keys() != b.keys():
        return False
    return all(a[key].over == b[key].over and all(map(_close, a[key][:3], b[key][:3])) for key in a)


def _close(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=1e-4, abs_tol=1e-9) or (math.isnan(x) and math.isnan(y))


# -------------------------------------------------------------------------------------------------- marks in sentences

MARK = re.compile(r"(?:^|\{\{-?|[(,])\s*shows\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"]([^'\"]+)['\"]")


class Mark(NamedTuple):
    page: str  # docs/new-data.md
    line: int
    claim: str  # question/claim
    answer: str  # for which the sentence was written

    def contradicts(self, published: str) -> str:
        said = f"line {self.line}: this sentence was written for the answer {self.answer!r} to {self.claim}"
        way_out = "Rewrite the sentence, then change its mark."
        return f"{said}, and the published answer is {published!r}. {way_out}"


def marks(docs: Path) -> Iterator[Mark]:
    for path in sorted(docs.rglob("*.md")):
        for number, line in enumerate(read_text(path).splitlines(), 1):
            for claim, answer in MARK.findall(line):
                yield Mark(f"docs/{path.relative_to(docs).as_posix()}", number, claim, answer)


# ------------------------------------------------------------------------------------------------------ retired claims

RETIRED = Path(BLOG.printed, "retired.csv")
RETIRED_COLUMNS = ("claim", "date", "answer", "value", "low", "high", "unit", "asks", "why")


def retired(root: Path) -> list[dict[str, str]]:
    """In the order of their names."""
    path = root / RETIRED
    return sorted(lines_of(path), key=lambda row: row["claim"]) if path.is_file() else []


def lines_of(path: Path) -> list[dict[str, str]]:
    """A table of what is printed elsewhere, or was once found here, by its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def retired_names(root: Path) -> set[str]:
    return {row["claim"] for row in retired(root)}


def retired_row(question: str, claim: dict[str, Any], day: str, why: str) -> dict[str, str]:
    """`claim`: as it stands in claims.json, published for the last time."""
    numbers = {end: "" if claim.get(end) is None else f"{claim[end]:.6g}" for end in ("value", "low", "high")}
    texts = {key: str(claim.get(key) or "") for key in ("answer", "unit", "asks")}
    return {"claim": f"{question}/{claim['name']}", "date": day, "why": why} | texts | numbers


def with_retired(root: Path, more: list[dict[str, str]]) -> bytes:
    """The file with these rows besides those that are there."""
    known = retired_names(root)
    every = retired(root) + [one for one in more if one["claim"] not in known]
    text = io.StringIO()
    writer = csv.DictWriter(text, RETIRED_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(every, key=lambda one: one["claim"]))
    return text.getvalue().encode()
