"""`python -m tests.hard_use.large FOLDER` forecasts 10,000 TensorBoard runs, and a table of a million rows, in 2 GB."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.fuzz import events, scalar


def values(i: int, points: int) -> list[float]:
    draw = np.random.default_rng(i)
    y = 0.9 - 0.8 * np.arange(1, points + 1) ** -draw.uniform(0.3, 1.2) + draw.normal(0, 0.005, points)
    return [float(one) for one in y.clip(0, 1).round(4)]


def folder(path: Path, runs: int = 10_000, points: int = 40) -> None:
    for i in range(runs):
        (path / f"run{i}").mkdir(parents=True)
        logged = (scalar(step, y) for step, y in enumerate(values(i, points), 1))
        (path / f"run{i}" / "events.out.tfevents.1").write_bytes(events(*logged))


def table(path: Path, columns: int = 1000, rows: int = 1_000_000) -> None:
    """Of two rows the second has one value; the columns take turns."""
    head, empty = "step" + "".join(f",run{i}" for i in range(columns)), "," * columns
    cells = zip(*(values(i, rows // 2 // columns) for i in range(columns)), strict=True)
    each = (f"{empty[:at]},{y}{empty[at + 1 :]}" for turn in cells for at, y in enumerate(turn))
    pairs = (f"{2 * n}{empty}\n{2 * n + 1}{filled}\n" for n, filled in enumerate(each))
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{head}\n")
        file.writelines(pairs)


if __name__ == "__main__":
    for make, place in ((folder, Path(sys.argv[1], "runs")), (table, Path(sys.argv[1], "table.csv"))):
        make(place)
        command = ["time", "-v", sys.executable, "-m", "curvecast", "forecast", str(place)]
        subprocess.run(["prlimit", f"--as={2 << 30}", *command], stdout=subprocess.DEVNULL, check=True)
