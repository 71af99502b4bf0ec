"""Guards workers.py: forks share what is imported and nothing else, and what happens to one job happens to it alone."""

import os
import signal

import matplotlib
import pytest
import torch

from presswork import plan
from presswork.ground import machine
from presswork.ground.errors import UserError
from presswork.jobs import workers
from presswork.plan import Job

# the processes of pytest have threads of their own, which the engine's do not
pytestmark = pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")


def work(root, monkeypatch, do, **jobs: Job) -> bool:
    """A run of these jobs on two cores, each of which calls `do` with its name; with one `_` for each hyphen."""
    named = {name.replace("_", "-"): job for name, job in jobs.items()}
    plan.write(named, root / plan.file_of_plan("laptop"))
    monkeypatch.setattr(workers, "do", lambda name, *_: do(name))
    monkeypatch.setattr(machine, "cores", lambda: 2)
    before = signal.getsignal(signal.SIGINT)
    try:
        return workers.work("laptop", root)
    finally:
        signal.signal(signal.SIGINT, before)


def done(root) -> set[str]:
    return {path.stem for path in (root / "runs" / "laptop").glob("*.done")}


def test_what_a_job_changes_ends_with_it(tmp_path, monkeypatch):
    """Threads, generators, settings of matplotlib, the environment: the second finds what the first had found."""

    def do(name: str) -> None:
        state = [torch.get_num_threads(), torch.rand(1).item()]
        state += [matplotlib.rcParams["font.size"], os.environ.get("LEFT_BEHIND")]
        (tmp_path / name).write_text(str(state))
        torch.set_num_threads(3)
        matplotlib.rcParams["font.size"] = 30
        os.environ["LEFT_BEHIND"] = name

    assert work(tmp_path, monkeypatch, do, draw_a=Job("1"), draw_b=Job("2", ("draw-a",)))
    assert (tmp_path / "draw-a").read_text() == (tmp_path / "draw-b").read_text()
    assert (tmp_path / plan.marker("laptop", "draw-b")).read_text() == "2\n"


@pytest.mark.parametrize(
    "end", [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(1)], ids=["killed", "failed"]
)
def test_a_job_that_ends_badly_costs_itself_alone(tmp_path, monkeypatch, end):
    """As the system ends what takes too much memory: what needs the job is not begun, and the others go on."""

    def do(name: str) -> None:
        if name == "train-bad":
            end()
        (tmp_path / name).touch()

    jobs = {"train_bad": Job("1", priority=9), "measure_q_a": Job("2", ("train-bad",)), "draw_b": Job("3")}
    assert not work(tmp_path, monkeypatch, do, **jobs)
    assert done(tmp_path) == {"draw-b"} and not (tmp_path / "measure-q-a").exists()
    assert work(tmp_path, monkeypatch, lambda name: None, **jobs) and len(done(tmp_path)) == 3


def test_a_full_disk_costs_the_note_alone(tmp_path, monkeypatch, capfd):
    def full(path, data):
        raise UserError("cannot write it")

    monkeypatch.setattr(workers.store, "write", full)
    jobs = {"draw_a": Job("1"), "draw_b": Job("2")}
    monkeypatch.setattr(
        plan, "read", lambda path: {name.replace("_", "-"): job for name, job in jobs.items()}
    )
    monkeypatch.setattr(plan, "write", lambda jobs, path: None)
    assert not work(tmp_path, monkeypatch, lambda name: None, **jobs)
    assert capfd.readouterr().out.count("cannot write it") == 2


def test_jobs_begin_by_priority_as_cores_and_gpus_allow():
    """What takes two cores waits for both and is alone on them; of trainings one runs on each GPU, if there are any."""
    jobs = {"train-a": Job("", priority=1), "train-b": Job("", priority=3), "draw-c": Job("", priority=2)}
    jobs |= {"draw-d": Job("", ("draw-c",), priority=9), "train-wide": Job("", threads=2, priority=4)}

    def first(running: list[str], cores: int, gpus: int = 0) -> list[str]:
        return [*workers.next_ones(jobs, set(), {*running}, running, cores, gpus)]

    assert first([], 2) == ["train-wide"] and first([], 1) == ["train-wide"]
    assert first(["train-wide"], 2) == first(["train-a"], 2) == []  # the free core is kept
    assert first([], 4) == ["train-wide", "train-b", "draw-c"]
    assert first([], 4, gpus=1) == ["train-wide", "draw-c"]
    assert [*workers.next_ones(jobs, {"draw-c"}, {"draw-c"}, [], 1, 0)] == ["draw-d"]
    jobs = {f"measure-{name}-a": Job("", timed=name in "xy") for name in "xyz"}
    assert first([], 3) == ["measure-x-a", "measure-z-a"] and first(["measure-y-a"], 3) == ["measure-z-a"]
