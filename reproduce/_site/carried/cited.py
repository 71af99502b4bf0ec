"""How a page is cited: authors and version from CITATION.cff, and the date of the newest answer that the page shows.

A page that shows none has the date of the newest entry of the log. Neither asks git, which knows one commit on most hosts
that build a site, nor the clock.
"""

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

from mkdocs.utils.yaml import yaml_load

from reproduce._press.answers.answer import Answers
from reproduce._site.pages import calls_on

SHOWING = ("fig", "table", "live", "val", "found", "shows")  # macros whose first argument is 'question/name'
ENTRY = re.compile(r"^## (\d+ [A-Z][a-z]+ \d{4})", re.MULTILINE)


def shown(docs: Path, *macros: str) -> dict[str, list[tuple[str, str]]]:
    """What each page shows, in its order: {"how-fast.md": [("fig", "speed/main"), …]}."""
    return {
        path.name: [
            (macro, str(named[0]))
            for macro, named in calls_on(path, path.read_text(encoding="utf-8"))
            if macro in (macros or SHOWING) and named
        ]
        for path in sorted(docs.glob("*.md"))
    }


def citation(root: Path, docs: Path, answers: Answers) -> dict[str, Any]:
    """What the foot of a page needs; nothing in a copy without CITATION.cff or entries of a log."""
    log = docs / "log.md"
    entries = ENTRY.findall(log.read_text(encoding="utf-8")) if log.is_file() else []
    if not (entries and (root / "CITATION.cff").is_file()):
        return {}
    about = yaml_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    newest = max(datetime.strptime(entry, "%d %B %Y").date() for entry in entries)
    dates = {}
    for page, named in shown(docs).items():
        used = {name.split("/")[0] for _, name in named}
        made = [
            receipt.get("made")
            for name in used
            for answer in answers.find(name)
            for receipt in answer.receipts
        ]
        days = [date.fromisoformat(day[:10]) for day in made if day]
        dates[page] = max(days, default=newest)
    authors = [one.get("name") or f"{one['given-names']} {one['family-names']}" for one in about["authors"]]
    return {"authors": authors, "version": about["version"], "dates": dates, "newest": newest}
