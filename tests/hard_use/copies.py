"""A fresh copy of what is committed, what runs in it, and the rows that it made."""

import csv
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

from presswork import contract, plan
from presswork.answers import answer, packed
from presswork.contract import ROOT
from presswork.questions import pages_of

Rows = dict[str, list[tuple[str, ...]]]
SCALE = "smoke"
WAIT = 600  # seconds that a step may take


def copy(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def start(root: Path, *arguments: str, said: bool = False) -> "subprocess.Popen[bytes]":
    """`python -m reproduce ARGUMENTS --scale smoke` in this copy, as the leader of a process group of its own."""
    command = [sys.executable, "-m", "reproduce", *arguments, "--scale", SCALE]
    out = None if said else subprocess.DEVNULL
    # one thread: how many share a sum decides its last bit, and a cluster gives other numbers of cores
    environment = os.environ | {
        "PYTHONPATH": f"{root}{os.pathsep}{root / 'presswork' / 'src'}",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    pipes = {"stdout": out, "stderr": out}
    return subprocess.Popen(command, cwd=root, env=environment, start_new_session=True, **pipes)


def until(ready: Callable[[], object], what: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + WAIT
    while not ready():
        assert process.poll() is None, f"it ended before {what}"
        assert time.monotonic() < end, f"after {WAIT} seconds still not: {what}"
        time.sleep(0.2)


def questions(page: str) -> list[str]:
    return pages_of(plan.questions_of(), ROOT)[page]


def rows_without_disturbance(page: str, folder: Path) -> Rows:
    """All questions of the page in one process, without the engine."""
    root = copy(folder)
    assert start(root, "run", *questions(page), said=True).wait() == 0, "the undisturbed run failed"
    return rows(root, page)


def rows(root: Path, page: str) -> Rows:
    """{"question/table": its lines}, to the byte but for columns that no two runs share, which a question names."""
    found: Rows = {}
    for name in questions(page):
        apart = getattr(contract.load(name).module, "STOPWATCHES", ())
        folder = root / answer.HOMES[SCALE] / name / SCALE
        for file in sorted({packed.plain_name(path.name) for path in folder.glob("*.csv*")}):
            if not file.endswith(".table.csv"):  # which are printed from rows
                head, *lines = csv.reader(packed.table(folder, file).decode().splitlines())
                kept = [i for i, column in enumerate(head) if f"{file.split('.')[0]}.{column}" not in apart]
                found[f"{name}/{file}"] = [tuple(line[i] for i in kept) for line in [head, *lines]]
    return found


def differences(found: Rows, expected: Rows) -> list[str]:
    """The tables that differ, each with its first line that does."""
    assert expected, "the undisturbed run left no rows"
    told = []
    for name in sorted({*found, *expected}):
        pairs = zip_longest(found.get(name, []), expected.get(name, []))
        told += [f"{name}, {one} for {other}" for one, other in pairs if one != other][:1]
    return told
