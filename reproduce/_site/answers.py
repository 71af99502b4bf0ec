"""Reading answers: what is committed, what was made here, and which of the two a page shows.

An answer is one folder `figures/<question>/<scale>/`. The published answer is the one in the last commit.
When the working tree holds another one (after `make reproduce`), a page shows both; one class reads either.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reproduce._site.packed import SUFFIX, plain_name, unpacked
from reproduce._site.receipts import FILE as RECEIPTS
from reproduce._site.receipts import apart

SCALES = ("paper", "laptop")  # best first; smoke answers are never shown
BOOKKEEPING = (RECEIPTS, "published.json")  # files that may differ between two runs with the same result


class MissingAnswer(LookupError):
    """A page names something that no answer holds. The message says what, where and what to do."""


@dataclass(frozen=True)
class Answer:
    """The files of one question at one scale, from the working tree or from the last commit."""

    question: str
    scale: str
    origin: str  # "published" or "here"
    root: Path
    blobs: dict[str, str] | None = None  # file name -> git object, when the file is read from the last commit

    @property
    def folder(self) -> Path:
        return self.root / "figures" / self.question / self.scale

    @cached_property
    def files(self) -> dict[str, str]:
        """{name: the file that holds it}; rows may lie packed."""
        if self.blobs is not None:
            return {plain_name(file): file for file in sorted(self.blobs)}
        there = sorted(p.name for p in self.folder.iterdir() if p.is_file() and not p.name.startswith("."))
        return {plain_name(file): file for file in there}

    @property
    def names(self) -> list[str]:
        return list(self.files)

    def read(self, name: str) -> bytes:
        """A file, and rows as CSV."""
        data = self.stored(name)
        try:
            return unpacked(data) if self.files[name].endswith(f".csv{SUFFIX}") else data
        except ValueError as error:
            where = f"figures/{self.question}/{self.scale}/{self.files[name]}"
            raise MissingAnswer(
                f"{where} {error}: take it back with `git checkout -- {where}`, or make it again with: "
                f"python -m reproduce run {self.question} --scale {self.scale}"
            ) from None

    def stored(self, name: str) -> bytes:
        if name not in self.files:
            raise MissingAnswer(self.complaint(name))
        if self.blobs is not None:
            return git(self.root, "cat-file", "blob", self.blobs[self.files[name]])
        return (self.folder / self.files[name]).read_bytes()

    def complaint(self, name: str) -> str:
        known = ", ".join(n for n in self.names if n != RECEIPTS) or "nothing"
        return (
            f"figures/{self.question}/{self.scale}/ has no {name}; it holds {known}. "
            f"Mend the name on the page, or run: python -m reproduce run {self.question} --scale {self.scale}"
        )

    @cached_property
    def receipts(self) -> list[dict[str, Any]]:
        return apart(self.read(RECEIPTS)) if RECEIPTS in self.names else []

    @cached_property
    def claims(self) -> dict[str, dict[str, Any]]:
        if "claims.json" not in self.names:
            return {}
        return {c["name"]: c for c in json.loads(self.read("claims.json"))}

    @cached_property
    def published_claims(self) -> dict[str, dict[str, Any]]:
        """The claims as they were published, whatever has been measured since."""
        if "published.json" not in self.names:
            return {}
        stored = json.loads(self.read("published.json"))
        claims = stored.get("claims", []) if isinstance(stored, dict) else stored
        return claims if isinstance(claims, dict) else {c["name"]: c for c in claims}

    def table(self, name: str) -> Table:
        rows = list(csv.reader(io.StringIO(self.read(f"{name}.table.csv").decode("utf-8"))))
        return Table(f"{self.question}/{name}", rows[0], rows[1:])

    def measured(self) -> dict[str, dict[str, str]]:
        """Tables of measured rows: {table: {part: file}}; a table in one piece has the part ""."""
        tables: dict[str, dict[str, str]] = {}
        for name in self.names:
            if name.endswith(".csv") and not name.endswith(".table.csv"):
                table, _, part = name.removesuffix(".csv").partition(".")
                tables.setdefault(table, {})[part] = name
        return tables


@dataclass(frozen=True)
class Table:
    """A table of formatted cells. The first column labels the rows."""

    name: str
    header: list[str]
    rows: list[list[str]]

    def cell(self, row: str, column: str) -> str:
        labels = [r[0] for r in self.rows]
        if row not in labels:
            raise MissingAnswer(f"Table {self.name} has no row {row!r}; its rows are {', '.join(labels)}.")
        return self.rows[labels.index(row)][self.column(column)]

    def column(self, name: str) -> int:
        """The place of a column."""
        if name not in self.header:
            raise MissingAnswer(
                f"Table {self.name} has no column {name!r}; its columns are {', '.join(self.header)}."
            )
        return self.header.index(name)


class Answers:
    """All answers of one working tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.seen: dict[str, list[Answer]] = {}

    def of(self, question: str) -> list[Answer]:
        """What a page shows for a question: the published answer, then the one made here if it differs."""
        if question not in self.seen:
            self.seen[question] = self._find(question)
        if not self.seen[question]:
            raise MissingAnswer(
                f"There is no answer in figures/{question}/ at {' or '.join(SCALES)} scale. "
                f"Mend the name on the page, or run: python -m reproduce run {question}"
            )
        return self.seen[question]

    def _find(self, question: str) -> list[Answer]:
        disk = {s: Answer(question, s, "here", self.root) for s in SCALES if self._has_rows(question, s)}
        committed = {s: blobs for s in SCALES if (blobs := self.committed.get((question, s)))}
        found: list[Answer] = []
        if committed:
            scale = next(iter(committed))
            same = scale in disk and not differs(disk[scale], committed[scale])
            found.append(Answer(question, scale, "published", self.root, None if same else committed[scale]))
        made_here = [a for s, a in disk.items() if differs(a, committed.get(s, {}))]
        if self.committed or not disk:
            return found + made_here[:1]
        best = next(iter(disk.values()))  # no git, or nothing committed: what lies here is what there is
        return [Answer(question, best.scale, "published", self.root)]

    def _has_rows(self, question: str, scale: str) -> bool:
        return (self.root / "figures" / question / scale / RECEIPTS).is_file()

    @cached_property
    def committed(self) -> dict[tuple[str, str], dict[str, str]]:
        """{(question, scale): {file name: git object}} of the last commit; empty where there is no git."""
        tree: dict[tuple[str, str], dict[str, str]] = {}
        try:
            listing = git(self.root, "ls-tree", "-r", "HEAD", "figures").decode()
        except (OSError, subprocess.CalledProcessError):
            return tree
        for line in listing.splitlines():
            meta, path = line.split("\t")
            parts = path.split("/")
            if len(parts) == 4:
                tree.setdefault((parts[1], parts[2]), {})[parts[3]] = meta.split()[2]
        return tree


def differs(answer: Answer, blobs: dict[str, str]) -> bool:
    """True if the files on disk hold another result than the committed ones."""
    committed = Answer(answer.question, answer.scale, "published", answer.root, blobs)
    here, there = (set(a.names) - set(BOOKKEEPING) for a in (answer, committed))
    return here != there or any(_other(answer, committed, name) for name in here)


def _other(here: Answer, committed: Answer, name: str) -> bool:
    """Is a file another than the committed one? How well it is packed makes no difference."""
    assert committed.blobs is not None
    if blob_id(here.stored(name)) == committed.blobs[committed.files[name]]:
        return False
    packed = SUFFIX in (here.files[name][-3:], committed.files[name][-3:])
    return not packed or here.read(name) != committed.read(name)


def blob_id(data: bytes) -> str:
    """The name that git gives to a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def git(root: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout
