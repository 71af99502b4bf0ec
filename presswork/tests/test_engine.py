"""Guards plan.py, engine.py and the Snakefile: what runs again, and that no kill costs an answer."""

import fcntl
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest
from processes import is_gone

from presswork import plan
from presswork.jobs import engine


def keys(project, scale="laptop") -> dict[str, str]:
    """Of the jobs of the blog."""
    return {name: job.key for name, job in project.jobs("grid", "line", scale=scale).items()}


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The kinds of jobs whose key differs, and the new ones."""
    return {name.split("-")[0] for name in after if before.get(name) != after[name]}


def test_keys_say_what_must_run_again(project):
    """What draws, the library included: drawing; golden numbers: measuring; a behaviour number: training."""
    before = keys(project)
    (project.root / "CITATION.cff").write_text("version: 2")
    assert changed(before, now := keys(project)) == {"site"}
    project.edit("lib/scores/metrics.py", "x + 1", "1 + x")  # claims may be computed with it
    assert changed(now, now := keys(project)) == {"draw", "site"}
    project.edit("reproduce/toys/line.py", "return {", "return  {")
    assert changed(now, now := keys(project)) == {"draw", "site"}
    project.run("smoke", "line", "--keep")
    assert changed(now, now := keys(project)) == {"measure", "draw", "site"}
    project.edit("lib/curves/prior.py", "BEHAVIOUR = 1", "BEHAVIOUR = 2")
    assert changed(now, now := keys(project)) == {"train", "measure", "draw", "site"}
    project.edit("docs/index.md", "It rises.", "It rises, as a line does.")
    assert changed(now, keys(project)) == {"site"}


@pytest.mark.parametrize("shared", ["protocols/timing.py", "printed/printed.csv", "trainings.py"])
def test_what_chapters_share_is_drawn_from(project, shared):
    before = plan.drawing_key("line", project.root)
    (project.root / "reproduce" / shared).parent.mkdir(exist_ok=True)
    (project.root / "reproduce" / shared).write_text("")
    assert plan.drawing_key("line", project.root) != before


def test_paper_answers_survive_a_change_of_code(project):
    """At paper scale a measurement is keyed on settings, networks included, and not on golden numbers."""
    before = keys(project, "paper")
    project.run("smoke", "line", "--keep")
    assert "measure" not in changed(before, now := keys(project, "paper"))
    project.edit("lib/curves/prior.py", "BEHAVIOUR = 1", "BEHAVIOUR = 2")
    assert "measure" in changed(now, keys(project, "paper"))


def test_a_marker_that_lies_goes_with_all_that_rest_on_it(answered):
    """A result that is gone, or another key: the job and what follows from it are to be done again."""
    jobs = answered.all_done()

    def left() -> set[str]:
        with answered.imported():
            importlib.import_module("presswork.plan").drop_stale_markers("laptop", jobs, answered.root)
        return {path.stem for path in (answered.root / "runs/laptop").glob("*.done")}

    assert left() == set(jobs)
    (answered.answer("grid") / "rows.b.csv").unlink()
    (training,) = (job for job in jobs if job.startswith("train-"))
    assert left() == {training, "measure-line-all", "draw-index"}
    jobs["measure-line-all"] = replace(jobs["measure-line-all"], key="another")
    assert left() == {training}


@pytest.mark.slow
def test_a_fresh_clone_reruns_and_a_second_run_does_not(answered):
    """Committed answers are not taken for finished work; then nothing runs twice, only what changed."""
    answers = rows(answered)
    answered.run("publish", "line", "--scale", "laptop")  # else a ledger would have nothing to compare with
    for made in ("runs", "weights"):  # as git leaves it
        shutil.rmtree(answered.root / made)
    answered.trace()
    first = answered.process("blog")
    everything = ["measured grid a", "measured grid b", "measured line", "trained small"]
    assert sorted(answered.trace()) == everything and rows(answered) == answers
    assert (answered.root / "site" / "index.html").is_file() and "1 yes" in first.stdout

    second = answered.run("blog")
    assert (
        second.stdout.startswith("laptop scale") and "\n0 of " in second.stdout and "1 yes" in second.stdout
    )
    assert "The ledger of this run is in runs/laptop/ledger.json" in first.stdout
    assert "line/steep" in (answered.root / "runs/laptop/ledger.json").read_text()
    (answered.answer("grid") / "rows.b.csv").unlink()
    answered.run("blog")
    assert answered.trace() == ["measured grid b"]

    answered.edit("lib/scores/metrics.py", "x + 1", "x + 2")
    answered.run("blog")
    assert answered.trace() == []  # no hash over code decides
    answered.run("smoke", "line", "--keep")
    answered.trace()
    answered.run("blog")
    assert answered.trace() == ["measured line"]  # golden numbers that are there now, and were not then
    assert answered.answer("line").joinpath("rows.csv").read_text() == "x,y\n0,2\n1,4.28571\n2,6.57143\n"


def rows(project) -> dict:
    """Every file that a run has made here, but for locks."""
    return {path: path.read_bytes() for path in (project.root / "runs" / "here").rglob("*.csv")}


@pytest.mark.slow
def test_a_run_of_the_blog_leaves_out_what_is_broken_and_tells_it_in_the_end(project):
    project.edit("reproduce/toys/line.py", "def measure", "def")
    (project.root / "docs/index.md").write_text("# A toy\n")
    done = project.run("blog", expect=2)
    assert "1 yes" not in done.stdout and (project.root / "site" / "index.html").is_file()
    assert done.stderr == "reproduce/toys/line.py:28 is not Python: invalid syntax.\n"
    assert project.answer("grid").is_dir()


@pytest.mark.slow
def test_a_step_that_fails_is_one_sentence_and_takes_no_verdict(answered):
    """What went well is answered; of what failed its last words are told, and where the others are."""
    broken = "def measure(config, name):\n    1 / 0\n"
    answered.edit("reproduce/toys/grid/question.py", "def measure(config, name):", broken)
    (answered.answer("grid") / "rows.b.csv").unlink()
    (answered.answer("line") / "claims.json").unlink()  # of the same page: drawn all the same
    failed = answered.run("blog", expect=1)
    assert "1 yes" in failed.stdout and "claims tested at laptop scale" in failed.stdout
    told = r"measuring grid-\S+ failed: ZeroDivisionError: .*logs/measure-grid-\S+\.log"
    assert re.findall(told, failed.stderr)
    assert "Traceback" not in failed.stderr and failed.stderr.count("\n") == 2

    answered.edit("reproduce/toys/grid/question.py", "    1 / 0\n", "")
    answered.edit("docs/index.md", "# A toy", "# A toy\n\n[A link](nowhere.md)")
    failed = answered.run("blog", expect=1)
    assert failed.stdout.index("claims tested at laptop scale") > failed.stdout.index("building the site")
    assert re.findall(r"building the site failed: .*nowhere.md", failed.stderr)


@pytest.mark.slow
def test_kill_9_costs_no_answer(answered):
    """What stood there stands, there is one run at a time, and the same command completes the work."""
    before = rows(answered)
    answered.trace()
    answered.edit("reproduce/toys/line.py", "Config(3)", "Config(4)")  # else its answer would stand
    process = start(answered, seconds=600)
    await_trace(answered, process)
    os.kill(process.pid, signal.SIGKILL)  # the parent alone: its jobs live on
    process.wait()
    refused = answered.run("blog", expect=2)
    assert "Another run is at work here" in refused.stderr and "kill" not in refused.stderr
    os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        pipe.read(), pipe.close()
    # free when the last of the killed is gone, of which some write to a log and not to a pipe
    with (answered.root / "runs/lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    assert rows(answered) == before
    answered.trace()
    answered.run("blog")
    assert "measured line" in answered.trace()


def twice(pid: int, number: int) -> None:
    """To the run alone, which waits for its jobs at first."""
    os.kill(pid, number)
    time.sleep(0.5)
    os.kill(pid, number)


def terminate(pid: int, _: int) -> None:
    """As `timeout` does, to the run alone."""
    os.kill(pid, signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("send", [os.killpg, twice, terminate])
def test_ctrl_c_stops_cleanly(project, send):
    """One sentence, exit status 130, no job left behind; a second Ctrl-C ends its jobs at once."""
    process = start(project, seconds=600)
    await_trace(project, process)
    send(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "Stopped. What was finished is kept" in errors
    assert "Traceback" not in errors
    assert is_gone(process.pid)


BEGINS_ANOTHER = """
import signal, subprocess, sys, time
def begin(*_):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
signal.signal(signal.SIGINT, begin)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_a_job_that_begins_while_a_run_is_stopped_is_stopped_too(monkeypatch):
    """What runs the jobs may start one more after the first signal, and leaves it behind at the second."""
    monkeypatch.setattr(engine, "PATIENCE", (0.2, 2, 2))
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([sys.executable, "-c", BEGINS_ANOTHER], **pipe) as process:
        assert process.stdout.readline() == "ready\n"
        engine._let_stop(process)
        job = int(process.stdout.readline())
    assert not psutil.pid_exists(job) or psutil.Process(job).status() == psutil.STATUS_ZOMBIE


