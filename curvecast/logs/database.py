"""MLflow's database, in SQLite, opened with distrust: a row for each value of each run; and its folders, a file a value.

It is opened for reading alone. Tables are believed, and neither views nor virtual tables nor triggers; nothing but reading is
allowed to a statement, no function either; names go in as parameters. Of a step that was logged twice the later value counts.
What MLflow stores for NaN and infinity is a hole. Deleted runs are left out.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from curvecast.ground.errors import UserError, demand, printable, reading
from curvecast.logs.checked_points import MOST_VALUES, NoLog, Points, Run, apart
from curvecast.logs.columns import listed, the_one

BEGINS = b"SQLite format 3\0"
MOST_RUNS = 10_000  # a database of a long search holds more than a table would
MOST_ROWS = 1_000_000  # of one statement
LONGEST = 1_000_000  # bytes of a text
LEAST_WORK, WORK_PER_BYTE = 10_000_000, 50  # instructions of SQLite, of which a row needs some twenty
BETWEEN_LOOKS = 100_000
TOO_MANY = "choose another value with --value, or copy what you need into a CSV"
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
OF_METRICS = {"key", "value", "timestamp", "run_uuid", "step"}  # columns
INFINITE = 1.7e308  # MLflow writes the largest number for infinity


class Tables(NamedTuple):
    """The real tables of a database, and rows of them."""

    connection: sqlite3.Connection
    columns: dict[str, list[str]]  # by table

    def rows(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        for count, row in enumerate(self.connection.execute(statement, values)):
            if count > MOST_ROWS:
                raise sqlite3.DataError(f"more than {MOST_ROWS:,} rows")
            yield row


def read(path: Path, where: str, value: str | None) -> list[Run]:
    """The value of each run; the only one needs no name."""
    points = Points(where, TOO_MANY, MOST_RUNS)
    points.unit = "row"
    with (
        reading(where, "cannot be read as a database", "try again, or copy what you need into a CSV"),
        closing(_opened(path)) as connection,
        _limited(connection, path),
    ):
        tables = Tables(connection, _columns(connection))
        meant = set(tables.columns.get("metrics", ())) >= OF_METRICS and "runs" in tables.columns
        demand(meant, f"{where} is a database, and none of MLflow: write its runs to a CSV")
        _read_metric(tables, points, the_one(names(tables), value, where, "value"))
    return _all(points)


def names(tables: Tables) -> list[str]:
    return [str(name) for (name,) in tables.rows("SELECT DISTINCT key FROM metrics ORDER BY key")]


def _read_metric(tables: Tables, points: Points, key: str) -> None:
    stage = "lifecycle_stage" if "lifecycle_stage" in tables.columns["runs"] else "'active'"
    runs = tables.rows(f"SELECT run_uuid, name, {stage} FROM runs")
    told = apart({uuid: str(name or uuid) for uuid, name, at in runs if at != "deleted"})
    nan = "is_nan" if "is_nan" in tables.columns["metrics"] else "0"
    order = "ORDER BY run_uuid, step, timestamp"
    rows = tables.rows(
        f"SELECT timestamp, step, value, {nan}, run_uuid FROM metrics WHERE key = ? {order}", key
    )
    for uuid, own in groupby(rows, key=lambda row: row[-1]):
        if uuid in told:
            add(points, told[uuid], key, own)


def add(points: Points, name: str, key: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Rows: milliseconds, step, value, is it NaN?"""
    times = points.times.setdefault(name, [])
    count, values = 0, dict[float, float | None]()
    has = f"{points.where}: run '{printable(name)}' has"
    for time, step, value, nan, *_ in rows:
        count += 1
        if not isinstance(step, int) or not isinstance(value, int | float | None):
            wrong = printable(f"{value!r} at step {step!r}")
            raise UserError(f"{has} {wrong}, which is no number: mend or delete it")
        if isinstance(time, int | float):
            times.append((float(step), time / 1000))
        # of one step the later value overwrites the earlier one
        values[float(step)] = None if nan or value is None or abs(value) >= INFINITE else float(value)
    stepped = count <= 1 or values.keys() != {0}
    if stepped:
        points.fill(name, values, key)
    else:
        points.stepless[name] = f"{has} all of its {count} values at step 0: log them with step="


