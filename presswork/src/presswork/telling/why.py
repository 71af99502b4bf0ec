"""Where a number comes from: what was asked and found, who made it how, from what, and which pages say it."""

import json
from pathlib import Path
from typing import Any

from presswork import claim_text, contract, questions
from presswork.answers.answer import Answers
from presswork.ground.errors import known
from presswork.ground.files import read_text

MADE_BY = ("part", "command", "commit", "made", "seconds", "settings", "inputs")  # of a receipt


def of(name: str, root: Path) -> dict[str, Any]:
    """Of "question", "question/claim", "question/table" or "question/figure"."""
    question, _, rest = name.partition("/")
    answer = Answers(root).of(question)[0]
    shown = [file.partition(".")[0] for file in answer.files if file[-4:] in (".svg", ".csv")]
    if rest:
        known(f"claim, table or figure of {question} called", rest, dict.fromkeys([*answer.claims, *shown]))
    claim = answer.claims.get(rest)
    asked = contract.load(question, root) if question in contract.names(root) else None
    return {
        "name": name,
        "asks": claim_text.question(claim) if claim else questions.title(question, root) if asked else "",
        "answer": claim_text.answer(claim) if claim else None,
        "found": claim_text.value(claim) if claim else None,
        "needed": claim_text.needed(claim) if claim else None,
        "over": claim_text.over(claim) if claim else None,
        "stands in": asked.line("claims" if claim else "measure") if asked else None,
        "scale": answer.scale,
        "state": answer.freshness.state,
        "files": [f"{answer.where}/{file}" for file in sorted(answer.files.values())],
        "made by": [{key: receipt.get(key) for key in MADE_BY} for receipt in answer.receipts],
        "named on": _named(name, root),
    }


def _named(name: str, root: Path) -> list[str]:
    """Pages, with their line, that name it."""
    found = []
    for path in [*sorted((root / "docs").rglob("*.md")), *sorted(root.glob("*.md"))]:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            if f"'{name}'" in line or f'"{name}"' in line:
                found.append(f"{path.relative_to(root)}:{number}")
    return found


def show(told: dict[str, Any], as_json: bool) -> str:
    if as_json:
        return json.dumps(told, indent=1, ensure_ascii=False)
    lines = []
    for key, value in told.items():
        if key == "made by":
            for one in value:
                part = "" if one["part"] == "all" else f" (part {one['part']})"
                commit = f" at {one['commit'][:10]}" if one["commit"] else ""
                inputs = f", from {', '.join(one['inputs'])}" if one["inputs"] else ""
                made = f"{part}{commit}, {one['made']}, {one['seconds']} s{inputs}"
                lines.append(f"{key:>9}  {one['command']}{made}")
        else:
            texts = value if isinstance(value, list) else [value] if value else []
            lines += [f"{key:>9}  {text}" for text in texts]
    return "\n".join(lines)
