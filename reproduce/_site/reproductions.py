"""What others found who made the blog again: the ledgers that lie in ledger/, as tables."""

from collections.abc import Callable

from reproduce._press import claim_text
from reproduce._press.answers.ledger_file import Ledger
from reproduce._press.claim_text import Claim
from reproduce._press.telling.side_by_side import HEADER, line, turned
from reproduce._site import blocks, verdicts

TURNED = ["Question that turned", "Published", "Elsewhere", "How often"]


def tables(ledgers: list[Ledger], known: dict[str, Claim], link: Callable[[str], str]) -> str:
    """`link(question)` leads to where it is shown. Whatever a ledger says is shown as text."""
    body = "".join(_row(HEADER, [blocks.cell(text) for text in line(ledger)]) for ledger in ledgers)
    turns = ""
    for name, (published, where, often) in turned(ledgers, known).items():
        asked = (
            f'<a href="{link(name.partition("/")[0])}">{blocks.cell(claim_text.question(known[name]))}</a>'
        )
        turns += _row(TURNED, [asked, blocks.cell(published), "<br>".join(map(blocks.cell, where)), often])
    below = verdicts.html_table(TURNED, turns, "Claims that turned", "cc-claims cc-paper")
    return verdicts.html_table(HEADER, body, "Reproductions", "cc-claims cc-paper") + below * bool(turns)


def _row(header: list[str], cells: list[str]) -> str:
    rest = "".join(map(verdicts.labelled, header[1:], cells[1:]))
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'