def _all(points: Points) -> list[Run]:
    """The runs; those without steps are left out, unless there is no other."""
    if points.stepless:
        demand(points.runs, next(iter(points.stepless.values())))
        told = f"left out are runs with all of their values at step 0: {listed([*points.stepless])}"
        next(iter(points.runs.values())).doubts.append(told)
    return points.all()


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
    connection.text_factory = lambda text: text.decode(errors="replace")
    for setting in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {setting}")
    return connection


@contextmanager
def _limited(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """As much work as so large a file can need: pages may share their children, and then have no end.

    Ctrl-C ends it as well: Python hears it while it counts, and SQLite then says that it was interrupted.
    """
    files = (path, path.with_name(f"{path.name}-wal"))
    size = sum(file.stat().st_size for file in files if file.exists())
    looks = iter(range((LEAST_WORK + WORK_PER_BYTE * size) // BETWEEN_LOOKS))
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    connection.set_progress_handler(lambda: next(looks, None) is None, BETWEEN_LOOKS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        if next(looks, None) is not None:
            raise KeyboardInterrupt from None
        raise sqlite3.DataError("it is endless") from error


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Of each real table; from here on statements may read, and nothing else."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    real = [name for name, sql in rows if str(sql).upper().startswith("CREATE TABLE")]  # as SQLite writes it
    columns = {
        table: [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        for table in real
    }
    allow, deny = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
    connection.set_authorizer(lambda action, *_: allow if action in READING else deny)
    return columns


# -----------------------------------------------------------------------------------------------------------
# MLflow's folder store: a folder for each run, in it a file for each value with lines `time value step`.
#
# What counts, and what is a hole, is as in MLflow's database.

ABOUT, METRICS = "meta.yaml", "metrics"
NAME_ONE = "name the folder of one experiment or run"
MOST_TOLD = 100_000  # bytes of what a run says about itself


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
            pairs = (line.partition(": ") for line in text.read(MOST_TOLD).splitlines())
            about = {key: value.strip(" '\"") for key, _, value in pairs}  # all that is read of YAML
        run_id = folder.resolve().name
        if about.get("lifecycle_stage") == "deleted":
            continue
        twice = f"holds run {printable(run_id)} twice: name the folder of one of them"
        demand(run_id not in names, f"{printable(str(path), 200)} {twice}")
        names[run_id] = about.get("run_name") or run_id
        values[run_id] = {file.relative_to(folder / METRICS).as_posix(): file for file in files(folder)}
    return {run_id: Stored(name, values[run_id]) for run_id, name in apart(names).items()}


def files(folder: Path) -> list[Path]:
    return sorted(file for file in (folder / METRICS).rglob("*") if file.is_file())


def read_folder(path: Path, key: str | None) -> list[Run]:
    points = Points(printable(str(path), 200), NAME_ONE)
    runs = stored(path)
    points.expect(len(runs))
    keys = sorted({key for run in runs.values() for key in run.values})
    if not keys:  # as of a run that only has others below it
        raise NoLog(f"{points.where} holds no values: log some, or name another file or folder")
    key = the_one(keys, key, points.where, "value")
    for run in runs.values():
        if key in run.values:
            with reading(printable(str(run.values[key]), 200), "is no metric of MLflow", "take it away"):
                rows = sorted(_rows(run.values[key]))
            ordered = ((time, step, value, value != value) for step, time, value in rows)
            add(points, run.name, key, ordered)
    return _all(points)


def _rows(file: Path) -> Iterator[tuple[int, int, float]]:
    """(step, time, value); before there were steps, none was written."""
    with file.open(encoding="utf-8") as text:
        for number, line in enumerate(text):
            if not line.endswith("\n"):  # it may still be being written
                return
            if number >= MOST_VALUES:
                where = printable(str(file), 200)
                raise UserError(f"{where} has more than {MOST_VALUES:,} values: {NAME_ONE}")
            time, value, *step = line.split()
            yield int(step[0] if step else 0), int(time), float(value)


def watched(folder: Path) -> tuple[str, list[Path]] | None:
    """The label of a run's own folder, and the files that tell whether it has changed; None while it cannot be read."""
    with suppress(OSError):
        run_id = folder.resolve().name
        if run := stored(folder).get(run_id):
            return f"{run.name} ({run_id[:8]})", [folder / ABOUT, *run.values.values()]
    return None
