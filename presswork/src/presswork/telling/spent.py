"""What a run of the blog and its tests take, in multiples of a probe on the same machine, beside the last quiet ones.

    presswork verify --time           # today's beside the table; with --write they become it

The table is written on a quiet machine. What adds to it finds its seconds elsewhere: a test adds each column up.
"""

import csv
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple
from xml.etree import ElementTree

from presswork import plan, store
from presswork.ground.blog import BLOG

TABLE = Path("ledger", "seconds.csv")
LEAST = 10  # probes of what has a line of its own
OTHERS, TOTAL = "all others", "all in all"
REPORTS = {"make test": "runs/tests.xml", "make quick": "runs/quick.xml"}  # of pytest
RUN, PROBE = BLOG.whole, "the probe"


class Line(NamedTuple):
    command: str  # that of a whole run, or of tests
    what: str  # a question, a network, or a file of tests; TOTAL: by the clock on the wall
    probes: float


def probe(times: int = 9) -> float:
    """Seconds of a fixed computation, products of matrices and Python's own: the quickest of several."""
    import numpy as np  # not by those who only ask what there is

    def seconds() -> float:
        begin, x = time.perf_counter(), np.random.default_rng(0).normal(size=(400, 400))
        for _ in range(20):
            x = np.tanh(x @ x / 20)
        sum(i * i for i in range(400_000))
        return time.perf_counter() - begin

    return min(seconds() for _ in range(times))


def today(scale: str, root: Path) -> list[Line]:
    """Of the last run, and of the last reports of tests, as far as they are there; the dearest first."""
    unit = probe()
    lines = [Line(PROBE, "seconds", round(unit, 4))]
    found = {RUN: of_run(root / plan.log(scale, "engine"))}
    found |= {command: of_report(root / report) for command, report in REPORTS.items()}
    for command, seconds in found.items():
        named = {what: took for what, took in seconds.items() if took >= LEAST * unit}
        rest = sum(seconds.values()) - sum(named.values())
        told = sorted(named.items(), key=lambda one: (one[0] != TOTAL, -one[1]))
        told += [(OTHERS, rest)] if rest else []
        lines += [Line(command, what, round(took / unit, 1)) for what, took in told]
    return lines


def of_run(log: Path) -> dict[str, float]:
    """Seconds of the jobs in the log of an engine, by question, by network, and of drawing and the site."""
    found: dict[str, float] = defaultdict(float)
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else []:
        name, *_, seconds = line.split(",")
        found[of_job(name)] += float(seconds) if seconds.replace(".", "").isdigit() else 0
    return dict(found)


def of_job(name: str) -> str:
    """The line of a job: a question, a network, or what it does."""
    kind, _, rest = name.partition("-")
    return {"measure": rest.partition("-")[0], "train": rest}.get(kind, kind)


def expected(usual: dict[str, float], root: Path) -> dict[str, float]:
    """Seconds of jobs on this machine: those of each line of the table are shared as receipts say, `usual`."""
    if not (root / TABLE).is_file():
        return usual
    together: dict[str, float] = defaultdict(float)
    unit = probe()
    for name, seconds in usual.items():
        together[of_job(name)] += seconds
    table = {what: probes * unit for command, what, probes in read(root) if command == RUN}
    pace = {what: table[what] / seconds for what, seconds in together.items() if what in table and seconds}
    others = median(pace.values()) if pace else 1.0
    return {name: seconds * pace.get(of_job(name), others) for name, seconds in usual.items()}


def of_report(report: Path) -> dict[str, float]:
    """Seconds of tests by file."""
    if not report.is_file():
        return {}
    suite = next(ElementTree.parse(report).iter("testsuite"))
    found: dict[str, float] = defaultdict(float)
    for case in suite.iter("testcase"):
        found[f"{case.get('classname', '').replace('.', '/')}.py"] += float(case.get("time", 0))
    return {TOTAL: float(suite.get("time", 0))} | found


def read(root: Path) -> list[Line]:
    with (root / TABLE).open(encoding="utf-8", newline="") as file:
        return [Line(line["command"], line["what"], float(line["probes"])) for line in csv.DictReader(file)]


def write(lines: list[Line], root: Path) -> None:
    """Of commands that were not run the old lines stay."""
    new = {line.command for line in lines}
    kept = [line for line in read(root) if line.command not in new] if (root / TABLE).is_file() else []
    text = "".join(f"{','.join(map(str, line))}\n" for line in [Line._fields, *kept, *lines])
    store.write(root / TABLE, text.encode())


def show(lines: list[Line], root: Path) -> str:
    before = {line[:2]: line.probes for line in read(root)} if (root / TABLE).is_file() else {}
    now = {line[:2]: line.probes for line in lines}
    told = [f"{'probes':70}{'here':>9}{'table':>9}"]
    for key in dict.fromkeys([*now, *before]):
        pair = "".join(f"{at[key]:9.1f}" if key in at else f"{'':9}" for at in (now, before))
        told.append(f"{key[0]:16}{key[1]:54}{pair}")
    return "\n".join(told)
