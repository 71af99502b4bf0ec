"""Guards reproduce/_press/telling/schedule.py: the time that is left, on machines and jobs that nobody knows beforehand."""

import random
from dataclasses import dataclass
from statistics import median

import pytest

from reproduce._press.plan import Job
from reproduce._press.telling import schedule
from reproduce._press.telling.schedule import Seen

CHECKPOINT = 45.0  # seconds between two of a training


def left(usual: dict[str, float], needs=None, cores: int = 2, **seen: Seen) -> float:
    jobs = {name: Job("", tuple((needs or {}).get(name, ()))) for name in usual}
    return schedule.left(jobs, usual, {name for name, job in seen.items() if job.share == 1}, seen, cores)


def test_jobs_run_side_by_side_and_wait_for_what_they_need():
    """A sum divided by the cores would say 60 seconds; the longest chain takes 100."""
    assert left({"a": 80, "b": 20, "c": 20}, needs={"c": "a"}) == 100
    assert left({"a": 80, "b": 20, "c": 20}, needs={"c": "a"}, cores=1) == 120


def test_what_takes_two_cores_is_alone_on_two():
    """And goes first, as its priority says."""
    wide = {"a": Job(""), "b": Job(""), "c": Job("", threads=2, priority=1)}
    lengths = {"a": 10, "b": 10, "c": 30}
    assert [schedule.left(wide, lengths, set(), {}, cores) for cores in (1, 2, 3)] == [50, 40, 30]


def test_nothing_is_left_when_all_is_done():
    """Also of a job of which nobody knows how long it took."""
    assert left({"a": 5, "b": 5}, needs={"b": "a"}, a=Seen(1, 7), b=Seen(1)) == 0


def test_the_pace_is_at_first_the_usual_one_and_then_that_of_the_jobs_that_are_done():
    """A machine of a third of the speed is believed by and by; one job that hung says little."""
    jobs = [f"measure-{q}" for q in "abcdefgh"]
    usual = dict.fromkeys(jobs, 60.0)
    pace = [schedule.pace("measure-h", usual, dict.fromkeys(jobs[:n], Seen(1, 180))) for n in (0, 1, 6)]
    assert pace[0] == 1 and pace[0] < pace[1] < pace[2] == pytest.approx(3, rel=0.1)
    hung = dict.fromkeys(jobs[:6], Seen(1, 60)) | {"measure-g": Seen(1, 6000)}
    assert schedule.pace("measure-h", usual, hung) < 1.5


def test_a_job_that_takes_long_says_so_before_it_is_done():
    """Then the others are thought to take longer, too."""
    usual = {"measure-a": 60.0, "measure-b": 60.0}
    pace = [schedule.pace("measure-b", usual, {"measure-a": Seen(since=since)}) for since in (30, 60, 300)]
    assert pace[:2] == [1, 1] and pace[2] > 2


def test_each_kind_of_job_has_a_pace_of_its_own_and_each_question_too():
    """Two threads that wait for one another suffer more from another program than one; answers come from several machines."""
    usual = {"train-a": 600.0, "measure-a": 600.0, "measure-b": 600.0}
    seen = {"train-a": Seen(1, 1800), "measure-a": Seen(1, 900), "measure-b": Seen(1, 1200)}
    pace = [schedule.pace(name, usual, seen) for name in usual]
    assert pace == pytest.approx([3, 1.5, 2], rel=0.1)


def test_a_running_training_counts_by_its_own_progress():
    """Half of it took 300 seconds, where 100 were usual for the whole."""
    assert 250 < left({"t": 100}, t=Seen(0.5, 300)) <= 300


def test_a_job_that_should_be_done_is_not_taken_for_done():
    """The longer it takes, the longer it may go on."""
    late = [schedule.remaining(10, Seen(since=since)) for since in (5, 20, 80)]
    assert late == pytest.approx([5, 5, 20])


# ------------------------------------------------------------------------------------ runs as they may come


@dataclass(frozen=True)
class Run:
    """What happened: when each job began and ended."""

    jobs: dict[str, Job]
    usual: dict[str, float]
    spans: dict[str, tuple[float, float]]

    @property
    def end(self) -> float:
        return max(end for _, end in self.spans.values())

    def said(self, now: float) -> float:
        seen = {name: self.seen(name, now) for name, (begin, _) in self.spans.items() if begin <= now}
        done = {name for name, job in seen.items() if job.share == 1}
        return schedule.left(self.jobs, self.usual, done, seen, cores=2)

    def seen(self, name: str, now: float) -> Seen:
        """Of a training what its last checkpoint says."""
        begin, end = self.spans[name]
        if end <= now:
            return Seen(1, end - begin)
        took = (now - begin) // CHECKPOINT * CHECKPOINT if name.startswith("train") else 0
        return Seen(took / (end - begin), took, now - begin - took)


def run(seed: int, pace: float, busy: bool) -> Run:
    """A blog of 9 trainings and 36 questions on a machine of this pace, perhaps beside another program."""
    chance = random.Random(seed)
    usual = {f"train-{i}": chance.uniform(10, 120) for i in range(8)} | {"train-long": 260.0}
    jobs = {name: Job("") for name in usual}
    for q in range(36):
        needs = tuple(chance.sample(list(jobs)[:9], chance.choice([0, 0, 2])))
        measured = tuple(f"measure-{q}-{i}" for i in range(chance.randint(1, 4)))
        jobs |= dict.fromkeys(measured, Job("", needs)) | {f"draw-{q}": Job("", measured)}
        usual |= {name: min(220, chance.lognormvariate(3, 1.2)) for name in measured} | {f"draw-{q}": 6}
    jobs["site"], usual["site"] = Job("", tuple(name for name in jobs if name.startswith("draw"))), 30.0
    return Run(jobs, usual, spans(jobs, usual, chance, pace, busy))


def spans(
    jobs: dict[str, Job], usual: dict[str, float], chance: random.Random, pace: float, busy: bool
) -> dict[str, tuple[float, float]]:
    """Trainings first, then any. Beside another program three share two cores."""
    waiting = sorted(jobs, key=lambda name: (not name.startswith("train"), chance.random()))
    free, ends, found = [0.0, 0.0], dict[str, float](), dict[str, tuple[float, float]]()
    luck: dict[str, float] = {}  # answers were published on several machines
    while waiting:
        now = min(free)
        ready = [name for name in waiting if all(ends.get(need, now + 1) <= now for need in jobs[name].needs)]
        if not ready:  # wait for the other core, or until something ends
            free[free.index(now)] = min(end for end in [*ends.values(), *free] if end > now)
            continue
        waiting.remove(name := ready[0])
        slow = 1.5 if busy else 1
        group = luck.setdefault(name.rpartition("-")[0], chance.lognormvariate(0, 0.3))
        ends[name] = now + usual[name] * pace * slow * group * chance.lognormvariate(0, 0.3)
        found[name] = now, ends[name]
        free = [max(free), ends[name]]
    return found


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "beside another program"])
def test_the_time_left_is_wrong_by_less_than_a_quarter(busy):
    """The median over forty runs, at a quarter, half and three quarters, on machines of 0.3 to 3 times the usual pace."""
    runs = [run(seed, 0.3 * 10 ** (seed / 39), busy) for seed in range(40)]
    for share in (0.25, 0.5, 0.75):
        wrong = median(abs(run.said(share * run.end) / ((1 - share) * run.end) - 1) for run in runs)
        assert wrong < 0.25, f"{wrong:.0%} after {share:.0%}"
