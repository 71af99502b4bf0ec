"""Guards what a run tells while it works, the time that is left on any machine, and what a command would take."""

import importlib
import json
import os
import re
import struct

import pytest

from presswork import plan
from presswork import run as runner
from presswork.answers import receipts
from presswork.plan import Job
from presswork.telling import cost, progress, schedule
from presswork.telling.progress import Progress
from presswork.telling.schedule import Seen

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
    (folder / receipts.RECEIPTS).write_text(json.dumps(receipts.together(noted)))
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


def test_a_clock_that_is_set_back_silences_no_run(told, clock):
    clock[0] = 1061
    assert told.lines() == ["  1 min, about 4 min left"]
    clock[0] = 500
    assert told.lines() == ["  1 min, about 4 min left"] and told.lines() == []


def test_the_time_left_is_at_first_as_published_and_then_follows_this_machine(told, clock):
    """The longest chain is that of the job of two parts; one part takes three times as long here, and then all do."""
    others = 3 * progress.START + progress.DRAWING + progress.SITE
    assert told.left(told.done()) == 200 + others
    clock[0] = 1312
    took_lock(told, "measure-q-a-laptop", at=1000)
    finish(told, "measure-q-a", at=1308)
    assert told.left(told.done()) > 2 * 200


def test_a_run_that_goes_on_does_not_count_what_another_left_behind(told):
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
            seen = progress.how_far(f"train-{MODEL}", Job("6"), "laptop", told.root, told.begin)
            assert seen == Seen(0.5, 70, since)
    assert progress.words(f"train-{MODEL}", seen) == "training ours-2x96-60k (50 %)"


def header(history: object) -> bytes:
    text = json.dumps({"__metadata__": {"history": json.dumps(history)}}).encode()
    return struct.pack("<Q", len(text)) + text


def publish(root, **seconds: float) -> None:
    for name, took in seconds.items():
        entries = [{"curves": 1, "seconds": 1}, {"curves": 2, "seconds": took}]
        dated(root / "weights" / "published" / f"{name}.safetensors", 0, header(entries))


def test_a_training_takes_as_long_as_published_or_in_proportion_to_one_like_it(tmp_path):
    """To its curves and to its layers times the square of its width; no time at all if it lies here."""
    assert progress.making(MODEL, tmp_path) == plan.UNKNOWN
    publish(tmp_path, **{MODEL: 40, "ours-3x128-10M-1": 9000})
    assert progress.making(MODEL, tmp_path) == 40
    assert progress.making("ours-told-2x96-30k-f", tmp_path) == pytest.approx(20)
    assert progress.making("ours-1x96-60k-f", tmp_path) == pytest.approx(20)
    assert progress.making("ours-3x128-20M-f", tmp_path) == pytest.approx(18_000)
    assert 0 < progress.making("ours-2x96-0k-f", tmp_path) < 1
    dated(tmp_path / "weights" / f"{MODEL}.safetensors", 0)
    assert progress.making(MODEL, tmp_path) == 0


@pytest.mark.parametrize(
    "data", [b"", b"cut", header([])[:-3], header(7), header([{"loss": 1}]), struct.pack("<Q", 2**63) + b"{}"]
)
def test_a_damaged_header_costs_a_guess_and_no_run(tmp_path, data):
    dated(tmp_path / "weights" / "published" / "net-1.safetensors", 0, data)
    assert progress.making("net-1", tmp_path) == plan.UNKNOWN


def left(usual: dict[str, float], needs=None, cores: int = 2, **seen: Seen) -> float:
    jobs = {name: Job("", tuple((needs or {}).get(name, ()))) for name in usual}
    return schedule.left(jobs, usual, {name for name, job in seen.items() if job.share == 1}, seen, cores)


def test_jobs_run_side_by_side_and_wait_for_what_they_need():
    """A sum divided by the cores would say 60 seconds; the longest chain takes 100."""
    assert left({"a": 80, "b": 20, "c": 20}, needs={"c": "a"}) == 100
    assert left({"a": 80, "b": 20, "c": 20}, needs={"c": "a"}, cores=1) == 120

    assert left({"a": 5, "b": 5}, needs={"b": "a"}, a=Seen(1, 7), b=Seen(1)) == 0
    # half of a training took 300 seconds, where 100 were usual for the whole
    assert 250 < left({"t": 100}, t=Seen(0.5, 300)) <= 300


def test_what_takes_two_cores_is_alone_on_two():
    wide = {"a": Job(""), "b": Job(""), "c": Job("", threads=2, priority=1)}
    lengths = {"a": 10, "b": 10, "c": 30}
    assert [schedule.left(wide, lengths, set(), {}, cores) for cores in (1, 2, 3)] == [50, 40, 30]


