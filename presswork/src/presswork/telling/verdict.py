"""How are the claims of the blog answered here? Read from the answers with the standard library.

published   the claims in figures/, written only by `publish`: of the same scale, else of the best that is there
here        the claims in runs/here at the scale that is asked for, made from the rows by `draw`
"""

import textwrap
from pathlib import Path
from typing import Any

from presswork import claim_text, store
from presswork.answers import claims_file, freshness, ledger_file
from presswork.contract import names
from presswork.ground.blog import BLOG, HOMES
from presswork.ground.errors import UserError

BEST = BLOG.best_first  # where the blog takes its numbers from, first choice first
UNTESTED: dict[str, Any] = {"value": None, "low": None, "high": None, "over": [], "answer": "not tested"}
PUBLISHED = {
    "value": "published", "low": "published_low", "high": "published_high", "answer": "published_answer",
}  # fmt: skip


def claims(scale: str, root: Path, figures: Path) -> list[dict[str, Any]]:
    """Every claim: what it asks and needs, what was found here and is published, and both answers."""
    rows = []
    for question in names(root):
        published = published_at(root / HOMES["published"] / question, scale)
        untested = {name: claim | UNTESTED for name, claim in published.items()}
        here = stated_in(figures / question / scale)
        for name, claim in (untested | here).items():
            old = published.get(name, {})
            row = {"question": question, "scale": scale} | claim | {"needed": claim_text.needed(claim)}
            rows.append(row | {whose: old.get(key) for key, whose in PUBLISHED.items()})
    return rows


def others(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims that are answered yes here and no where they are published, or the other way round."""
    return [row for row in rows if ledger_file.opposite(row["answer"], row["published_answer"])]


def by_page(rows: list[dict[str, Any]], pages: dict[str, list[str]], scale: str) -> str:
    """A line a page, and a line for each claim that comes out differently from what is published."""
    lines, width = [], max(map(len, pages), default=0)
    for title, questions in pages.items():
        mine = [row for row in rows if row["question"] in questions]
        lines.append(f"{title:<{width}}  {told(mine, scale)}")
    lines += [f"contradicts what is published: {_line(row)}" for row in others(rows)]
    return "\n".join([*lines, "", f"{_counts(rows, scale)} All of them: {BLOG.whole_with('all')}"])


def told(rows: list[dict[str, Any]], scale: str) -> str:
    """31 yes, 5 no and 2 unclear of 50 claims; 1 contradicts what is published. What was not tested never agrees."""
    if not rows:
        return "asks nothing"
    if not (tested := tested_ones(rows)):
        return f"nothing tested here{f' (needs {BEST[0]} scale)' * (scale != BEST[0])}"
    of_all = "" if len(tested) == len(rows) else f", of {len(rows)} claims"
    other = len(others(rows))
    unlike = f"{other} contradict{'s' * (other == 1)}" if other else "none contradicts"
    return f"{claim_text.counted(map(claim_text.answer, tested))}{of_all}; {unlike} what is published"


def tested_ones(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if claim_text.answer(row) != "not tested"]


def show(rows: list[dict[str, Any]], scale: str) -> str:
    """Every claim with its answer and its numbers, for a person to read."""
    lines = []
    for row in rows:
        lines.append(f"{claim_text.answer(row):>10}  {_line(row)}")
        lines.append(textwrap.indent(textwrap.fill(claim_text.question(row), 100), " " * 12))
    return "\n".join([*lines, _counts(rows, scale)])


def _counts(rows: list[dict[str, Any]], scale: str) -> str:
    tested = tested_ones(rows)
    missing = len(rows) - len(tested)
    why = "" if scale == BEST[0] else f": most of these need {BEST[0]} scale"
    untested = f" {missing} of {len(rows)} claims were not tested{why}." if missing else ""
    return f"{len(tested)} claims tested at {scale} scale: {claim_text.counted(map(claim_text.answer, tested))}.{untested}"


def _line(row: dict[str, Any]) -> str:
    published = row | {key: row[whose] for key, whose in PUBLISHED.items()}
    numbers = {"here": claim_text.value(row), "needed": row["needed"]}
    others = {"published": claim_text.value(published), "the paper prints": claim_text.printed(row)}
    numbers |= {whose: number for whose, number in others.items() if number != "–"}
    listed = ", ".join(f"{whose} {number}" for whose, number in numbers.items())
    return f"{row['question']}/{row['name']}: {listed}"


def settles(question: str, root: Path) -> bool:
    """Does its published answer of the usual scale say yes or no to any claim? Nobody knows that of a new question, nor
    of one that lacks parts."""
    published = {scale: stated_in(root / HOMES["published"] / question / scale).values() for scale in BEST}
    answers = {claim["answer"] for claim in published[BLOG.usual]}
    unknown = not any(published.values()) or freshness.freshness(question, BLOG.usual, root).parts
    return bool(unknown) or not answers.isdisjoint(("yes", "no"))


def published_at(folder: Path, scale: str) -> dict[str, dict[str, Any]]:
    """The claims that are published at this scale, else at the best there is, by name."""
    for where in (scale, *BEST):
        if claims := stated_in(folder / where):
            return claims
    return {}


def stated_in(answer: Path) -> dict[str, dict[str, Any]]:
    """The claims of an answer, by name; none where it has not been drawn."""
    path = answer / claims_file.FILE
    try:
        return claims_file.by_name(path.read_bytes()) if path.is_file() else {}
    except ValueError as error:
        name = store.shown(path)
        way_out = "draw it again" if "runs/" in name else f"take it back with `git checkout -- {name}`"
        raise UserError(f"{name} cannot be read ({error}): {way_out}") from None
