"""Reading answers: what is published, what was made here, and which of the two a page shows.

An answer is one folder `<question>/<scale>/`: the published one below figures/, the one made on this machine
below runs/here. Where they differ a page shows both.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from presswork import questions
from presswork.answers import claims_file, freshness
from presswork.answers.claims_file import Estimate
from presswork.answers.freshness import Freshness
from presswork.answers.packed import SUFFIX, plain_name, unpacked
from presswork.answers.receipts import RECEIPTS, apart
from presswork.ground.blog import BLOG, HOMES
from presswork.ground.errors import UserError, known

NOT_HERE = "not measured here"  # what a page shows for a cell that an answer made here lacks


@dataclass(frozen=True)
class Answer:
    """The files of one question at one scale: published, or made here."""

    question: str
    scale: str
    origin: str  # one of HOMES
    root: Path

    @property
    def where(self) -> str:
        return f"{HOMES[self.origin]}/{self.question}/{self.scale}"

    @property
    def folder(self) -> Path:
        return self.root / self.where

    @property
    def command(self) -> str:
        return f"{BLOG.command} run {self.question} --scale {self.scale}"

    @cached_property
    def files(self) -> dict[str, str]:
        """{name: the file that holds it}; rows may be compressed."""
        files = sorted(p.name for p in self.folder.iterdir() if p.is_file() and not p.name.startswith("."))
        return {plain_name(file): file for file in files}

    def read(self, name: str) -> bytes:
        """A file, and rows as CSV."""
        if name not in self.files:
            holds = ", ".join(own for own in self.files if own != RECEIPTS) or "nothing"
            way_out = f"it holds {holds}. Mend the name on the page, or run: {self.command}"
            raise UserError(f"{self.where}/ has no {name}; {way_out}")
        data = (self.folder / self.files[name]).read_bytes()
        try:
            return unpacked(data) if self.files[name].endswith(f".csv{SUFFIX}") else data
        except ValueError as error:
            raise self.damaged(name, str(error)) from None

    def damaged(self, name: str, problem: str) -> UserError:
        file = f"{self.where}/{self.files[name]}"
        back = f"take it back with `git checkout -- {file}`, or make it again: {self.command}"
        return UserError(f"{file} {problem}: {back}")

    def _parsed(self, name: str, parse: Callable[[bytes], Any], empty: Any) -> Any:
        try:
            return parse(self.read(name)) if name in self.files else empty
        except (ValueError, TypeError, KeyError) as error:
            raise self.damaged(name, f"cannot be read ({error})") from None

    @cached_property
    def receipts(self) -> list[dict[str, Any]]:
        return self._parsed(RECEIPTS, apart, [])

    @cached_property
    def claims(self) -> dict[str, dict[str, Any]]:
        return self._parsed(claims_file.FILE, claims_file.by_name, {})

    @cached_property
    def estimates(self) -> dict[tuple[str, ...], Estimate]:
        return self._parsed(claims_file.ESTIMATES, claims_file.by_key, {})

    def claim(self, name: str) -> dict[str, Any]:
        return self.claims[known(f"claim of {self.question} at {self.scale} scale called", name, self.claims)]

    def estimate(self, *key: object) -> Estimate:
        """By its key, of which numbers may be given as texts."""
        by_name = {" | ".join(own): found for own, found in self.estimates.items()}
        return by_name[known(f"estimate in {self.where} called", " | ".join(map(str, key)), by_name)]

    def number(self, what: str, *key: object) -> Estimate | str:
        """An estimate by its key, else a cell of a table by row and column; an answer made here may lack it."""
        here = self.origin == "here"
        if (what, *map(str, key)) not in self.estimates:
            if len(key) == 2 and f"{what}.table.csv" in self.files:
                return self.table(what).cell(str(key[0]), str(key[1]), here)
            if here:
                return NOT_HERE
        return self.estimate(what, *key)

    def table(self, name: str) -> Table:
        rows = list(csv.reader(io.StringIO(self.read(f"{name}.table.csv").decode("utf-8"))))
        return Table(f"{self.question}/{name}", rows[0], rows[1:])

    def measured(self) -> dict[str, dict[str, str]]:
        """Tables of measured rows: {table: {part: file}}; a table in one piece has the part ""."""
        tables: dict[str, dict[str, str]] = {}
        for name in self.files:
            if name.endswith(".csv") and not name.endswith(".table.csv"):
                table, _, part = name.removesuffix(".csv").partition(".")
                tables.setdefault(table, {})[part] = name
        return tables

    def rows(self, table: str) -> bytes:
        """A table of measured rows in one piece: all parts below one another."""
        pieces = {part: self.read(file) for part, file in self.measured()[table].items()}
        return pieces[""] if "" in pieces else joined(tuple(pieces.items()))

    @cached_property
    def size(self) -> str:
        """The scale in a reader's words: the costly one without a GPU is a long run."""
        if self.scale == BLOG.costly and not any((r.get("hardware") or {}).get("gpu") for r in self.receipts):
            return "long run, CPU"
        return self.scale

    @cached_property
    def freshness(self) -> Freshness:
        """Computed once, however many figures a page shows of it."""
        return freshness.freshness(self.question, self.scale, self.root, home=HOMES[self.origin])


