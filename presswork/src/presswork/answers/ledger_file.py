"""ledger.json: what one reproduction found, on what kind of machine. `blog` writes it; ledger/ holds those sent to us.

{"ledger": 1, "date": …, "claims": {"question/claim": {"here": …, "published": …, "differs": …}, …}, …, "checksum": …}

It names no person, folder or host. The checksum tells a damaged file; it does not tell who made it. `memory_mb`, the
peak of each question, is missing in the oldest ones.
"""

import json
import platform
import re
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from presswork import claim_text
from presswork.answers import claims_file, receipts
from presswork.answers.freshness import UP_TO_DATE, freshness
from presswork.claim import ENDLESS
from presswork.claim_text import Claim
from presswork.ground import machine
from presswork.ground.blog import BLOG
from presswork.ground.errors import demand, printable, reading

Ledger = dict[str, Any]
FOLDER = "ledger"  # of the repository
VERSION = 1
REFUSED = "is not a ledger", f"take the file as `{BLOG.whole}` wrote it"
LARGEST = 4_000_000  # bytes
LONGEST = 120  # letters of a text
NUMBERS = ("value", "low", "high")  # null where nothing was found
FOUND: dict[str, type] = dict.fromkeys(NUMBERS, float) | {"answer": str}
CLAIM = {"here": FOUND, "published": FOUND, "differs": bool}
KEYS: dict[str, Any] = {
    "ledger": int, "date": str, "scale": str, "seconds": int, "system": str, "checksum": str,
    "hardware": {"processor": str, "cores": int, "memory_gb": int, "gpu": str},
    "versions": dict.fromkeys(("python", *BLOG.ledger, "commit"), str),
}  # fmt: skip
FOREIGN = re.compile(r"\((R|TM)\)|\bCPU\b|@.*|\d+-Core Processor", re.IGNORECASE)  # in a processor's name


def made(rows: list[dict[str, Any]], folder: Path, scale: str, root: Path) -> Ledger:
    """Of the answers in this folder that are up to date; `rows` are their claims, beside those that are published."""
    asked = [row for row in rows if row["answer"] != "not tested" and row["published_answer"]]
    names = sorted({row["question"] for row in asked})
    current = [name for name in names if freshness(name, scale, root, str(folder)).state == UP_TO_DATE]
    asked = [row for row in asked if row["question"] in current]
    receipts_of = {name: receipts.of(folder / name / scale) for name in current}
    notes = [note for own in receipts_of.values() for note in own]
    way_out = BLOG.whole if any(row["published_answer"] for row in rows) else f"{BLOG.command} publish"
    demand(notes, f"{folder} answers no published claim at {scale} scale yet: {way_out}")
    hardware, versions = [note["hardware"] for note in notes], [note["versions"] for note in notes]
    commits = (f"{n['commit']:.12}{' with changes' * bool(n['dirty'])}" for n in notes if n["commit"])
    ledger = {
        "ledger": VERSION, "date": max(note["made"] for note in notes), "scale": scale,
        "seconds": round(sum(note["seconds"] for note in notes)), "system": platform.system(),
        "hardware": {
            "processor": _all(" ".join(FOREIGN.sub("", one["cpu"]).split()) for one in hardware),
            "cores": max(one["cores"] for one in hardware), "memory_gb": machine.memory_gb(),
            "gpu": _all((one["gpu"] for one in hardware), "none"),
        },
        "versions": {name: _version(name, versions) for name in ("python", *BLOG.ledger)} | {"commit": _all(commits)},
        "memory_mb": {
            name: max(known)
            for name, own in receipts_of.items()
            if (known := [note["memory_mb"] for note in own if "memory_mb" in note])  # older ones lack it
        },
        "claims": {f"{row['question']}/{row['name']}": _beside(row) for row in asked},
    }  # fmt: skip
    return ledger | {"checksum": checksum(ledger)}


def _beside(row: dict[str, Any]) -> dict[str, Any]:
    here = {key: row[key] for key in FOUND}
    published = {key: row[f"published_{key}".removesuffix("_value")] for key in FOUND}
    return {"here": here, "published": published, "differs": opposite(row["answer"], row["published_answer"])}


def _all(values: Iterable[str | None], otherwise: str = "unknown") -> str:
    """Mostly one; a folder may hold answers of several machines or days."""
    return printable(" and ".join(sorted({value for value in values if value})) or otherwise, LONGEST)


def _version(name: str, versions: list[dict[str, Any]]) -> str:
    """As receipts note it, or of what is installed here."""
    noted = name == "python" or name in BLOG.libraries
    return _all(one.get(name) for one in versions) if noted else BLOG.version(name)


