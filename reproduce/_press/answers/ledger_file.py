"""ledger.json: what one reproduction found, on what kind of machine. `blog` writes it; ledger/ holds those sent to us.

{"ledger": 1, "date": …, "claims": {"question/claim": {"here": …, "published": …, "differs": …}, …}, …, "checksum": …}

It names no person, folder or host. The checksum tells a damaged file; it does not tell who made it.
"""

import json
import platform
import re
from collections.abc import Collection, Iterable
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import curvecast
from curvecast.ground.errors import UserError, demand, printable
from curvecast.ground.from_outside import reading
from reproduce._press import claim_text, machine
from reproduce._press.answers import claims_file, receipts
from reproduce._press.answers.needs import ENDLESS

Ledger = dict[str, Any]
FOLDER = "ledger"  # of the repository
VERSION = 1
LARGEST = 4_000_000  # bytes
LONGEST = 120  # letters of a text
NUMBERS = ("value", "low", "high")  # null where nothing was found
FOUND: dict[str, type] = dict.fromkeys(NUMBERS, float) | {"answer": str}
CLAIM: dict[str, Any] = {"here": FOUND, "published": FOUND, "differs": bool}
KEYS: dict[str, Any] = {
    "ledger": int, "date": str, "scale": str, "seconds": int, "system": str, "claims": dict, "checksum": str,
    "hardware": {"processor": str, "cores": int, "memory_gb": int, "gpu": str},
    "versions": dict.fromkeys(("python", "torch", "numpy", "curvecast", "commit"), str),
}  # fmt: skip
FOREIGN = re.compile(r"\((R|TM)\)|\bCPU\b|@.*|\d+-Core Processor", re.IGNORECASE)  # in a processor's name


def made(rows: list[dict[str, Any]], folder: Path, scale: str) -> Ledger:
    """Of the answers in this folder; `rows` are their claims, beside those that are published."""
    notes = [note for answer in sorted(folder.glob(f"*/{scale}")) for note in receipts.of(answer)]
    claims = {f"{row['question']}/{row['name']}": _beside(row) for row in rows if row["published_answer"]}
    claims = {name: claim for name, claim in claims.items() if claim["here"]["answer"] != "not tested"}
    demand(notes and claims, f"{folder} has no tested claim at {scale} scale yet: make reproduce")
    hardware = [note["hardware"] for note in notes]
    versions = {
        name: _all(note["versions"].get(name) for note in notes) for name in ("python", "torch", "numpy")
    }
    commits = (
        f"{note['commit']:.12}" + " with changes" * bool(note["dirty"]) for note in notes if note["commit"]
    )
    ledger = {
        "ledger": VERSION,
        "date": max(note["made"] for note in notes),
        "hardware": {
            "processor": _all(" ".join(FOREIGN.sub("", one["cpu"]).split()) for one in hardware),
            "cores": max(one["cores"] for one in hardware),
            "memory_gb": machine.memory_gb(),
            "gpu": _all((one["gpu"] for one in hardware), "none"),
        },
        "system": platform.system(),
        "versions": versions | {"curvecast": curvecast.__version__, "commit": _all(commits)},
        "seconds": round(sum(note["seconds"] for note in notes)),
        "scale": scale,
        "claims": claims,
    }  # fmt: skip
    return ledger | {"checksum": checksum(ledger)}


def _beside(row: dict[str, Any]) -> dict[str, Any]:
    here = {key: row[key] for key in FOUND}
    published = {key: row[f"published_{key}".removesuffix("_value")] for key in FOUND}
    return {"here": here, "published": published, "differs": opposite(row["answer"], row["published_answer"])}


def _all(values: Iterable[str | None], otherwise: str = "unknown") -> str:
    """Mostly one; a folder may hold answers of several machines or days."""
    return printable(" and ".join(sorted({value for value in values if value})) or otherwise, LONGEST)


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


def committed(root: Path) -> list[Path]:
    return sorted((root / FOLDER).glob("*.json"))


def read(paths: list[Path], known: Collection[str], root: Path) -> list[Ledger]:
    """The oldest first. A claim that the log says was withdrawn is left out; any other that is not `known` is refused."""
    log = root / "docs" / "log.md"
    told = log.read_text(encoding="utf-8") if log.is_file() else ""
    return sorted((_read(path, known, told) for path in paths), key=lambda ledger: str(ledger["date"]))


def _read(path: Path, known: Collection[str], log: str) -> Ledger:
    with reading(path, "is not a ledger", "take the file as `make reproduce` wrote it"):
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        demand(len(data) <= LARGEST, f"{path} is not a ledger: it has more than {LARGEST // 10**6} MB")
        ledger = json.loads(data)
        if problem := _wrong(ledger, known, log):
            raise UserError(f"{path} is refused: {problem}")
        return ledger | {"claims": {name: one for name, one in ledger["claims"].items() if name in known}}


def _wrong(ledger: Any, known: Collection[str], log: str) -> str | None:
    """What is wrong with the content of a file, in words."""
    if not isinstance(ledger, dict) or "ledger" not in ledger:
        return "it is not a ledger; `make reproduce` writes one"
    if ledger["ledger"] != VERSION:
        return f"it is a ledger of version {printable(str(ledger['ledger']))}, and this code reads version {VERSION}"
    if problem := _unlike(ledger, KEYS):
        return problem
    if date.fromisoformat(ledger["date"]).isoformat() != ledger["date"]:
        return f"date cannot be {ledger['date']}"
    if ledger["checksum"] != checksum(ledger):
        return "its checksum does not fit: it was changed or damaged; take it as `make reproduce` wrote it"
    for name, claim in ledger["claims"].items():
        if name not in known and not claims_file.withdrawn(name, log):
            return f"this blog has no claim {printable(name, LONGEST)}"
        if problem := _unlike({name: claim}, {name: CLAIM}):
            return problem
        here, published = claim["here"]["answer"], claim["published"]["answer"]
        if not {here, published} <= {*claim_text.EXPLAINED} or here == "not tested":
            return f"{name} is answered {here} here and {published} where it is published"
        if claim["differs"] != opposite(here, published):
            return f"{name} has differs={claim['differs']}, and its answers are {here} and {published}"
        if any(len({claim[side][key] is None for key in NUMBERS}) > 1 for side in ("here", "published")):
            return f"{name} has a value without an interval"
    return None


def _unlike(content: dict[str, Any], keys: dict[str, Any], where: str = "") -> str | None:
    """The first key that is missing, of no meaning, or has a value of another kind."""
    if odd := sorted(content.keys() ^ keys.keys()):
        return f"it {'lacks' if odd[0] in keys else 'has an unknown key'} {where}{printable(odd[0])}"
    for key, kind in keys.items():
        value = content[key]
        if isinstance(kind, dict):
            if problem := _unlike(value if isinstance(value, dict) else {}, kind, f"{where}{key}."):
                return problem
        elif not _fits(value, kind):
            return f"{where}{key} cannot be {printable(str(value))}"
    return None


def _fits(value: Any, kind: type) -> bool:
    if kind is str:
        return isinstance(value, str) and value.isprintable() and 0 < len(value) <= LONGEST
    if kind is float:
        return value is None or (type(value) in (int, float) and abs(value) <= ENDLESS)
    return isinstance(value, kind) if kind is not int else type(value) is int and 0 <= value < 10**9