@dataclass(frozen=True)
class Table:
    """A table of formatted cells. The first column labels the rows."""

    name: str
    header: list[str]
    rows: list[list[str]]

    def cell(self, row: str, column: str, here: bool = False) -> str:
        """A cell; an answer made here may lack it, while what is published must have what a page names."""
        labels = [r[0] for r in self.rows]
        if here and (row not in labels or column not in self.header):
            return NOT_HERE
        known(f"row of table {self.name} called", row, labels)
        return self.rows[labels.index(row)][self.column(column)]

    def column(self, name: str) -> int:
        return self.header.index(known(f"column of table {self.name} called", name, self.header))


class Answers:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.seen: dict[str, list[Answer]] = {}

    def of(self, question: str) -> list[Answer]:
        """What a page shows for a question: the published answer, then the one made here if it differs."""
        if not self.find(question):
            there = sorted(path.name for path in (self.root / "figures").glob("*") if path.is_dir())
            near = difflib.get_close_matches(question, there, n=1)
            way_out = f"there is no such question: {BLOG.command} list names all"
            if near or questions.file_of(question, self.root).is_file():
                way_out = f"did you mean {near[0]!r}?" if near else f"make it: {BLOG.command} run {question}"
            missing = f"There is no answer in figures/{question}/ at {' or '.join(BLOG.best_first)} scale"
            raise UserError(f"{missing}; {way_out}")
        return self.find(question)

    def find(self, question: str) -> list[Answer]:
        if question not in self.seen:
            best = list[Answer]()
            for origin in ("published", "here"):
                answers = (Answer(question, scale, origin, self.root) for scale in BLOG.best_first)
                best += [answer for answer in answers if (answer.folder / RECEIPTS).is_file()][:1]
            self.seen[question] = best if len(best) < 2 or differs(*best) else best[:1]
        return self.seen[question]


def differs(a: Answer, b: Answer) -> bool:
    """True if two answers hold different results; receipts and compression may differ."""
    if a.scale != b.scale or set(a.files) != set(b.files):
        return True
    return any(a.read(name) != b.read(name) for name in a.files if name != RECEIPTS)


@cache  # `mkdocs serve` asks again after every saved page
def joined(pieces: tuple[tuple[str, bytes], ...]) -> bytes:
    """The rows of all parts in one table, with a column that names the part; missing cells stay empty."""
    heads = {data.partition(b"\n")[0] for _, data in pieces}
    if len(heads) == 1 and all(plain(part, data) for part, data in pieces):  # nearly always, and much faster
        marked = (data.replace(b"\n", f"\n{part},".encode(), data.count(b"\n") - 1) for part, data in pieces)
        return b"part," + heads.pop() + b"\n" + b"".join(text.partition(b"\n")[2] for text in marked)
    tables = {part: list(csv.DictReader(io.StringIO(data.decode("utf-8")))) for part, data in pieces}
    columns = dict.fromkeys(column for rows in tables.values() for row in rows[:1] for column in row)
    out = io.StringIO()
    writer = csv.DictWriter(out, ["part", *columns], lineterminator="\n")
    writer.writeheader()
    for part, rows in tables.items():
        writer.writerows({"part": part} | row for row in rows)
    return out.getvalue().encode("utf-8")


def plain(part: str, data: bytes) -> bool:
    """Whether each line of a table is a row, and none has to be quoted."""
    rows = data.endswith(b"\n") and data.count(b"\n") > 1
    quoted = any(mark in data for mark in (b'"', b"\r", b"\n\n")) or re.search(r'[",\s]', part)
    return rows and not quoted