def opposite(one: str, other: str) -> bool:
    """Yes here and no there: what is unclear or not tested contradicts nothing."""
    return {one, other} == {"yes", "no"}


def as_bytes(ledger: Ledger) -> bytes:
    """Canonical JSON, but for a line a claim."""
    return canonical(ledger).replace('}},"', '}},\n"').encode() + b"\n"


def canonical(content: Ledger) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(ledger: Ledger) -> str:
    rest = {key: value for key, value in ledger.items() if key != "checksum"}
    return sha256(canonical(rest).encode()).hexdigest()


def read(paths: list[Path], known: Collection[str], root: Path) -> list[Ledger]:
    """These files, or without any those in ledger/; the oldest first. A retired claim does not count."""
    gone = claims_file.retired_names(root)
    paths = paths or sorted((root / FOLDER).glob("*.json"))
    return sorted((_read(path, known, gone) for path in paths), key=lambda ledger: str(ledger["date"]))


def peaks(scale: str, root: Path) -> Counter[str]:
    """MB of memory by question, the most that a ledger in ledger/ says."""
    found = Counter[str]()
    for path in (root / FOLDER).glob("*.json"):
        with reading(path, *REFUSED):
            ledger = json.loads(path.read_bytes())
            found |= Counter(ledger.get("memory_mb", {}) if ledger["scale"] == scale else {})
    return found


def _read(path: Path, known: Collection[str], gone: Collection[str]) -> Ledger:
    with reading(path, *REFUSED):
        with path.open("rb") as file:
            ledger = json.loads(file.read(LARGEST))  # a longer one ends in the middle
        demand("ledger" in ledger, f"{path} is not a ledger: `{BLOG.whole}` writes one")
        version = printable(str(ledger["ledger"]))
        demand(version == str(VERSION), f"{path} is a ledger of version {version}: this code reads {VERSION}")
        claims = ledger.get("claims", {})
        peaks = {"memory_mb": dict.fromkeys(ledger["memory_mb"], int)} if "memory_mb" in ledger else {}
        wrong = _unlike(ledger, KEYS | peaks | {"claims": dict.fromkeys(claims, CLAIM)})
        demand(not wrong, f"{path} is refused: {wrong}")
        day = str(date.fromisoformat(ledger["date"]))
        demand(day == ledger["date"], f"{path} is refused: its date is not written as {day}")
        changed = f"its checksum does not fit, so it was changed or damaged: {REFUSED[1]}"
        demand(ledger["checksum"] == checksum(ledger), f"{path} is refused: {changed}")
        for name, claim in claims.items():
            there = name in known or name in gone
            demand(there, f"{path} is refused: this blog has no claim {printable(name)}")
            demand(_agrees(claim), f"{path} is refused: what it says of {printable(name)} contradicts itself")
        return ledger | {"claims": {name: claim for name, claim in claims.items() if name in known}}


def _unlike(content: Any, kind: Any, where: str = "") -> str | None:
    """What is not of its kind, which is a type, or a dict of kinds by key."""
    if isinstance(kind, dict) and isinstance(content, dict):
        for key in sorted(content.keys() ^ kind.keys()):
            return f"it {'lacks' if key in kind else 'has an unknown key'} {where}{printable(key)}"
        each = (_unlike(content[key], kind[key], f"{where}{key}.") for key in kind)
        return next(filter(None, each), None)
    fits = {
        str: isinstance(content, str) and content.isprintable() and 0 < len(content) <= LONGEST,
        float: content is None or (type(content) in (int, float) and abs(content) <= ENDLESS),
        int: type(content) is int and 0 <= content < 10**9,
        bool: type(content) is bool,
    }
    fitting = not isinstance(kind, dict) and fits[kind]
    return None if fitting else f"{where[:-1]} cannot be {printable(str(content))}"


def _agrees(claim: dict[str, Any]) -> bool:
    """An answer that was tested, `differs` as its two answers say, and to each tested answer a value in its interval."""
    for side in (claim["here"], claim["published"]):
        value, low, high = (side[key] for key in NUMBERS)
        found = None not in (value, low, high) and low <= value <= high
        if not (value is low is high is None if side["answer"] == "not tested" else found):
            return False
    here, published = claim["here"]["answer"], claim["published"]["answer"]
    words = {here, published} <= {*claim_text.EXPLAINED} and here != "not tested"
    return words and bool(claim["differs"]) == opposite(here, published)


# ----------------------------------------------------------------------------------------------- several, side by side

HEADER = ["Reproduction", "Versions", "Measuring", "Tested", "Same", "Opposite"]
NAMES = {"python": "Python"} | BLOG.ledger


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
        text += ["", f"{name} turned in {often}: published {published}; needed {needed}"]
        text += [f"  {one}" for one in where]
    return "\n".join(text)
