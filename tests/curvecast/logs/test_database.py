"""Guards curvecast/logs/database.py: another program's database is read, and neither changed nor trusted."""

import _thread
import sqlite3
import threading
from contextlib import closing

import pytest

from curvecast.logs import database, runs
from tests.curvecast.logs.complaints import refused
from tests.curvecast.logs.made_database import database as made_of

TRACKIO = (
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)"
)
ROW = "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('now', 'a', 1, '{\"acc\": 0.5}')"


@pytest.fixture
def made(tmp_path):
    """A database by statements, whose name a careless reader would take for settings."""
    return lambda *statements: made_of(tmp_path / "x?mode=rwc#.db", *((one,) for one in statements))


def test_reading_changes_no_byte(made):
    path = made(TRACKIO, ROW)
    before, time = path.read_bytes(), path.stat().st_mtime_ns
    runs.read(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, time)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_nothing_can_be_written_through_the_connection(made):
    path = made(TRACKIO, ROW)
    with (
        closing(database._opened(path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        connection.execute("DELETE FROM metrics")


@pytest.mark.parametrize(
    "trap",
    [
        ("CREATE TABLE other (run_name, step, metrics)", "CREATE VIEW metrics AS SELECT * FROM other"),
        (
            "CREATE TABLE runs (run_uuid, name)",
            "CREATE VIRTUAL TABLE metrics USING fts4(key, value, timestamp, run_uuid, step)",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = replace(sql, ' VIRTUAL', ' /**/  Virtual')",
        ),
        ("CREATE TABLE metrics (run_name, step, raw, metrics TEXT AS (upper(raw)))",),
    ],
    ids=["view", "virtual table", "computed column"],
)
def test_only_what_is_stored_is_believed(made, trap):
    """What views, virtual tables and computed columns would run is not ours to say."""
    assert "neither MLflow's nor Trackio's" in refused(made(*trap))


def test_a_statement_may_read_and_nothing_else(made):
    """No function runs, not even a harmless one, and no other file is opened."""
    with closing(database._opened(made(TRACKIO, ROW))) as connection:
        database._columns(connection)
        assert connection.execute("SELECT run_name FROM metrics").fetchall() == [("a",)]
        for statement in (
            "SELECT upper(run_name) FROM metrics",
            "ATTACH 'other.db' AS other",
            "PRAGMA query_only = OFF",
        ):
            with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
                connection.execute(statement)


@pytest.mark.parametrize("value", ["x' OR '1'='1", 'x"; DROP TABLE metrics; --'])
def test_a_name_is_a_name_and_no_statement(made, value):
    path = made(TRACKIO, ROW)
    assert "pass --value with one of acc" in refused(path, value=value)
    assert runs.read(path)[0].values == [0.5]


@pytest.mark.parametrize(
    ("limit", "told"), [("LEAST_WORK", "it is endless"), ("MOST_ROWS", "more than 0 rows")]
)
def test_a_database_has_an_end(made, monkeypatch, limit, told):
    """Pages may share their children: a hundred kilobytes then hold more rows than anybody can wait for."""
    monkeypatch.setattr(database, "WORK_PER_BYTE", 0)
    monkeypatch.setattr(database, "BETWEEN_LOOKS", 10)
    monkeypatch.setattr(database, limit, 0)
    assert told in refused(made(TRACKIO, ROW, ROW))


def test_ctrl_c_is_heard_while_sqlite_works(made, monkeypatch):
    monkeypatch.setattr(database, "LEAST_WORK", 10**15)
    endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"
    monkeypatch.setattr(database, "_columns", lambda connection: connection.execute(endless))
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        runs.read(made(TRACKIO))


def test_a_damaged_database_is_a_sentence(made):
    """Cut short, or full of noise behind a good beginning."""
    path = made(TRACKIO, *[ROW] * 50)
    whole = path.read_bytes()
    for data in (whole[:5000], whole[:100], whole[:200] + b"\xff" * 4000):
        path.write_bytes(data)
        assert "database" in refused(path)


def test_more_runs_than_a_search_has_are_refused(made, monkeypatch):
    monkeypatch.setattr(database, "MOST_RUNS", 2)
    path = made(TRACKIO, *[ROW.replace("'a'", f"'{name}'") for name in "abc"])
    assert "has more than 2 runs: at most 2 at once" in refused(path)