def test_the_pace_is_at_first_the_usual_one_and_then_that_of_the_jobs_that_are_done():
    """A machine of a third of the speed is believed by and by; one job that hung says little."""
    jobs = [f"measure-{q}" for q in "abcdefgh"]
    usual = dict.fromkeys(jobs, 60.0)
    pace = [schedule.pace("measure-h", usual, dict.fromkeys(jobs[:n], Seen(1, 180))) for n in (0, 1, 6)]
    assert pace[0] == 1 and pace[0] < pace[1] < pace[2] == pytest.approx(3, rel=0.1)
    hung = dict.fromkeys(jobs[:6], Seen(1, 60)) | {"measure-g": Seen(1, 6000)}
    assert schedule.pace("measure-h", usual, hung) < 1.5


def test_a_job_that_takes_long_says_so_before_it_is_done_and_is_not_taken_for_done():
    late = [schedule.remaining(10, Seen(since=since)) for since in (5, 20, 80)]
    assert late == pytest.approx([5, 5, 20])
    usual = {"measure-a": 60.0, "measure-b": 60.0}
    pace = [schedule.pace("measure-b", usual, {"measure-a": Seen(since=since)}) for since in (30, 60, 300)]
    assert pace[:2] == [1, 1] and pace[2] > 2


def test_each_kind_of_job_has_a_pace_of_its_own_and_each_question_too():
    """Two threads that wait for one another suffer more from another program than one; answers come from several machines."""
    usual = {"train-a": 600.0, "measure-a": 600.0, "measure-b": 600.0}
    seen = {"train-a": Seen(1, 1800), "measure-a": Seen(1, 900), "measure-b": Seen(1, 1200)}
    pace = [schedule.pace(name, usual, seen) for name in usual]
    assert pace == pytest.approx([3, 1.5, 2], rel=0.1)


TO_MEASURE = {"measure-q-a": Job("", parts=("a", "b"))}


@pytest.fixture
def root(tmp_path):
    """A question with two parts, published on one machine: 10 and 20 seconds, and the memory that each held."""
    notes = [
        {"part": part, "seconds": seconds, "memory_mb": 10 * seconds, "hardware": {"cpu": "A", "gpu": None}}
        for part, seconds in (("a", 10), ("b", 20))
    ]
    path = tmp_path / "figures" / "q" / "laptop" / receipts.RECEIPTS
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(receipts.together(notes)))
    return tmp_path


def test_the_receipts_of_its_parts_make_the_sum_and_half_the_speed_doubles_it(root):
    """Memory is the largest peak, disk the size of what is published; neither hangs on the speed."""
    size = (root / "figures/q/laptop" / receipts.RECEIPTS).stat().st_size / 1e6
    for pace in 1, 2:
        told = cost.of_job("measure-q-a", TO_MEASURE["measure-q-a"], "laptop", {"A": pace}, {"q": 7}, root)
        assert told == pytest.approx((pace * (progress.START + 30), 200, size))


@pytest.mark.parametrize("job", ["measure-q-c", "measure-new-a", "train-new-2x96-60k-0123", "site"])
def test_what_no_receipt_tells_is_not_known(root, job, capsys):
    jobs = {job: Job("", parts=("c",) if job.startswith("measure") else ())}
    assert cost.tell(TO_MEASURE | jobs, "laptop", 1, root) == 0
    said = capsys.readouterr().out
    # without a probe no machine is known
    assert re.search(r"The time of (\d) of \1 steps is not known", said)
    assert re.search(r"^ *not known .* in all", said, re.MULTILINE)


def files(root):
    """But for the list of fonts that matplotlib makes once a machine."""
    paths = [path for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts]
    return {path: path.read_bytes() for path in paths}


@pytest.mark.parametrize("command", ["run", "run line --part all", "train", "blog", "blog --again"])
def test_nothing_is_started_and_nothing_written(project, command):
    before = files(project.root)
    said = project.run(*command.split(), "--cost").stdout
    assert "Nothing was started." in said and "not known" in said and project.trace() == []
    assert files(project.root) == before


def test_what_is_up_to_date_costs_nothing(answered):
    """Nothing is left of a blog whose jobs are done, and where a part was lost, of all parts just this one."""
    assert "nothing would be done" in answered.run("train", "--cost").stdout
    answered.all_done()
    assert "nothing would be done" in answered.run("blog", "--cost").stdout
    (answered.answer("grid") / "rows.b.csv").unlink()
    with answered.imported():
        there = importlib.import_module("presswork.telling.cost")
        left = there.of_blog(["grid", "line"], "laptop", False, answered.root)
    assert [job.parts for job in left.values() if job.parts] == [("b",)]


def test_a_training_that_is_read_after_its_end_says_nothing_of_the_pace(tmp_path):
    """Who reads the weights locks them anew, so that their training seems to have begun after its end."""
    name = "train-ours-2x96-60k-0a"
    for path, moment in (("runs/locks/ours-2x96-60k-0a", 150), (plan.marker("laptop", name), 100)):
        dated(tmp_path / path, moment)
    assert progress.how_far(name, Job("1"), "laptop", tmp_path, since=50) == Seen(1, 0)
