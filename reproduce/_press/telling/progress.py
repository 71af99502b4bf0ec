"""What a run of the blog tells while it works: a line a page as soon as its questions stand, and the time that is left.

The same lines on a terminal and in a log. What is done is read from the markers of the jobs; how long the rest will take
from what each job took when its answer was published, times how much faster or slower this machine has been so far.
"""

import json
import struct
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from reproduce._press import claim_text, plan
from reproduce._press import run as runner
from reproduce._press import verdict as verdict_
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.receipts import of as receipts_of
from reproduce._press.plan import Job

START = 4.0  # seconds before a process measures anything
UNKNOWN = 20.0  # seconds of a job of which nothing is known
QUIET = 60.0  # seconds after which a run says that it is alive


@dataclass
class Progress:
    """Ask `lines` now and then: it says what is new."""

    scale: str
    jobs: dict[str, Job]
    pages: dict[str, list[str]]  # title: its questions
    root: Path
    cores: int
    begin: float = field(default_factory=time.monotonic)
    said: float = field(default_factory=time.monotonic)
    told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        whole = {name: self.cores if name.startswith("train-") else 1 for name in self.jobs}  # of the machine
        self.seconds = {
            name: whole[name] * expected(name, job, self.scale, self.root) for name, job in self.jobs.items()
        }
        self.before = self.last = self.done()
        self.since = self.begin  # when the last step was done

    def done(self) -> set[str]:
        return {job for job in self.jobs if (self.root / plan.marker(self.scale, job)).is_file()}

    def lines(self) -> list[str]:
        done = self.done()
        if done != self.last:
            self.last, self.since = done, time.monotonic()
        stand = [
            page for page, questions in self.pages.items()
            if page not in self.told and all(f"draw-{name}" in done for name in questions)
        ]  # fmt: skip
        self.told.update(stand)
        found = [
            f"{self.clock(done)}  {page}: {verdict(self.pages[page], self.scale, self.root)}"
            for page in stand
        ]
        if not found and time.monotonic() - self.said > QUIET:
            found = [f"{self.clock(done)}  {len(done)} of {len(self.jobs)} steps are done"]
        if found:
            self.said = time.monotonic()
        return found

    def clock(self, done: set[str]) -> str:
        """4 min, 12 min left"""
        now = time.monotonic()
        longest = max((seconds for job, seconds in self.seconds.items() if job not in done), default=0.0)
        left = self.left(done) - min(now - self.since, longest / self.cores)  # what is at work is partly done
        return f"{(now - self.begin) / 60:3.0f} min, {max(left, 0) / 60:2.0f} min left"

    def left(self, done: set[str]) -> float:
        here = sum(self.seconds[job] for job in done - self.before)
        rest = sum(seconds for job, seconds in self.seconds.items() if job not in done)
        passed = time.monotonic() - self.begin
        pace = passed / here if here > 60 else 1 / self.cores  # seconds here for a second there
        return rest * pace


def expected(name: str, job: Job, scale: str, root: Path) -> float:
    """The seconds that a job took when its answer was published."""
    kind, _, rest = name.partition("-")
    if kind == "train":
        return trained(root / "weights" / "published" / f"{rest}.safetensors")
    if kind != "measure":
        return 5.0
    receipts = receipts_of(root / HOMES["published"] / rest.partition("-")[0] / scale)
    took = {receipt["part"]: float(receipt["seconds"]) for receipt in receipts}
    return START + sum(took.get(part, UNKNOWN) for part in job.parts)


def trained(path: Path) -> float:
    """The seconds that the history in the header of a file of weights ends with."""
    try:
        with open(path, "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        return float(json.loads(header["__metadata__"]["history"])[-1]["seconds"])
    except (OSError, ValueError, TypeError, LookupError, OverflowError, struct.error):
        return UNKNOWN


def verdict(questions: list[str], scale: str, root: Path) -> str:
    """31 hold, 5 fail and 2 are open; 1 differs from what is published"""
    rows = [
        row
        for row in verdict_.claims(scale, root, runner.home(scale, root=root))
        if row["question"] in questions
    ]
    counts = claim_text.counted(Counter(map(claim_text.verdict, rows)))
    other = len(verdict_.others(rows))
    return f"{counts}; {f'{other} unlike what is' if other else 'all as'} published"
