"""What a run of the blog tells while it works, on a terminal and in a log: pages that stand, the time left, jobs at work."""

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from reproduce._press import claim_text, plan
from reproduce._press import run as runner
from reproduce._press import verdict as verdict_
from reproduce._press.plan import Job
from reproduce._press.telling import at_work, schedule
from reproduce._press.telling.schedule import Seen

QUIET = 60.0  # seconds after which a run says that it is alive


@dataclass
class Progress:
    """Ask `lines` now and then: it says what is new."""

    scale: str
    jobs: dict[str, Job]
    pages: dict[str, list[str]]  # title: its questions
    root: Path
    cores: int
    begin: float = field(default_factory=time.time)
    told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        each = self.jobs.items()
        self.usual = {name: at_work.usual(name, job, self.scale, self.root) for name, job in each}
        self.before, self.said = self.done(), self.begin

    def done(self) -> set[str]:
        return {job for job in self.jobs if (self.root / plan.marker(self.scale, job)).is_file()}

    def lines(self) -> list[str]:
        done = self.done()
        stand = [
            page for page, questions in self.pages.items()
            if page not in self.told and all(f"draw-{name}" in done for name in questions)
        ]  # fmt: skip
        self.told.update(stand)
        if not stand and time.time() - self.said < QUIET:
            return []
        self.said = time.time()
        passed = f"{(self.said - self.begin) / 60:3.0f} min"
        found = [f"{passed}  {page}: {verdict(self.pages[page], self.scale, self.root)}" for page in stand]
        return found if len(done) == len(self.jobs) else [*found, passed + self.outlook(done)]

    def outlook(self, done: set[str]) -> str:
        """, about 31 min left · training ours-3x128-196k (45 %), measuring mcmc"""
        working = [words(name, seen) for name, seen in self.seen().items() if seen.share < 1]
        if self.jobs.keys() - done == {"site"}:
            working = ["building the site"]
        told = ", ".join(dict.fromkeys(working))
        return f", about {max(self.left(done) / 60, 1):.0f} min left" + (f" · {told}" if told else "")

    def left(self, done: set[str]) -> float:
        """Seconds."""
        seen = self.seen()
        over = {name for name, job in seen.items() if job.share == 1}
        return schedule.left(self.jobs, self.usual, done | over, seen, self.cores)

    def seen(self) -> dict[str, Seen]:
        """The jobs that began in this run."""
        where = self.scale, self.root, self.begin
        return {name: seen for name, job in self.jobs.items() if (seen := at_work.seen(name, job, *where))}


def words(name: str, seen: Seen) -> str:
    kind, _, rest = name.partition("-")
    if kind == "measure":
        return f"measuring {rest.partition('-')[0]}"
    return f"training {rest.rpartition('-')[0]}" + (f" ({100 * seen.share:.0f} %)" if seen.share else "")


def verdict(questions: list[str], scale: str, root: Path) -> str:
    """31 hold, 5 fail and 2 are open; 1 differs from what is published"""
    every = verdict_.claims(scale, root, runner.home(scale, root=root))
    rows = [row for row in every if row["question"] in questions]
    counts = claim_text.counted(Counter(map(claim_text.verdict, rows)))
    other = len(verdict_.others(rows))
    return f"{counts}; {f'{other} unlike what is' if other else 'all as'} published"
