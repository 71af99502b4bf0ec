"""What the paper claims, where, and which claims of ours test it. They are data in reproduce/printed/paper_claims.csv.

`ours` names the tests, "who tests it (what is measured): question/claim; …", and is empty where nothing of ours does.
A *stand-in* is what we have in place of theirs: curves of the prior for their tasks, a network of ours for one of theirs.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

from reproduce._press import claim_text
from reproduce._site import blocks, printed, verdicts
from reproduce._site.pages import PageError
from reproduce._site.verdicts import labelled

OWN_TABLE = "its own table"  # the paper is compared with itself: nothing was run, so there is no scale
STAND_IN = "stand-in"  # how its name begins; the answer is then not about the very thing that the paper means
COLUMNS = ["claim", "section", "printed", "ours"]
HEADER = ["The paper claims", "Section", "Printed", "Answer", "Ours", "Needed", "Tested by"]


@dataclass(frozen=True)
class PaperClaim:
    claim: str
    section: str
    printed: str
    tests: list[tuple[str, str, str]]  # (who tests it, what is measured, "question/claim")


@dataclass(frozen=True)
class Test:
    by: str
    measured: str
    claim: claim_text.Claim
    scale: str
    link: str

    def cells(self) -> list[str]:
        value, words = html.escape(claim_text.value(self.claim)), html.escape(claim_text.question(self.claim))
        value = f'<a href="{self.link}" title="{words}">{value}</a>' if self.link and value != "–" else value
        scale = "" if self.by == OWN_TABLE else f" ({self.scale})"
        return [
            verdicts.badge(self.claim),
            value.replace("\u00a0nats", " nats").replace(" [", " <br>["),
            html.escape(f"{self.measured} {claim_text.needed(self.claim)}"),
            html.escape(self.by + scale),
        ]


def read(root: Path) -> list[PaperClaim]:
    rows = printed.rows(root / "reproduce" / "printed" / "paper_claims.csv")
    return [PaperClaim(r["claim"], r["section"], r["printed"], tests(r["ours"])) for r in rows]


def tests(ours: str) -> list[tuple[str, str, str]]:
    triples = []
    for test in filter(None, (piece.strip() for piece in ours.split(";"))):
        if not (said := re.fullmatch(r"([^(]+) \(([^)]+)\): (\S+/\S+)", test)):
            raise PageError(
                f"reproduce/printed/paper_claims.csv: {test!r} should read "
                "'who tests it (what is measured): question/claim'."
            )
        triples.append((said[1], said[2], said[3]))
    return triples


def table(rows: list[tuple[PaperClaim, list[Test]]], explained: str = "") -> str:
    """A claim that several of ours test spans their rows."""
    body = ""
    for row, tested in rows:
        lines = [test.cells() for test in tested] or [[verdicts.NOT_TESTED, "–", "–", "–"]]
        span = f' rowspan="{len(lines)}"' if len(lines) > 1 else ""
        first = f'<th scope="row"{span}>{blocks.cell(row.claim)}</th>'
        first += f'<td{span} data-title="Section">{blocks.cell(row.section)}</td>'
        first += f'<td{span} data-title="Printed">{blocks.cell(row.printed)}</td>'
        for badge, value, needed, by in lines:
            body += f"<tr>{first}{labelled('Answer', badge)}{labelled('Ours', value, 'cc-interval')}"
            body += f"{labelled('Needed', needed)}{labelled('Tested by', by)}</tr>"
            first = ""
    return verdicts.html_table(HEADER, body, "Claims of the paper", "cc-claims cc-paper", explained)
