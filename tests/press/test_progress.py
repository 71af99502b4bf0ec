"""Guards what a run tells while it works: pages that are done, what it does, and the time that is left."""

import json
import os
import struct

import pytest

from reproduce._press import plan
from reproduce._press import run as runner
from reproduce._press.answers import receipts
from reproduce._press.plan import Job
from reproduce._press.telling import at_work, progress
from reproduce._press.telling.progress import Progress
from reproduce._press.telling.schedule import Seen

JOBS = {
    "measure-q-a": Job("1", parts=("a",)), "measure-q-b": Job("2", parts=("b", "c-1")),
    "measure-r-all": Job("4", parts=("all",)), "draw-one": Job("3", ("measure-q-a", "measure-q-b"), questions=("q",)),
    "draw-two": Job("5", ("measure-r-all",), questions=("r",)), "site": Job("6", ("draw-one", "draw-two")),
}  # fmt: skip
MODEL = "ours-2x96-60k-0123456789ab"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until somebody turns it."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "time", lambda: now[0])
    return now


@pytest.fixture
def told(tmp_path, clock, monkeypatch) -> Progress:
    """A run of two pages; each part of question q takes 100 seconds, all others what nobody knows."""
    monkeypatch.setattr(progress, "answers", lambda questions, *_: f"{len(questions)} yes")
    folder = tmp_path / "figures" / "q" / "laptop"
    folder.mkdir(parents=True)
    noted = [{"part": part, "seconds": 100.0} for part in ("a", "b", "c-1")]
    (folder / receipts.FILE).write_text(json.dumps(receipts.together(noted)))
    (tmp_path / "docs").mkdir()
    for slug in ("one", "two"):
        (tmp_path / "docs" / f"{slug}.md").write_text(f"# Page {slug}\n")
    return Progress("laptop", JOBS, {"one": ["q"], "two": ["r"]}, tmp_path, cores=2, begin=1000.0)


def finish(told: Progress, *jobs: str, at: float = 0.0) -> None:
    for job in jobs:
        dated(told.root / plan.marker("laptop", job), at)


def dated(path, at: float, data: bytes = b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))


def took_lock(told: Progress, lock: str, at: float) -> None:
    dated(told.root / "runs" / "locks" / lock, at)


def test_a_page_is_told_once_when_its_last_question_stands(told):
    """Not before, and not again; a line on the rest follows, unless there is no rest."""
    finish(told, "measure-q-a", "measure-q-b", "measure-r-all")
    assert told.lines() == []
    finish(told, "draw-one")
    assert told.lines() == ["  0 min  Page one: 1 yes", "  0 min, about 1 min left"]
    finish(told, "draw-two")
    assert told.lines() == ["  0 min  Page two: 1 yes", "  0 min, about 1 min left · building the site"]
    finish(told, "site")
    assert told.lines() == []


def test_a_run_that_is_quiet_for_a_minute_says_what_it_does(told, clock):
    """The job that holds the lock which the runner takes is at work. Then the run is quiet again."""
    clock[0] = 1059
    assert told.lines() == []
    clock[0] = 1061
    with runner.exclusive("measure-q-a-laptop", told.root):
        took_lock(told, "measure-q-a-laptop", at=1030)
        assert told.lines() == ["  1 min, about 4 min left · measuring q"] and told.lines() == []
    assert told.seen()["measure-q-a"] == Seen(1)  # without its lock it is over, also when it left no marker


def test_the_time_left_is_at_first_as_published_and_then_follows_this_machine(told, clock):
    """The longest chain is that of the job of two parts; one part takes three times as long here, and then all do."""
    others = 3 * at_work.START + at_work.DRAWING + at_work.SITE
    assert told.left(told.done()) == 200 + others
    clock[0] = 1312
    took_lock(told, "measure-q-a-laptop", at=1000)
    finish(told, "measure-q-a", at=1308)
    assert told.left(told.done()) > 2 * 200


def test_a_run_that_goes_on_does_not_count_what_another_left_behind(told):
    """Neither as its own pace, nor as work to do."""
    took_lock(told, "measure-q-a-laptop", at=500)
    finish(told, "measure-q-a", at=900)
    assert told.seen() == {} and told.left(told.done()) == told.left(set())


def test_a_training_says_in_its_checkpoint_how_far_it_is(told, clock):
    """The half took 70 seconds; what was written before this run has had time since the training began here."""
    checkpoint = told.root / "runs" / "checkpoints" / f"{MODEL}.newest"
    dated(checkpoint, 1110, header([{"curves": 30_000, "seconds": 70.0}]))
    clock[0] = 1120
    with runner.exclusive(MODEL, told.root):
        for began, since in ((1030, 10), (1115, 5)):
            took_lock(told, MODEL, at=began)
            seen = at_work.seen(f"train-{MODEL}", Job("6"), "laptop", told.root, told.begin)
            assert seen == Seen(0.5, 70, since)
    assert progress.words(f"train-{MODEL}", seen) == "training ours-2x96-60k (50 %)"


# -------------------------------------------------------------------------------- how long a job should take


def header(history: object) -> bytes:
    text = json.dumps({"__metadata__": {"history": json.dumps(history)}}).encode()
    return struct.pack("<Q", len(text)) + text


def publish(root, **seconds: float) -> None:
    for name, took in seconds.items():
        entries = [{"curves": 1, "seconds": 1}, {"curves": 2, "seconds": took}]
        dated(root / "weights" / "published" / f"{name}.safetensors", 0, header(entries))


def test_a_training_takes_as_long_as_published_or_in_proportion_to_one_like_it(tmp_path):
    """To its curves and to its layers times the square of its width; no time at all if it lies here."""
    assert at_work.training(MODEL, tmp_path) == plan.UNKNOWN
    publish(tmp_path, **{MODEL: 40, "ours-3x128-10M-1": 9000})
    assert at_work.training(MODEL, tmp_path) == 40
    assert at_work.training("ours-told-2x96-30k-f", tmp_path) == pytest.approx(20)
    assert at_work.training("ours-1x96-60k-f", tmp_path) == pytest.approx(20)
    assert at_work.training("ours-3x128-20M-f", tmp_path) == pytest.approx(18_000)
    assert 0 < at_work.training("ours-2x96-0k-f", tmp_path) < 1
    dated(tmp_path / "weights" / f"{MODEL}.safetensors", 0)
    assert at_work.training(MODEL, tmp_path) == 0


@pytest.mark.parametrize(
    "data", [b"", b"cut", header([])[:-3], header(7), header([{"loss": 1}]), struct.pack("<Q", 2**63) + b"{}"]
)
def test_a_damaged_header_costs_a_guess_and_no_run(tmp_path, data):
    """Also a size that no file has."""
    dated(tmp_path / "weights" / "published" / "net-1.safetensors", 0, data)
    assert at_work.training("net-1", tmp_path) == plan.UNKNOWN
