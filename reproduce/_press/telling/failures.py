"""What failed in a run of the blog, one sentence a job, read from what the job said."""

import re
from pathlib import Path

from reproduce._press import plan
from reproduce._press.plan import Job

DOES = {"train": "training", "measure": "measuring", "draw": "drawing", "site": "building the site"}
# of MkDocs; what comes after says how many
COMPLAINT = re.compile(r"^(?:ERROR|WARNING) +-  (.*)", re.MULTILINE)


def failures(scale: str, jobs: dict[str, Job], since: float, root: Path) -> list[str]:
    """Of each job that began and did not end well: what it did, its last words, and where all of them are."""
    told = []
    for name in jobs:
        log = root / plan.log(scale, name)
        ended = (root / plan.marker(scale, name)).is_file()
        if not ended and log.is_file() and log.stat().st_mtime >= since:
            kind, _, what = name.partition("-")
            does = f"{DOES[kind]} {what}".strip()
            told.append(f"{does} failed: {last_words(log)} (all it said: {plan.log(scale, name)})")
    engine = root / plan.log(scale, "engine")
    return told or [f"The run failed before any step of its own: {last_words(engine)}"]


def last_words(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [*COMPLAINT.findall(text)[:1], *reversed([line for line in text.splitlines() if line.strip()])]
    return lines[0].strip() if lines else "it ended without a word, as a job does that is killed or cancelled"
