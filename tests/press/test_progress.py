"""Guards reproduce/_press/telling/progress.py: what a run tells while it works, and the time that it says is left."""

import json
import struct

import pytest

from reproduce._press import plan
from reproduce._press.answers import receipts
from reproduce._press.plan import Job
from reproduce._press.telling import progress
from reproduce._press.telling.progress import Progress

JOBS = {
    "measure-q-a": Job("1", parts=("a",)),
    "measure-q-b": Job("2", parts=("b",)),
    "draw-q": Job("3", ("measure-q-a", "measure-q-b")),
    "measure-r-all": Job("4", parts=("all",)),
    "draw-r": Job("5", ("measure-r-all",)),
}


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until somebody turns it."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def told(tmp_path, clock, monkeypatch) -> Progress:
    """A run of two pages; one job of question q takes 100 seconds, all others what nobody knows."""
    monkeypatch.setattr(progress, "verdict", lambda questions, *_: f"{len(questions)} judged")
    folder = tmp_path / "figures" / "q" / "laptop"
    folder.mkdir(parents=True)
    noted = [{"part": part, "seconds": 100.0} for part in "ab"]
    (folder / receipts.FILE).write_text(json.dumps(receipts.together(noted)))
    return Progress(
        "laptop", JOBS, {"Both": ["q", "r"], "One": ["q"]}, tmp_path, cores=2, begin=0.0, said=0.0
    )


def finish(told: Progress, *jobs: str) -> None:
    for job in jobs:
        path = told.root / plan.marker("laptop", job)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(JOBS[job].key)


def test_a_page_is_told_once_when_its_last_question_stands(told):
    """Not before, and not again."""
    finish(told, "measure-q-a", "measure-q-b", "measure-r-all")
    assert told.lines() == []
    finish(told, "draw-q")
    (line,) = told.lines()
    assert line.endswith("One: 1 judged")
    finish(told, "draw-r")
    (line,) = told.lines()
    assert line.endswith("Both: 2 judged") and told.lines() == []


def test_a_run_that_is_quiet_for_a_minute_says_that_it_lives(told, clock):
    """With the steps that are done; then it is quiet again."""
    finish(told, "measure-q-a")
    clock[0] = 59
    assert told.lines() == []
    clock[0] = 61
    (line,) = told.lines()
    assert line.endswith("1 of 5 steps are done") and told.lines() == []


def test_the_time_that_is_left_falls_and_follows_this_machine(told, clock):
    """At first what the receipts say, on all cores; then as fast as this machine has been."""
    start = progress.START  # of each process that measures
    whole = 100 + 100 + progress.UNKNOWN + 3 * start + 5 + 5
    assert told.left(told.done()) == whole / 2
    clock[0] = 300
    finish(told, "measure-q-a")
    assert told.left(told.done()) == (whole - 100 - start) * 300 / (
        100 + start
    )  # three seconds here for one there
    finish(told, *JOBS)
    assert told.left(told.done()) == 0 and "5 min,  0 min left" in told.clock(told.done())


def test_a_long_step_is_partly_done_while_it_works(told, clock):
    """What is left falls between two steps too, by no more than the longest step may still take."""
    told.lines()
    at_first = told.clock(told.done())
    clock[0] = 40
    later = told.clock(told.done())
    assert (at_first, later) == ("  0 min,  2 min left", "  1 min,  1 min left")
    clock[0] = 4000
    assert told.clock(told.done()).endswith(" 1 min left")


def test_what_was_done_before_says_nothing_of_this_run(told, clock):
    """A run that goes on with what another left behind does not count that as its own pace."""
    finish(told, "measure-q-a", "measure-q-b")
    later = Progress("laptop", JOBS, {}, told.root, cores=2)
    clock[0] = 50
    assert later.left(later.done()) == (progress.UNKNOWN + progress.START + 10) / 2


def weights(history: object) -> bytes:
    header = json.dumps({"__metadata__": {"history": json.dumps(history)}}).encode()
    return struct.pack("<Q", len(header)) + header


def test_a_training_takes_as_long_as_its_history_says(tmp_path):
    """From the header of the published weights alone."""
    path = tmp_path / "weights" / "published" / "net-1.safetensors"
    path.parent.mkdir(parents=True)
    path.write_bytes(weights([{"seconds": 10}, {"seconds": 70.5}]))
    assert progress.expected("train-net-1", Job("1"), "laptop", tmp_path) == 70.5


@pytest.mark.parametrize(
    "data",
    [b"", b"cut", weights([])[:-3], weights([]), weights(7), weights([{"loss": 1}]), struct.pack("<Q", 2**63) + b"{}",
     struct.pack("<Q", 2) + b"[]"],
)  # fmt: skip
def test_a_damaged_header_costs_a_guess_and_no_run(tmp_path, data):
    """Also a size that no file has."""
    path = tmp_path / "w.safetensors"
    path.write_bytes(data)
    assert progress.trained(path) == progress.UNKNOWN
