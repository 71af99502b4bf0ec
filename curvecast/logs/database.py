"""A database of another program, in SQLite: MLflow's. Opened with distrust.

It is opened for reading alone. Tables are believed, and neither views nor virtual tables nor triggers; nothing but reading is
allowed to a statement, no function either; names go in as parameters.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from curvecast.ground.errors import demand, reading
from curvecast.logs import mlflow_database as mlflow
from curvecast.logs.checked_points import Points, Run
from curvecast.logs.columns import the_one

BEGINS = b"SQLite format 3\0"
MOST_RUNS = 10_000  # a database of a long search holds more than a table would
MOST_ROWS = 1_000_000  # of one statement
LONGEST = 1_000_000  # bytes of a text
LEAST_WORK, WORK_PER_BYTE = 10_000_000, 50  # instructions of SQLite, of which a row needs some twenty
BETWEEN_LOOKS = 100_000
TOO_MANY = "choose another value with --value, or copy what you need into a CSV"
READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)


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
        meant = mlflow.meant(tables.columns)
        demand(meant, f"{where} is a database, and none of MLflow: write its runs to a CSV")
        key = the_one(mlflow.names(tables), value, where, "value")
        mlflow.read(tables, points, key)
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
