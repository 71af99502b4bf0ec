"""Numbers that papers print. They are data in reproduce/printed/printed.csv and keep the digits that were printed."""

import csv
from pathlib import Path

from reproduce._site.pages import PageError

COLUMNS = ["source", "section", "table", "method", "cutoff", "quantity", "value"]


def rows(path: Path) -> list[dict[str, str]]:
    """A table of reproduce/printed, by its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lookup(path: Path, method: str, cutoff: int | None, quantity: str) -> dict[str, str]:
    """The one printed number with this method, cutoff and quantity."""
    wanted = {"method": method, "cutoff": "" if cutoff is None else str(cutoff), "quantity": quantity}
    every = rows(path)
    matches = [row for row in every if row.items() >= wanted.items()]
    if len(matches) != 1:
        key = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        mine = (row for row in every if row["method"] == method)
        others = [f"{row['cutoff'] or 'no cutoff'}/{row['quantity']}" for row in mine]
        known = f"{method} has {', '.join(others)}" if others else "no row has this method"
        raise PageError(f"reproduce/printed/printed.csv has {len(matches)} rows with {key}; {known}.")
    return matches[0]
