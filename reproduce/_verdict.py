"""Which claims of the blog hold here? Read from the answers with the standard library; and `publish`.

published   what the blog states: published.json of the best scale that has one, written only by `publish`
here        claims.json of the scale that is asked for, made from the rows by `draw`
"""

import csv
import json
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from reproduce import _claim_text, _store
from reproduce._contract import Claim, names
from reproduce._site import keys

BEST = ("paper", "laptop")  # where the blog takes its numbers from, first choice first
PUBLISHED = {"value": "published", "low": "published_low", "high": "published_high"}


def claims(scale: str, root: Path, figures: Path) -> list[dict[str, Any]]:
    """Every claim: as published, as printed by the paper, as measured here, and whether it holds."""
    rows = []
    for question in names(root):
        published = _published(root / "figures" / question)
        here = {
            claim["name"]: claim
            for claim in _load(_store.answer(figures, question, scale) / "claims.json") or []
        }
        untested = {
            name: claim | {"value": None, "low": None, "high": None} for name, claim in published.items()
        }
        for name, stated in (untested | here).items():
            claim = Claim(**{key: stated[key] for key in Claim.__dataclass_fields__})
            old = published.get(name, {})
            rows.append(
                {
                    "question": question,
                    "name": name,
                    "sentence": _claim_text.sentence(stated),
                    "scale": scale,
                    **{name: old.get(key) for key, name in PUBLISHED.items()},
                    "printed": claim.printed,
                    "value": claim.value,
                    "low": claim.low,
                    "high": claim.high,
                    "holds": claim.holds(),
                }
            )
    return rows


def show(rows: list[dict[str, Any]], scale: str) -> str:
    """The verdict for a person to read."""
    lines = []
    for row in rows:
        lines.append(f"{_claim_text.verdict(row):>10}  {row['question']}/{row['name']}: {_numbers(row)}")
        lines += textwrap.wrap(row["sentence"], 100, initial_indent=" " * 12, subsequent_indent=" " * 12)
    counts = Counter(map(_claim_text.verdict, rows))
    lines.append(f"{len(rows)} claims at {scale} scale: {_claim_text.counted(counts)}.")
    return "\n".join(lines)


def _numbers(row: dict[str, Any]) -> str:
    published = {key: row[name] for key, name in PUBLISHED.items()}
    others = {"published": _claim_text.value(published), "the paper prints": _claim_text.printed(row)}
    told = [f"{whose} {number}" for whose, number in others.items() if number != "–"]
    return ", ".join([f"here {_claim_text.value(row)}", *told])


def publish(question: str, scale: str, root: Path) -> Path | None:
    """Make today's claims and tables of this answer the published ones."""
    folder = _store.answer(root / "figures", question, scale)
    stated = _load(folder / "claims.json")
    found = keys.receipts(folder)
    if stated is None or not found:
        return None
    tables = {
        path.name.removesuffix(".table.csv"): _table(path) for path in sorted(folder.glob("*.table.csv"))
    }
    origin = {key: found[0][key] for key in ("scale", "commit", "made", "hardware", "content_key")}
    _store.write_json(folder / "published.json", origin | {"claims": stated, "tables": tables})
    return folder / "published.json"


def _published(folder: Path) -> dict[str, dict[str, Any]]:
    """The claims of the best scale that is published, by name."""
    for scale in BEST:
        if content := _load(folder / scale / "published.json"):
            return {claim["name"]: claim for claim in content["claims"]}
    return {}


def _table(path: Path) -> dict[str, Any]:
    with open(path, newline="", encoding="utf-8") as file:
        columns, *cells = list(csv.reader(file))
    return {"columns": columns, "rows": cells}


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
