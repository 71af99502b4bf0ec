"""How long a job should take and how far it is, read from receipts, weights, locks and checkpoints."""

import fcntl
import json
import math
import re
import time
from collections.abc import Iterable
from pathlib import Path

from safetensors import SafetensorError, safe_open

from reproduce._press import plan
from reproduce._press.plan import Job
from reproduce._press.telling.schedule import Seen

START = 0.5  # seconds before a job takes its lock
DRAWING = 2.0  # seconds of the answer of a question
SITE = 15.0  # seconds


def usual(name: str, job: Job, scale: str, root: Path) -> float:
    """The seconds that a job took when its answer was published."""
    kind, _, rest = name.partition("-")
    if kind == "train":
        return START + training(rest, root)
    if kind == "measure":
        return START + sum(plan.usual_seconds(name, job, scale, root))
    return START + (SITE if kind == "site" else DRAWING * len(job.questions))


def training(model: str, root: Path) -> float:
    """From the header of its published weights, else scaled from the model most like it."""
    if (root / "weights" / f"{model}.safetensors").is_file():
        return 0.0
    published = {path.stem: history(path) for path in (root / "weights" / "published").glob("*.safetensors")}
    took = {name: entry["seconds"] for name, entry in published.items() if entry}
    like = most_like(model, took)
    return took[like] * math.prod(size(model)) / math.prod(size(like)) if like else plan.UNKNOWN


def most_like(model: str, others: Iterable[str]) -> str:
    """Itself, else the one that costs most nearly as much to train; empty where there are no others."""
    cost = math.log(math.prod(size(model)))
    distance = {name: abs(math.log(math.prod(size(name))) - cost) for name in others}
    return min(distance, key=lambda name: (name != model, distance[name]), default="")


def size(model: str) -> tuple[int, int]:
    """ours-3x128-196k-536ef90dfbdd -> parameters, but for a factor, and curves; of a name that does not say, a guess"""
    layers, width, count, unit = re.findall(r"(\d+)x(\d+)-(\d+)([kM])", f"{model}-2x96-60k")[0]
    curves = int(count) * (1000 if unit == "k" else 1_000_000)
    return int(layers) * int(width) ** 2, curves or 500  # 0k: fewer than a thousand


def history(path: Path) -> dict[str, float]:
    """The last entry of the history in the header of weights or of a checkpoint; empty where there is none."""
    try:
        with safe_open(path, "np") as file:
            entry = json.loads(file.metadata()["history"])[-1]
        return {name: float(entry[name]) for name in ("curves", "seconds")}
    except (SafetensorError, OSError, ValueError, TypeError, LookupError):
        return {}


def seen(name: str, job: Job, scale: str, root: Path, since: float) -> Seen | None:
    """How far a job is whose first lock was taken after `since`; without a lock it failed or ended just now."""
    kind, _, rest = name.partition("-")
    names = [f"measure-{rest.partition('-')[0]}-{part}-{scale}" for part in job.parts] or [rest]
    locks = [(number, root / "runs" / "locks" / lock) for number, lock in enumerate(names)]
    taken = sorted((lock.stat().st_mtime, number, lock) for number, lock in locks if lock.is_file())
    if not taken or taken[-1][0] < since:
        return None
    begin, (last, ended, newest) = min(date for date, *_ in taken if date >= since), taken[-1]
    marker, checkpoint = root / plan.marker(scale, name), root / "runs" / "checkpoints" / f"{rest}.newest"
    if marker.is_file() or not _held(newest):
        # what it trained may be locked again, by a job that reads it: then nobody knows when it began
        return Seen(1, max(START + marker.stat().st_mtime - begin, 0) if marker.is_file() else 0)
    if kind == "train" and (entry := history(checkpoint)):
        share, heard = entry["curves"] / size(rest)[1], max(begin, checkpoint.stat().st_mtime)
        return Seen(min(share, 0.99), entry["seconds"], time.time() - heard)
    if not ended:
        return Seen(since=START + time.time() - begin)
    seconds = plan.usual_seconds(name, job, scale, root)  # of which so many have ended
    share = (START + sum(seconds[:ended])) / (START + sum(seconds))
    return Seen(share, START + last - begin, time.time() - last)


def _held(lock: Path) -> bool:
    with open(lock, encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