def start(project, seconds: int) -> subprocess.Popen:
    """A run of the blog in which every job takes so long."""
    env = project.environment() | {"TOY_SECONDS": str(seconds)}
    pipe = subprocess.PIPE
    how = {"stdout": pipe, "stderr": pipe, "text": True, "start_new_session": True}
    return subprocess.Popen(project.command("blog"), cwd=project.root, env=env, **how)


def await_trace(project, process) -> None:
    """Until the job that takes so long is in the middle of it."""
    deadline = time.monotonic() + 300
    trace = project.root / "trace"
    while not trace.exists() or not {"measured line", "trained small"} & set(trace.read_text().splitlines()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "no job began"
        time.sleep(0.05)
    time.sleep(0.2)


@pytest.mark.slow
def test_a_cluster_gets_one_gpu_for_each_training(project):
    """The Snakefile is read, and a dry run lists every job with what it asks for."""
    how = ["--config", "scale=laptop", "--cores", "1", "--dry-run"]
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(engine.HERE / "Snakefile"), *how]
    pipes = {"capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run(command, cwd=project.root, env=project.environment(), **pipes)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    blocks = text.split("\nrule ")
    (training,) = [block for block in blocks if block.startswith("train-")]
    assert "gpu=1" in training and "runtime=720" in training
    measuring = [block for block in blocks if block.startswith("measure-")]
    assert len(measuring) == 2 and not any("gpu=" in block for block in measuring)
    assert project.trace() == []
