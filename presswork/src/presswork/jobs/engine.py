"""One run of the blog, under our own lock."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from signal import SIGINT
from typing import IO, Any

import psutil

from presswork import plan, store
from presswork.ground import machine
from presswork.ground.blog import HOMES
from presswork.ground.errors import UserError, demand
from presswork.ground.files import take
from presswork.questions import pages_of
from presswork.telling.progress import Progress, failures

SENTENCES = 10  # about what failed
HERE = Path(__file__).parent  # the Snakefile, and the profiles of clusters


def run(scale: str, questions: list[str], profile: str, verdict: Callable[[], str], root: Path) -> int:
    """Make what is missing or outdated, and say the verdict before the site is built. The exit status is that of the jobs."""
    with _lock(root) as lock:
        for folder in (root / HOMES["here"]).glob("*/*"):
            store.finish_interrupted(folder)
        jobs = plan.plan(scale, questions, root)
        plan.drop_stale_markers(scale, jobs, root)
        plan.write(jobs, root / plan.file_of_plan(scale))
        progress = Progress(scale, jobs, pages_of(questions, root), root, machine.cores())
        cost = f"about {progress.left(progress.before) / 60:.0f} minutes on {progress.cores} cores"
        print(f"{len(jobs) - len(progress.before)} of {len(jobs)} steps to do, {cost}", flush=True)
        command = _jobs(scale, profile, root)
        environment = os.environ | machine.ONE_THREAD
        environment |= {"NO_MKDOCS_2_WARNING": "1"}  # the theme's notice about its future
        log = root / plan.log(scale, "engine")
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w", encoding="utf-8") as file:
            where: dict[str, Any] = {"cwd": root, "env": environment, "stdout": file, "stderr": file}
            process = subprocess.Popen(command, pass_fds=[lock.fileno()], **where)
            try:
                status = _tell(process, progress, verdict, root)
            except BaseException:  # nothing may run on after we say that the run ended
                _let_stop(process)
                raise
        if status:
            told = failures(scale, progress.jobs, progress.begin, root)
            more = [f"and {len(told) - SENTENCES} more"] if len(told) > SENTENCES else []
            print(*told[:SENTENCES], *more, sep="\n", file=sys.stderr)
        return status


def _tell(
    process: "subprocess.Popen[bytes]", progress: Progress, verdict: Callable[[], str], root: Path
) -> int:
    """Wait, and print which pages are done; the verdict as soon as only the site is left, at the latest in the end."""
    told = False
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        with suppress(OSError):  # a checkpoint is being replaced, which is no reason to end a run
            for line in progress.lines():
                print(line, flush=True)
        if not told and (process.returncode is not None or progress.only_the_site_is_left()):
            told = True
            if questions := progress.measured_and_not_drawn():  # of a page of which another step failed
                command = [sys.executable, "-m", "presswork", "draw", *questions, "--scale", progress.scale]
                subprocess.run(command, cwd=root, capture_output=True)
            try:
                print(f"\n{verdict()}\n", flush=True)
            except Exception as error:  # the site is built all the same, and failed steps are told
                print(f"\nThe verdict cannot be told: {type(error).__name__}: {error}\n", flush=True)
        if process.returncode is not None:
            return process.returncode


def _jobs(scale: str, profile: str, root: Path) -> list[str]:
    """What runs the jobs of the plan: forks on this machine, Snakemake on a cluster."""
    if profile == "local":
        return [sys.executable, "-m", "presswork.jobs.workers", scale]
    homes = [home / "profiles" / profile for home in (root, HERE) if (home / "profiles" / profile).is_dir()]
    demand(homes, f"There is no profile {profile!r}, neither in profiles/ nor in {HERE / 'profiles'}.")
    files = ["--snakefile", str(HERE / "Snakefile"), "--profile", str(homes[0]), "--directory", str(root)]
    settings = ["--config", f"scale={scale}", f"plan={plan.file_of_plan(scale)}"]
    return [sys.executable, "-m", "snakemake", *files, *settings]


PATIENCE = (5, 30, 30)  # seconds, after each of which those that are left get a signal


def _let_stop(process: "subprocess.Popen[bytes]") -> None:
    """Ctrl-C in a terminal reaches the jobs too; a signal for us alone is passed on. A second Ctrl-C, or time, kills them."""
    left: set[psutil.Process] = set()
    with suppress(KeyboardInterrupt):
        for patience in PATIENCE:
            left = _at_work(process, left)
            _, alive = psutil.wait_procs(left, timeout=patience)
            left = _at_work(process, set(alive))
            for job in left:
                with suppress(psutil.NoSuchProcess):
                    job.send_signal(SIGINT)
    for _ in range(2):  # one may just be starting another
        left = _at_work(process, left)
        for job in left:
            with suppress(psutil.NoSuchProcess):
                job.kill()
        psutil.wait_procs(left, timeout=1)
    process.wait()


def _at_work(process: "subprocess.Popen[bytes]", known: set[psutil.Process]) -> set[psutil.Process]:
    """What runs the jobs, they themselves, and those that it leaves behind."""
    processes = set(known)
    with suppress(psutil.NoSuchProcess):
        processes |= {psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)}
    return processes


def _lock(root: Path) -> IO[str]:
    """One run at a time. The lock is handed down: it lasts until the last job ends, even if we are killed."""
    (root / "runs").mkdir(exist_ok=True)
    file = open(root / "runs" / "lock", "a+", encoding="utf-8")  # noqa: SIM115  # the caller's `with` closes it
    if not take(file.fileno(), wait=False):
        file.close()
        way_out = "wait for it, or stop the process that `fuser runs/lock` names"
        raise UserError(f"Another run is at work here: {way_out}.")
    return file
