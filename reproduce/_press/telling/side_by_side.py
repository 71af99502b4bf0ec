"""Ledgers of several reproductions: a line each, then the claims whose answer turned anywhere."""

from reproduce._press import claim_text
from reproduce._press.answers.ledger_file import Ledger
from reproduce._press.claim_text import Claim

HEADER = ["Reproduction", "Versions", "Measuring", "Tested", "Same", "Opposite"]
NAMES = {"python": "Python", "torch": "PyTorch", "numpy": "NumPy", "curvecast": "curvecast"}


def line(ledger: Ledger) -> list[str]:
    """The cells of HEADER. An answer that is unclear on one side alone is neither the same nor opposite."""
    claims = ledger["claims"].values()
    same = sum(claim["here"]["answer"] == claim["published"]["answer"] for claim in claims)
    counts = [len(claims), same, sum(claim["differs"] for claim in claims)]
    versions = ", ".join(f"{name} {ledger['versions'][key]}" for key, name in NAMES.items())
    minutes = f"{ledger['seconds'] / 60:.0f} min, {ledger['scale']}"
    return [place(ledger), f"{versions} at {ledger['versions']['commit']}", minutes, *map(str, counts)]


def place(ledger: Ledger) -> str:
    of = ledger["hardware"]
    gpu = "no GPU" if of["gpu"] == "none" else of["gpu"]
    kind = f"{of['processor']}, {of['cores']} cores, {of['memory_gb']} GB, {gpu}, {ledger['system']}"
    return f"{ledger['date']}, {kind}"


def turned(ledgers: list[Ledger], known: dict[str, Claim]) -> dict[str, tuple[str, list[str], str]]:
    """{claim: (published, what was found elsewhere and where, how often)} of claims that turned, the most frequent first."""
    rows = {}
    for name, asked in known.items():
        tested = [(ledger, ledger["claims"][name]) for ledger in ledgers if name in ledger["claims"]]
        if others := [(ledger, claim) for ledger, claim in tested if claim["differs"]]:
            where = [f"{_said(asked, claim['here'])} ({place(of)})" for of, claim in others]
            published = " or ".join(dict.fromkeys(_said(asked, claim["published"]) for _, claim in others))
            rows[name] = published, where, f"{len(others)} of {len(tested)}"
    return dict(sorted(rows.items(), key=lambda row: -len(row[1][1])))


def _said(asked: Claim, found: Claim) -> str:
    return f"{found['answer']}, {claim_text.value(asked | found)}"


def show(ledgers: list[Ledger], known: dict[str, Claim]) -> str:
    rows = [HEADER, *map(line, ledgers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    for name, (published, where, often) in turned(ledgers, known).items():
        needed = claim_text.needed(known[name])
        text += [
            "",
            f"{name} turned in {often}: published {published}; needed {needed}",
            *(f"  {one}" for one in where),
        ]
    return "\n".join(text)
