"""What the paper claims, where, and which claims of ours test it. They are data in reproduce/printed/paper_claims.csv.

`ours` names the tests, "who tests it: question/claim; …", and is empty where nothing of ours does.
"""

from __future__ import annotations

import csv
import html
from dataclasses import dataclass
from pathlib import Path

from reproduce._press import claim_text
from reproduce._site import blocks, verdicts
from reproduce._site.pages import PageError

OWN_TABLE = "its own table"  # the paper is held against itself: nothing was run, so there is no scale
COLUMNS = ["claim", "section", "printed", "ours"]
HEADER = ["The paper claims", "Section", "Printed", "Holds if", "Ours", "Verdict", "Tested by"]
NOT_TESTED = '<span class="cc-verdict cc-not-tested" title="nothing of ours tests it yet">not tested</span>'


@dataclass(frozen=True)
class PaperClaim:
    claim: str
    section: str
    printed: str
    tests: list[tuple[str, str]]  # (who tests it, "question/claim")


@dataclass(frozen=True)
class Test:
    by: str
    claim: claim_text.Claim
    scale: str
    link: str

    def cells(self) -> list[str]:
        value, words = claim_text.value(self.claim), html.escape(claim_text.sentence(self.claim))
        value = f'<a href="{self.link}" title="{words}">{value}</a>' if self.link and value != "–" else value
        scale = "" if self.by == OWN_TABLE else f" ({self.scale})"
        condition = html.escape(claim_text.holds_if(self.claim))
        return [
            condition,
            value.replace(" [", "<br>["),
            verdicts.badge(self.claim),
            html.escape(self.by + scale),
        ]


def read(root: Path) -> list[PaperClaim]:
    path = root / "reproduce" / "printed" / "paper_claims.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [PaperClaim(r["claim"], r["section"], r["printed"], tests(r["ours"])) for r in rows]


def tests(ours: str) -> list[tuple[str, str]]:
    found = []
    for test in filter(None, (piece.strip() for piece in ours.split(";"))):
        by, colon, name = test.rpartition(": ")
        if not (by and colon and "/" in name):
            raise PageError(
                f"reproduce/printed/paper_claims.csv: {test!r} should read 'who tests it: question/claim'."
            )
        found.append((by, name))
    return found


def table(rows: list[tuple[PaperClaim, list[Test]]], explained: str = "") -> str:
    """A claim that several of ours test spans their rows."""
    body = ""
    for row, tested in rows:
        lines = [test.cells() for test in tested] or [["–", "–", NOT_TESTED, "–"]]
        span = f' rowspan="{len(lines)}"' if len(lines) > 1 else ""
        first = f'<th scope="row"{span}>{blocks.cell(row.claim)}</th>'
        first += f"<td{span}>{blocks.cell(row.section)}</td>"
        first += f"<td{span}>{blocks.cell(row.printed)}</td>"
        for condition, value, badge, by in lines:
            body += f"<tr>{first}<td>{condition}</td>"
            body += f'<td class="cc-interval">{value}</td><td>{badge}</td><td>{by}</td></tr>'
            first = ""
    return verdicts.html_table(HEADER, body, "Claims of the paper", "cc-claims cc-paper", explained)
