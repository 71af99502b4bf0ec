"""How a page is cited: authors and version from CITATION.cff, and the date of the newest answer that the page shows.

A page that shows none has the date of the newest entry of NOTEBOOK.md. Neither asks git, which knows one commit on most hosts
that build a site, nor the clock. The entries of the notebook are the site's feed.
"""

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

from mkdocs.utils.yaml import yaml_load

from reproduce._press.answers.answer import Answers
from reproduce._site.pages import calls_on

SHOWING = ("fig", "table", "live", "val", "found", "shows")  # macros whose first argument is 'question/name'
ENTRY = re.compile(
    r"^## ((\d+ [A-Z][a-z]+ \d{4}).*)\n\s*(.*)", re.MULTILINE
)  # a heading that begins with a day


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
    """What the foot of a page and the feed need; nothing in a copy without CITATION.cff or entries of a notebook."""
    notebook = root / "NOTEBOOK.md"
    found = ENTRY.findall(notebook.read_text(encoding="utf-8")) if notebook.is_file() else []
    if not (found and (root / "CITATION.cff").is_file()):
        return {}
    entries = [(datetime.strptime(day, "%d %B %Y").date(), title, text) for title, day, text in found]
    about = yaml_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    newest = max(day for day, *_ in entries)
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
    about = {"authors": authors, "version": about["version"], "entries": entries}
    return about | {"dates": dates, "newest": newest}
