"""How long a job should take and how far it is, read from receipts and locks, and told by the plugin."""

import math
import time
from pathlib import Path

from presswork import plan
from presswork.ground.blog import BLOG
from presswork.ground.locks import held
from presswork.plan import Job
from presswork.telling.schedule import Seen

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


def seen(name: str, job: Job, scale: str, root: Path, since: float) -> Seen | None:
    """How far a job is whose first lock was taken after `since`; without a lock it failed or ended just now."""
    kind, _, rest = name.partition("-")
    names = [f"measure-{rest.partition('-')[0]}-{part}-{scale}" for part in job.parts] or [rest]
    locks = [(number, root / "runs" / "locks" / lock) for number, lock in enumerate(names)]
    taken = sorted((lock.stat().st_mtime, number, lock) for number, lock in locks if lock.is_file())
    if not taken or taken[-1][0] < since:
        return None
    begin, (last, ended, newest) = min(date for date, *_ in taken if date >= since), taken[-1]
    marker = root / plan.marker(scale, name)
    if marker.is_file() or not _held(newest):
        # what it trained may be locked again, by a job that reads it: then nobody knows when it began
        return Seen(1, max(START + marker.stat().st_mtime - begin, 0) if marker.is_file() else 0)
    if kind == "train" and (far := BLOG.plugin.share(rest, root)):
        return Seen(min(far.done, 0.99), far.seconds, time.time() - max(begin, far.when))
    if not ended:
        return Seen(since=START + time.time() - begin)
    seconds = plan.usual_seconds(name, job, scale, root)  # of which so many have ended
    share = (START + sum(seconds[:ended])) / (START + sum(seconds))
    return Seen(share, START + last - begin, time.time() - last)


def _held(lock: Path) -> bool:
    with held(lock, shared=True, wait=False) as free:
        return not free
