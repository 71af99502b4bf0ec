"""Several logs as one set of runs: each run then carries the name of its file."""

import os
from dataclasses import replace
from pathlib import Path

from curvecast.ground.errors import demand, printable
from curvecast.logs.checked_points import MOST_RUNS, MOST_VALUES, Run


def check(files: list[str]) -> None:
    """Each file once, and standard input alone."""
    alone = "-" not in files or len(files) == 1
    demand(alone, "- is standard input, which is read alone: write it to a file first")
    real = [os.path.realpath(file) for file in files]
    for i, file in enumerate(files):
        demand(real[i] not in real[:i], f"{printable(file, 200)} is given twice: name each file once")


def together(files: list[str], read: list[list[Run]]) -> list[Run]:
    """The runs of all files, in their order; those of one file alone keep their names."""
    if len(files) == 1:
        return read[0]
    pairs = zip(labels(files), read, strict=True)
    labelled = [replace(run, name=f"{label}: {run.name}") for label, runs in pairs for run in runs]
    values = sum(len(run.values) for run in labelled)
    for what, count, most in (("runs", len(labelled), MOST_RUNS), ("values", values, MOST_VALUES)):
        demand(count <= most, f"the files have {count:,} {what}: at most {most:,} at once; give fewer files")
    return labelled


def labels(files: list[str]) -> list[str]:
    """The name of each file, with as much of the folders before it as tells it from the others."""
    paths = [Path(os.path.abspath(file)).parts for file in files]

    def telling(path: tuple[str, ...]) -> int:
        """How many parts from the end no other path shares."""
        for n in range(1, len(path)):
            if [other[-n:] for other in paths].count(path[-n:]) == 1:
                return n
        return len(path)

    return ["/".join(path[-telling(path) :]) for path in paths]
