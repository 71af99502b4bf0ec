"""A database as another program would have written it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def database(path: Path, *statements: tuple[Any, ...]) -> Path:
    """Of statements, each with the rows that it is run for, or alone."""
    with closing(sqlite3.connect(path)) as connection:
        for statement, *rows in statements:
            for row in rows or [()]:
                connection.execute(statement, row)
        connection.commit()
    return path
