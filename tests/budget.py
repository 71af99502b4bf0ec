"""What the tests take, by file, in multiples of a probe on the same machine, and what they may take together.

    python -m pytest --numprocesses 2 --dist worksteal --junitxml runs/tests.xml
    python -m tests.budget runs/tests.xml            # today's beside the table; with --write it becomes the table

A table is written from a run on a quiet machine. What adds to it finds its seconds elsewhere: test_house.py adds them up.
"""

import argparse
import csv
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

TABLE = Path(__file__).with_name("budget.csv")
MOST = 12_500  # probes: nine minutes of two cores
LEAST = 10  # probes of a file that has a line of its own
OTHERS = "all others"


def probe(times: int = 9) -> float:
    """Seconds of a fixed computation, products of matrices and Python's own: the quickest of several."""

    def seconds() -> float:
        begin, x = time.perf_counter(), np.random.default_rng(0).normal(size=(400, 400))
        for _ in range(20):
            x = np.tanh(x @ x / 20)
        sum(i * i for i in range(400_000))
        return time.perf_counter() - begin

    return min(seconds() for _ in range(times))


def probes(report: Path) -> dict[str, float]:
    """Of each file of a report by pytest, the dearest first."""
    found: dict[str, float] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        file = f"{case.get('classname', '').replace('.', '/')}.py"
        found[file] = found.get(file, 0) + float(case.get("time", 0))
    unit = probe()
    dear = {file: round(took / unit, 1) for file, took in found.items() if took >= LEAST * unit}
    rest = sum(found.values()) / unit - sum(dear.values())
    return dict(sorted(dear.items(), key=lambda one: -one[1])) | {OTHERS: round(rest, 1)}


def table() -> dict[str, float]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {line["file"]: float(line["probes"]) for line in csv.DictReader(file)}


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.budget", description=__doc__)
    arguments.add_argument("report", type=Path)
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    today, before = probes(asked.report), table() if TABLE.is_file() else {}
    for file in {**today, **before}:
        print(f"{file:52}{today.get(file, 0):9.1f}{before.get(file, 0):9.1f}")
    print(f"{'together':52}{sum(today.values()):9.1f}{sum(before.values()):9.1f}  of at most {MOST:,}")
    if asked.write:
        lines = [("file", "probes"), *today.items()]
        TABLE.write_text("".join(f"{file},{n}\n" for file, n in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
