"""Several logs as one set of runs: each run then carries the name of its file."""

import os
from dataclasses import replace
from pathlib import Path

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import MOST_RUNS, MOST_VALUES, Run, printable


def check(files: list[str]) -> None:
    """Each file once, and standard input alone."""
    if "-" in files and len(files) > 1:
        raise UserError("- is standard input, which is read alone: write it to a file first")
    for i, file in enumerate(files):
        same = [other for other in files[:i] if os.path.realpath(other) == os.path.realpath(file)]
        if same:
            raise UserError(f"{printable(file, 200)} is given twice: name each file once")


def together(files: list[str], read: list[list[Run]]) -> list[Run]:
    """The runs of all files, in their order; those of one file alone keep their names."""
    if len(files) == 1:
        return read[0]
    found = [
        replace(run, name=f"{label}: {run.name}")
        for label, runs in zip(labels(files), read, strict=True)
        for run in runs
    ]
    _expect("runs", len(found), MOST_RUNS)
    _expect("values", sum(len(run.values) for run in found), MOST_VALUES)
    return found


def labels(files: list[str]) -> list[str]:
    """The name of each file, with as much of the folders before it as tells it from the others."""
    paths = [Path(os.path.abspath(file)).parts for file in files]
    return ["/".join(path[-_telling(path, paths) :]) for path in paths]


def _telling(path: tuple[str, ...], paths: list[tuple[str, ...]]) -> int:
    """How many parts from the end no other path shares."""
    for n in range(1, len(path)):
        if [other[-n:] for other in paths].count(path[-n:]) == 1:
            return n
    return len(path)


def _expect(what: str, found: int, most: int) -> None:
    if found > most:
        raise UserError(f"the files have {found:,} {what}: at most {most:,} at once; give fewer files")
