"""How long the rest of a run takes: its jobs at the pace of this machine, in parallel on its cores. No clock, no file."""

import heapq
from collections.abc import Mapping, Set
from dataclasses import dataclass
from statistics import median

from presswork.plan import Job

TRUSTED = 30.0  # usual seconds of finished work that count as much as what was thought before
KIN = 0.75  # of the logarithm of a pace holds for other kinds
CLIP = 3.0  # a job this many times slower or faster than the median one says no more about the machine
OWN = 0.1  # share of a job after which its own pace counts as much as that of its kind
OVERDUE = 0.25  # of the time since it was last heard of, a job that should be done goes on


@dataclass(frozen=True)
class Seen:
    """How far a job is: `took` seconds for this share of it, and `since` seconds after that."""

    share: float = 0.0
    took: float = 0.0
    since: float = 0.0


def left(
    jobs: Mapping[str, Job], usual: Mapping[str, float], done: Set[str], seen: Mapping[str, Seen], cores: int
) -> float:
    """Seconds until the last job is done, from the usual seconds of each. A job that is `seen` and not done is at work."""
    whole = {name: usual[name] * pace(name, usual, seen) for name in jobs if name not in done}
    rest = {name: remaining(seconds, seen.get(name, Seen())) for name, seconds in whole.items()}
    return makespan(jobs, rest, seen.keys() - done, cores)


def remaining(seconds: float, seen: Seen) -> float:
    """The rest of a job that should take so many seconds; its own progress counts more and more."""
    whole = (seen.took + OWN * seconds) / (seen.share + OWN)
    return max(whole * (1 - seen.share) - seen.since, OVERDUE * seen.since)


def pace(job: str, usual: Mapping[str, float], seen: Mapping[str, Seen]) -> float:
    """Seconds here for each usual one: first 1, then estimated from all jobs, its kind and its question."""
    work = {name: (part.took, part.share * usual[name]) for name, part in seen.items() if part.took}
    so_far = _pace(list(work.values()), 1.0)
    late = {name: part.since for name, part in seen.items() if part.since > so_far * usual[name]}
    work |= {name: (since, usual[name]) for name, since in late.items()}  # at least so slow
    estimate = _pace(list(work.values()), 1.0) ** KIN
    for depth in 1, 2:  # train-ours-2x96… counts for train-…, then for train-ours-…
        alike = [work[name] for name in work if name.split("-")[:depth] == job.split("-")[:depth]]
        estimate = _pace(alike, estimate)
    return estimate


def _pace(work: list[tuple[float, float]], before: float) -> float:
    middle = median(took / usual for took, usual in work) if work else before
    clipped = sum(min(max(took, usual * middle / CLIP), usual * middle * CLIP) for took, usual in work)
    return (TRUSTED * before + clipped) / (TRUSTED + sum(usual for _, usual in work))


def makespan(jobs: Mapping[str, Job], rest: Mapping[str, float], running: Set[str], cores: int) -> float:
    """When the last of the jobs that have something left ends, if each begins as soon as needs and cores allow."""
    width = {name: min(jobs[name].threads, cores) for name in rest}
    ends = sorted((rest[name], name) for name in running)
    waiting = sorted((name for name in rest if name not in running), key=lambda name: -jobs[name].priority)
    now, free = 0.0, cores - sum(width[name] for name in running)
    while ends or waiting:
        undone = {*waiting, *(name for _, name in ends)}
        for name in list(waiting):
            if width[name] <= free and undone.isdisjoint(jobs[name].needs):
                waiting.remove(name)
                heapq.heappush(ends, (now + rest[name], name))
                free -= width[name]
        now, ended = heapq.heappop(ends)
        free += width[ended]
    return now
