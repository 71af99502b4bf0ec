"""The jobs of a run on one machine, each in a fork of one process that has imported all: none waits for libraries.

    python -m presswork.jobs.workers SCALE        what engine.py starts, beside the plan in runs/SCALE/plan.json

A fork shares what is imported and nothing else. What a job changes (threads, generators, matplotlib's settings) or leaves
behind ends with it, and one that is killed costs itself alone. On a cluster Snakemake does: Snakefile, profiles/
"""

import gc
import importlib
import multiprocessing
import os
import runpy
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from presswork import contract, plan, store
from presswork.ground import machine
from presswork.ground.blog import BLOG, ROOT
from presswork.ground.errors import UserError
from presswork.plan import Job

FOR_ALL = ("pandas", "matplotlib.pyplot")
# an optimiser of torch asks for its compiler, an import of three seconds
BESIDE_TORCH = ("torch._dynamo", "scipy.stats", "scipy.optimize", *BLOG.imported_first)
# where libraries of the system do not survive a fork, each job imports anew
processes: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def work(scale: str, root: Path = ROOT) -> bool:
    """Begin what can be begun until nothing is left, and note what is done.  -> is all done?"""
    jobs = plan.read(root / plan.file_of_plan(scale))
    done = {name for name in jobs if (root / plan.marker(scale, name)).is_file()}
    begun, start, stopped = set(done), time.monotonic(), list[int]()
    running: dict[Any, tuple[str, Any, float]] = {}
    signal.signal(signal.SIGINT, lambda number, _: stopped.append(number))  # its jobs get one of their own
    while True:
        names = [name for name, *_ in running.values()]
        for name in [] if stopped else next_ones(jobs, done, begun, names, machine.cores(), gpus()):
            begun.add(name)
            process = processes.Process(target=do, args=(name, jobs[name], scale, root))
            process.start()
            running[process.sentinel] = name, process, time.monotonic()
        if not running:
            print(f"all in all,0,{time.monotonic() - start:.2f}", flush=True)
            return done == jobs.keys()
        for sentinel in wait([*running]):
            name, process, begin = running.pop(sentinel)
            process.join()
            print(f"{name},{process.exitcode},{time.monotonic() - begin:.2f}", flush=True)
            if process.exitcode == 0:
                try:
                    store.write(root / plan.marker(scale, name), f"{jobs[name].key}\n".encode())
                    done.add(name)
                except UserError as error:  # a full disk costs the note, and the next run asks what it finds
                    print(error, flush=True)


def next_ones(
    jobs: dict[str, Job], done: set[str], begun: set[str], running: list[str], cores: int, gpus: int
) -> Iterator[str]:
    """Of the jobs whose needs are done, by priority, those for which a core is free, and of GPUs one for each training.

    Where the next one needs more cores than are free, they are kept for it. One at a time measures times.
    """
    free = cores - sum(min(jobs[name].threads, cores) for name in running)
    trainings, timed = sum(map(plan.is_training, running)), any(jobs[name].timed for name in running)
    for name in sorted((name for name in jobs if name not in begun), key=lambda name: -jobs[name].priority):
        width, trains = min(jobs[name].threads, cores), plan.is_training(name)
        if not done.issuperset(jobs[name].needs) or (trains and 0 < gpus <= trainings):
            continue
        if timed and jobs[name].timed:
            continue
        if (free := free - width) < 0:
            return
        trainings, timed = trainings + trains, timed or jobs[name].timed
        yield name


def gpus() -> int:
    return len(list(Path("/dev").glob("nvidia[0-9]*")))


def do(name: str, job: Job, scale: str, root: Path) -> None:
    """What `python -m` with the command of a job does, in this process; what it says goes into a file."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    said = root / plan.log(scale, name)
    said.parent.mkdir(parents=True, exist_ok=True)
    with open(said, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if job.threads > 1:
        import torch

        torch.set_num_threads(job.threads)
    module, *sys.argv[1:] = job.command(name, scale).split()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def import_all(questions: set[str], root: Path) -> None:
    """What jobs would import one after another; whatever is missing or broken is told by the job that needs it."""
    for name in questions:
        with suppress(UserError, ImportError):
            contract.load(name, root)
    for module in FOR_ALL + BESIDE_TORCH * ("torch" in sys.modules):
        with suppress(ImportError):
            importlib.import_module(module)


def main(scale: str) -> int:
    jobs = plan.read(ROOT / plan.file_of_plan(scale))
    import_all({name for job in jobs.values() for name in job.questions}, ROOT)
    gc.freeze()  # else each fork would copy what it never uses
    return 0 if work(scale) else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(*sys.argv[1:]))
