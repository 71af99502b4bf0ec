"""What a run of the blog prints while it works: pages that are done, the time left, jobs at work.

How long a job should take and how far it is, is read from receipts and locks, and told by the plugin.
"""

import math
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from presswork import plan
from presswork import run as runner
from presswork.ground.blog import BLOG
from presswork.ground.files import held
from presswork.plan import Job
from presswork.questions import title_of
from presswork.telling import schedule, spent, verdict
from presswork.telling.schedule import Seen

QUIET = 60.0  # seconds after which a run says that it is alive


@dataclass
class Progress:
    """Ask `lines` now and then: it says what is new."""

    scale: str
    jobs: dict[str, Job]
    pages: dict[str, list[str]]  # slug: its questions
    root: Path
    cores: int
    begin: float = field(default_factory=time.time)
    reported: set[str] = field(default_factory=set)  # pages

    def __post_init__(self) -> None:
        where = self.scale, self.root
        seconds = {name: usual(name, job, *where) for name, job in self.jobs.items()}
        self.usual = spent.expected(seconds, self.root)
        self.before, self.spoke = self.done(), self.begin

    def done(self) -> set[str]:
        return {job for job in self.jobs if (self.root / plan.marker(self.scale, job)).is_file()}

    def lines(self) -> list[str]:
        done, now = self.done(), time.time()
        self.begin += min(0, now - self.spoke)  # the clock was set back
        new = [page for page in self.pages if f"draw-{page}" in done and page not in self.reported]
        self.reported.update(new)
        if not new and 0 <= now - self.spoke < QUIET:
            return []
        self.spoke = now
        passed = f"{(self.spoke - self.begin) / 60:3.0f} min"
        told = {page: answers(self.pages[page], self.scale, self.root) for page in new}
        lines = [f"{passed}  {title_of(page, self.root)}: {said}" for page, said in told.items()]
        return lines if len(done) == len(self.jobs) else [*lines, passed + self.outlook(done)]

    def outlook(self, done: set[str]) -> str:
        """, about 31 min left · training ours-3x128-196k (45 %), measuring mcmc"""
        working = [words(name, seen) for name, seen in self.seen().items() if seen.share < 1]
        if self.only_the_site_is_left():
            working = ["building the site"]
        work = " · " * bool(working) + ", ".join(dict.fromkeys(working))
        return f", about {max(self.left(done) / 60, 1):.0f} min left{work}"

    def only_the_site_is_left(self) -> bool:
        return self.jobs.keys() - self.done() == {"site"}

    def measured_and_not_drawn(self) -> list[str]:
        """Questions whose own parts are all there, on pages of which another step has failed."""
        done, not_drawn = self.done(), []
        for name, job in self.jobs.items():
            for question in job.questions if name not in done else ():
                if done.issuperset(part for part in job.needs if part.startswith(f"measure-{question}-")):
                    not_drawn.append(question)
        return not_drawn

    def left(self, done: set[str]) -> float:
        """Seconds."""
        seen = self.seen()
        ended = {name for name, job in seen.items() if job.share == 1}
        return schedule.left(self.jobs, self.usual, done | ended, seen, self.cores)

    def seen(self) -> dict[str, Seen]:
        """The jobs that began in this run."""
        where = self.scale, self.root, self.begin
        return {name: seen for name, job in self.jobs.items() if (seen := how_far(name, job, *where))}


def words(name: str, seen: Seen) -> str:
    kind, _, rest = name.partition("-")
    if kind == "measure":
        return f"measuring {rest.partition('-')[0]}"
    return f"training {rest.rpartition('-')[0]}" + (f" ({100 * seen.share:.0f} %)" if seen.share else "")


def answers(questions: list[str], scale: str, root: Path) -> str:
    claims = verdict.claims(scale, root, runner.home(scale, root=root))
    return verdict.told([row for row in claims if row["question"] in questions], scale)


# -------------------------------------------------------------------------------------------------- how far each job is

START = 0.5  # seconds before a job takes its lock
DRAWING = 2.0  # seconds of the answer of a question
SITE = 15.0  # seconds


def usual(name: str, job: Job, scale: str, root: Path) -> float:
    """The seconds that a job took when its answer was published."""
    kind, _, rest = name.partition("-")
    if kind == "train":
        return START + making(rest, root)
    if kind == "measure":
        return START + sum(plan.usual_seconds(name, job, scale, root))
    return START + (SITE if kind == "site" else DRAWING * len(job.questions))


def making(name: str, root: Path) -> float:
    """Of what is made before: nothing, where it is there."""
    if BLOG.plugin.file(name, False, root).is_file():
        return 0.0
    seconds = BLOG.plugin.seconds(name, root)
    return plan.UNKNOWN if math.isnan(seconds) else seconds


def how_far(name: str, job: Job, scale: str, root: Path, since: float) -> Seen | None:
    """How far a job is whose first lock was taken after `since`; without a lock it failed or ended just now."""
    kind, _, rest = name.partition("-")
    names = [f"measure-{rest.partition('-')[0]}-{part}-{scale}" for part in job.parts] or [rest]
    locks = [(number, root / "runs" / "locks" / lock) for number, lock in enumerate(names)]
    taken = sorted((lock.stat().st_mtime, number, lock) for number, lock in locks if lock.is_file())
    if not taken or taken[-1][0] < since:
        return None
    begin, (last, ended, newest) = min(date for date, *_ in taken if date >= since), taken[-1]
    marker = root / plan.marker(scale, name)
    with held(newest, shared=True, wait=False) as free:
        over = free or marker.is_file()
    if over:
        # what it trained may be locked again, by a job that reads it: then nobody knows when it began
        return Seen(1, max(START + marker.stat().st_mtime - begin, 0) if marker.is_file() else 0)
    if kind == "train" and (far := BLOG.plugin.share(rest, root)):
        return Seen(min(far.done, 0.99), far.seconds, time.time() - max(begin, far.when))
    if not ended:
        return Seen(since=START + time.time() - begin)
    seconds = plan.usual_seconds(name, job, scale, root)  # of which so many have ended
    share = (START + sum(seconds[:ended])) / (START + sum(seconds))
    return Seen(share, START + last - begin, time.time() - last)


# --------------------------------------------------------------------------------------------------------- what failed

DOES = {"train": "training", "measure": "measuring", "draw": "drawing", "site": "building the site"}
COMPLAINT = re.compile(r"^(?:ERROR|WARNING) +-  (.*)", re.MULTILINE)  # of MkDocs; the last one says how many


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
