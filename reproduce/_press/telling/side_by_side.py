"""Ledgers of several reproductions: a line each, then the claims whose answer turned anywhere."""

from typing import Any, NamedTuple

from reproduce._press import claim_text
from reproduce._press.answers.ledger_file import Ledger
from reproduce._press.claim_text import Claim

HEADER = ["Date", "Machine", "Versions", "Measuring", "Claims tested", "Same answer", "Opposite answer"]


class Turned(NamedTuple):
    name: str
    published: str
    where: list[str]  # what was found, and on which machine
    often: str


def line(ledger: Ledger) -> list[str]:
    """The cells of HEADER. An answer that is unclear on one side alone is neither the same nor opposite."""
    claims = ledger["claims"].values()
    same = sum(claim["here"]["answer"] == claim["published"]["answer"] for claim in claims)
    opposite = sum(claim["differs"] for claim in claims)
    names = {"python": "Python", "torch": "PyTorch", "numpy": "NumPy", "curvecast": "curvecast"}
    versions = ", ".join(f"{name} {ledger['versions'][key]}" for key, name in names.items())
    minutes = f"{ledger['seconds'] / 60:.0f} min, {ledger['scale']}"
    counts = map(str, (len(claims), same, opposite))
    return [
        ledger["date"],
        machine(ledger),
        f"{versions} at {ledger['versions']['commit']}",
        minutes,
        *counts,
    ]


def machine(ledger: Ledger) -> str:
    of = ledger["hardware"]
    gpu = "no GPU" if of["gpu"] == "none" else of["gpu"]
    return f"{of['processor']}, {of['cores']} cores, {of['memory_gb']} GB, {gpu}, {ledger['system']}"


def turned(ledgers: list[Ledger], known: dict[str, Claim]) -> list[Turned]:
    """What is answered yes where it is published and no elsewhere, or the other way round; the most frequent first."""
    rows = []
    for name, asked in known.items():
        tested = [(ledger, ledger["claims"][name]) for ledger in ledgers if name in ledger["claims"]]
        if others := [(ledger, claim) for ledger, claim in tested if claim["differs"]]:
            where = [
                f"{_said(asked, claim['here'])} on {machine(ledger)} ({ledger['date']})"
                for ledger, claim in others
            ]
            published = " or ".join(dict.fromkeys(_said(asked, claim["published"]) for _, claim in others))
            rows.append((len(others), Turned(name, published, where, f"{len(others)} of {len(tested)}")))
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]


def _said(asked: Claim, found: dict[str, Any]) -> str:
    return f"{found['answer']}, {claim_text.value(asked | found)}"


def show(ledgers: list[Ledger], known: dict[str, Claim]) -> str:
    lines = [HEADER, *map(line, ledgers)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in lines
    ]
    for name, published, where, often in turned(ledgers, known):
        needed = claim_text.needed(known[name])
        text += [
            "",
            f"{name} turned in {often}: published {published}; needed {needed}",
            *(f"  {place}" for place in where),
        ]
    return "\n".join(text)
