"""Inputs as large as readers take: a folder of 10,000 TensorBoard runs, a sparse table of 1,000 columns and a million rows.

python -m tests.hard_use.large FOLDER       makes both there (1.1 GB) and forecasts each in 2 GB of memory
"""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.curvecast.logs.known_harms import events, scalar


def values(i: int, points: int) -> list[float]:
    draw, steps = np.random.default_rng(i), np.arange(1, points + 1)
    end, power = draw.uniform(0.6, 0.95), draw.uniform(0.3, 1.2)
    noisy: np.ndarray = end - (end - 0.1) * steps**-power + draw.normal(0, 0.005, points)
    return [float(y) for y in noisy.clip(0, 1).round(4)]


def folder(path: Path, runs: int = 10_000, points: int = 40) -> None:
    for i in range(runs):
        (path / f"run{i}").mkdir(parents=True)
        logged = (scalar(step, y) for step, y in enumerate(values(i, points), 1))
        (path / f"run{i}" / "events.out.tfevents.1").write_bytes(events(*logged))


def table(path: Path, columns: int = 1000, rows: int = 1_000_000) -> None:
    """Of two rows one has a value; the columns take turns."""
    runs = [iter(values(i, rows // 2 // columns)) for i in range(columns)]
    with path.open("w", encoding="utf-8") as file:
        print("step", *(f"run{i}" for i in range(columns)), sep=",", file=file)
        for row in range(rows):
            at = row // 2 % columns
            before, after = ("," * (at + 1), "," * (columns - at - 1)) if row % 2 else ("", "," * columns)
            print(f"{row}{before}{next(runs[at]) if row % 2 else ''}{after}", file=file)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    folder(place / "runs")
    table(place / "table.csv")
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    for large in ("runs", "table.csv"):
        subprocess.run(
            ["time", "-v", sys.executable, "-m", "curvecast", "forecast", place / large], check=True
        )
