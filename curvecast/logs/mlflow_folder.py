"""MLflow's folder store: a folder for each run, in it a file for each value with lines `time value step`.

What counts, and what is a hole, is as in MLflow's database.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from curvecast.ground.errors import UserError, demand, printable, reading
from curvecast.logs import database
from curvecast.logs.checked_points import MOST_VALUES, Points, Run, apart
from curvecast.logs.columns import the_one

ABOUT, METRICS = "meta.yaml", "metrics"
TOO_MANY = "name the folder of one experiment or run"
LARGEST = 100_000  # bytes of what a run says about itself


class Stored(NamedTuple):
    name: str
    values: dict[str, Path]  # by their keys


def folders(path: Path) -> list[Path]:
    """Of all runs, deleted ones too, below a folder or in it."""
    told = sorted(about for about in path.rglob(ABOUT) if about.is_file() and ".trash" not in about.parts)
    return [about.parent for about in told if (about.parent / METRICS).is_dir()]


def stored(path: Path) -> dict[str, Stored]:
    """The runs below a folder that were not deleted, by their ids."""
    names, values = dict[str, str](), dict[str, dict[str, Path]]()
    for folder in folders(path):
        with (folder / ABOUT).open(encoding="utf-8", errors="replace") as text:
            pairs = (line.partition(": ") for line in text.read(LARGEST).splitlines())
            about = {key: value.strip(" '\"") for key, _, value in pairs}  # all that is read of YAML
        run_id = folder.resolve().name
        if about.get("lifecycle_stage") == "deleted":
            continue
        twice = f"holds run {printable(run_id)} twice: name the folder of one of them"
        demand(run_id not in names, f"{printable(str(path), 200)} {twice}")
        names[run_id] = about.get("run_name") or _tagged(folder) or run_id
        values[run_id] = {file.relative_to(folder / METRICS).as_posix(): file for file in files(folder)}
    return {run_id: Stored(name, values[run_id]) for run_id, name in apart(names).items()}


def _tagged(folder: Path) -> str:
    """What a run is called where MLflow before 2.0 kept it."""
    tag = folder / "tags" / "mlflow.runName"
    with suppress(OSError), tag.open(encoding="utf-8", errors="replace") as text:
        return text.read(LARGEST).strip()
    return ""


def files(folder: Path) -> list[Path]:
    return sorted(file for file in (folder / METRICS).rglob("*") if file.is_file())


def read(path: Path, key: str | None) -> list[Run]:
    points = Points(printable(str(path), 200), TOO_MANY)
    runs = stored(path)
    points.expect(len(runs))
    keys = sorted({key for run in runs.values() for key in run.values})
    key = the_one(keys, key, points.where, "value")
    for run in runs.values():
        if key in run.values:
            with reading(printable(str(run.values[key]), 200), "is no metric of MLflow", "take it away"):
                rows = sorted(_rows(run.values[key]))
            ordered = ((time, step, value, value != value) for step, time, value in rows)
            database.add(points, run.name, key, ordered)
    return points.all()


def _rows(file: Path) -> Iterator[tuple[int, int, float]]:
    """(step, time, value); before there were steps, none was written."""
    with file.open(encoding="utf-8") as text:
        for number, line in enumerate(text):
            if not line.endswith("\n"):  # it may still be being written
                return
            if number >= MOST_VALUES:
                where = printable(str(file), 200)
                raise UserError(f"{where} has more than {MOST_VALUES:,} values: {TOO_MANY}")
            time, value, *step = line.split()
            yield int(step[0] if step else 0), int(time), float(value)


def watched(folder: Path) -> tuple[str, list[Path]] | None:
    """The label of a run's own folder, and the files that tell whether it has changed; None while it cannot be read."""
    with suppress(OSError):
        run_id = folder.resolve().name
        if run := stored(folder).get(run_id):
            return f"{run.name} ({run_id[:8]})", [folder / ABOUT, *run.values.values()]
    return None
