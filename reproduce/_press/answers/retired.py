"""Claims that are no longer asked, with their last answer: reproduce/printed/retired.csv. Standard library only."""

import csv
import io
from pathlib import Path
from typing import Any

PLACE = Path("reproduce", "printed", "retired.csv")
COLUMNS = ("claim", "date", "answer", "value", "low", "high", "unit", "asks", "why")


def rows(root: Path) -> list[dict[str, str]]:
    """In the order of their names."""
    path = root / PLACE
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: row["claim"])


def names(root: Path) -> set[str]:
    return {row["claim"] for row in rows(root)}


def row(question: str, claim: dict[str, Any], day: str, why: str) -> dict[str, str]:
    """`claim`: as it stands in claims.json, published for the last time."""
    numbers = {end: "" if claim.get(end) is None else f"{claim[end]:.6g}" for end in ("value", "low", "high")}
    texts = {key: str(claim.get(key) or "") for key in ("answer", "unit", "asks")}
    return {"claim": f"{question}/{claim['name']}", "date": day, "why": why} | texts | numbers


def with_more(root: Path, more: list[dict[str, str]]) -> bytes:
    """The file with these rows besides those that are there."""
    known = names(root)
    every = rows(root) + [one for one in more if one["claim"] not in known]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(every, key=lambda one: one["claim"]))
    return text.getvalue().encode()
