"""Which claims of the blog hold here? Read from the answers with the standard library; and `publish`.

published   the claims in figures/, written only by `publish`: of the same scale, else of the best that is there
here        the claims in runs/here at the scale that is asked for, made from the rows by `draw`
"""

import json
import tempfile
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from reproduce._press import claim_text, drawing, store
from reproduce._press.answers import marks
from reproduce._press.answers.answer import HOMES
from reproduce._press.contract import load, names

BEST = ("paper", "laptop")  # where the blog takes its numbers from, first choice first
OPPOSITES = ({"yes", "no"}, {"holds", "fails"}, {"limit confirmed", "limit refuted"})
_NOTHING = {"value": None, "low": None, "high": None}
PUBLISHED = {"value": "published", "low": "published_low", "high": "published_high"}


def claims(scale: str, root: Path, figures: Path) -> list[dict[str, Any]]:
    """Every claim: as published, as printed by the paper, as measured here, and whether it holds."""
    rows = []
    for question in names(root):
        published = _published(root / HOMES["published"] / question, scale)
        here = {
            claim["name"]: claim
            for claim in _load(store.answer(figures, question, scale) / "claims.json") or []
        }
        untested = {
            name: claim | _NOTHING | ({"answer": "not tested"} if "asks" in claim else {"holds": None})
            for name, claim in published.items()
        }
        for name, stated in (untested | here).items():
            old = published.get(name, {})
            rows.append(
                {"question": question, "scale": scale}
                | stated
                | {"sentence": claim_text.sentence(stated)}
                | {name: old.get(key) for key, name in PUBLISHED.items()}
                | {"published_answer": claim_text.verdict(old) if old else None}
            )
    return rows


def others(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims that are answered yes here and no where they are published, or the other way round."""
    return [row for row in rows if {claim_text.verdict(row), row["published_answer"]} in OPPOSITES]


def by_page(rows: list[dict[str, Any]], pages: dict[str, list[str]], scale: str) -> str:
    """A line a page, and a line for each claim that comes out differently from what is published."""
    lines = []
    for title, questions in pages.items():
        mine = [row for row in rows if row["question"] in questions]
        counts = claim_text.counted(Counter(map(claim_text.verdict, mine)))
        lines.append(f"{title:<28} {counts}")
    lines += [
        f"unlike what is published: {row['question']}/{row['name']}: {_numbers(row)}" for row in others(rows)
    ]
    counts = claim_text.counted(Counter(map(claim_text.verdict, rows)))
    return "\n".join(
        [*lines, f"{len(rows)} claims at {scale} scale: {counts}. All of them: make reproduce all=1"]
    )


def show(rows: list[dict[str, Any]], scale: str) -> str:
    """The verdict for a person to read."""
    lines = []
    for row in rows:
        lines.append(f"{claim_text.verdict(row):>15}  {row['question']}/{row['name']}: {_numbers(row)}")
        lines += textwrap.wrap(row["sentence"], 100, initial_indent=" " * 17, subsequent_indent=" " * 17)
    counts = Counter(map(claim_text.verdict, rows))
    lines.append(f"{len(rows)} claims at {scale} scale: {claim_text.counted(counts)}.")
    return "\n".join(lines)


def _numbers(row: dict[str, Any]) -> str:
    published = row | {key: row[name] for key, name in PUBLISHED.items()}
    others = {"published": claim_text.value(published), "the paper prints": claim_text.printed(row)}
    told = [f"{whose} {number}" for whose, number in others.items() if number != "–"]
    condition = [f"needed {words}"] if (words := claim_text.holds_if(row)) else []
    return ", ".join([f"here {claim_text.value(row)}", *condition, *told])


def publish(question: str, scale: str, root: Path) -> Path | None:
    """Make the answer that was made here the published one, and draw it again; without one, redraw what is published."""
    here, published = (store.answer(root / HOMES[which], question, scale) for which in ("here", "published"))
    if any(receipt.get("dirty") for receipt in store.receipts(here).values()):
        raise UserError(
            f"{question} at {scale} scale was made by code that is not committed: commit it, then make it again: "
            f"python -m reproduce run {question} --scale {scale}"
        )
    (root / "runs").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="publish-", dir=root / "runs") as trial:
        tried = store.answer(Path(trial), question, scale)
        store.merge_parts(published, tried)
        store.merge_parts(here, tried)
        if drawing.draw(load(question, root), scale, Path(trial)) is None:
            return None
        _refuse_to_drop(published, tried, question, scale, root)
        store.replace(tried, published)  # from here on nothing can be refused
    return published


def outdated_sentences(questions: list[str], root: Path) -> list[str]:
    """Sentences on pages, by page and line, that were written for another answer than the one published."""

    def answer(name: str) -> str | None:
        question, _, claim = name.partition("/")
        stated = _published(root / HOMES["published"] / question, BEST[0]) if question in questions else {}
        return claim_text.verdict(stated[claim]) if claim in stated else None

    return marks.contradicted(root / "docs", answer)


def _refuse_to_drop(published: Path, tried: Path, question: str, scale: str, root: Path) -> None:
    """A claim stays, also one that fails, unless the log says why it went."""
    before, after = ({claim["name"] for claim in _load(f / "claims.json") or []} for f in (published, tried))
    log = root / "docs" / "log.md"
    told = log.read_text(encoding="utf-8") if log.is_file() else ""
    if gone := [name for name in sorted(before - after) if f"{question}/{name}" not in told]:
        raise UserError(
            f"{question} at {scale} scale no longer states {', '.join(gone)}: a claim that fails is shown as failed, "
            f"never dropped. Take it back, or, if the sentence was wrong, tell in docs/log.md why {question}/{gone[0]} "
            "went, and publish again."
        )


def _published(folder: Path, scale: str) -> dict[str, dict[str, Any]]:
    """The claims that are published at this scale, else at the best there is, by name."""
    for where in (scale, *BEST):
        if stated := _load(folder / where / "claims.json"):
            return {claim["name"]: claim for claim in stated}
    return {}


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
