"""Guards the databases of MLflow, by the tables that it publishes: read, and neither changed nor trusted."""

import _thread
import math
import threading

import pytest

from curvecast.logs import database, runs
from curvecast.logs.checked_points import Run, apart
from tests.curvecast.logs import made_logs
from tests.curvecast.logs.made_logs import refused

RUNS = """CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL, name VARCHAR(250), status VARCHAR(20), start_time BIGINT,
lifecycle_stage VARCHAR(20), experiment_id INTEGER, CONSTRAINT run_pk PRIMARY KEY (run_uuid))"""
METRICS = """CREATE TABLE metrics (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
CONSTRAINT metric_pk PRIMARY KEY (key, value, timestamp, run_uuid, step, is_nan))"""
ONE_RUN = [("1", "a", "active")]
ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"


@pytest.fixture
def made(tmp_path):
    """A database by statements, whose name a careless reader would take for settings."""
    return lambda *statements: made_logs.database(tmp_path / "x?mode=rwc#.db", *statements)


@pytest.fixture
def mlflow(made):
    """(uuid, name, stage) of runs and (key, value, timestamp, uuid, step, is_nan) of values."""
    named = "INSERT INTO runs (run_uuid, name, lifecycle_stage) VALUES (?, ?, ?)"
    values = "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)"
    return lambda names, rows: made((RUNS,), (METRICS,), (named, *names), (values, *rows))


@pytest.fixture
def one(mlflow):
    """Of one run, so many values."""
    return lambda *values: mlflow(ONE_RUN, curve("1", *values))


def curve(uuid, *values, key="acc"):
    return [(key, value, step, uuid, step, 0) for step, value in enumerate(values, 1)]


def test_each_run_of_mlflow_is_called_by_its_name(mlflow):
    """Two of one name are told apart by the beginning of their ids; one that was deleted is left out."""
    uuids = {"1": ("a", "active"), "2": ("b", "active"), "3": ("b", "active"), "4": ("c", "deleted")}
    names = [(uuid * 32, *about) for uuid, about in uuids.items()]
    found = runs.read(mlflow(names, [row for uuid, *_ in names for row in curve(uuid, 0.5, 0.75)]))
    assert [run.name for run in found] == ["a", "b (22222222)", "b (33333333)"]
    assert found[0] == Run("a", [1, 2], [0.5, 0.75]) and found[0].what == "acc"
    assert apart({1: "a", 2: "a", 3: "b"}) == {1: "a (1)", 2: "a (2)", 3: "b"}  # ids may be numbers


def test_of_several_values_one_is_chosen(mlflow):
    path = mlflow(ONE_RUN, [*curve("1", 0.5, 0.75), *curve("1", 2.5, key="loss")])
    assert "holds 2 values: pass --value with one of acc, loss" in refused(path)
    assert runs.read(path, value="acc") == [Run("a", [1, 2], [0.5, 0.75])]


def test_what_mlflow_stores_for_nan_and_infinity_is_a_hole(mlflow):
    """Its step still counts; a run that has nothing else is left out; of a step the later value counts."""
    odd = ("acc", 0.0, 3, "1", 3, 1), ("acc", 1.7976931348623157e308, 4, "1", 4, 0)
    rows = [
        *curve("1", 0.5, 0.6), *curve("1", 9, key="x"), *odd, ("acc", 0.7, 9, "1", 2, 0), ("acc", 0.0, 1, "2", 1, 1),
    ]  # fmt: skip
    (found,) = runs.read(mlflow([*ONE_RUN, ("2", "b", "active")], rows), value="acc")
    assert (found.steps, found.values, found.rows) == ([1, 2], [0.5, 0.7], [1, 2, 3, 4])


@pytest.mark.parametrize(("rows", "said"), [
    ([("acc", i / 10, i, "1", 0, 0) for i in range(5)], "all of its 5 values at step 0: log them with step="),
    ([("acc", "high\x1b[2J", 1, "1", 1, 0)], "which is no number: mend or delete it"),
    ([("acc", b"\0", 1, "1", 1, 0)], "which is no number: mend or delete it"),
    ([("acc", 0.5, 1, "1", "one", 0)], "which is no number: mend or delete it"),
    ([("acc", 0.5, 1, "1", b"1", 0)], "which is no number: mend or delete it"),
])  # fmt: skip
def test_what_mlflow_would_not_write_is_a_sentence(mlflow, rows, said):
    """SQLite keeps text and bytes where numbers belong; without steps all are at 0."""
    assert said in refused(mlflow(ONE_RUN, rows))


def test_reading_changes_no_byte(one):
    path = one(0.5)
    before, time = path.read_bytes(), path.stat().st_mtime_ns
    runs.read(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, time)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("trap", [
    (RUNS, "CREATE TABLE other (key, value, timestamp, run_uuid, step)", "CREATE VIEW metrics AS SELECT * FROM other"),
    (RUNS, "CREATE VIRTUAL TABLE metrics USING fts4(key, value, timestamp, run_uuid, step)",
     "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, ' VIRTUAL', ' /**/  Virtual')"),
    (RUNS, "CREATE TABLE metrics (key, timestamp, run_uuid, step, raw, value TEXT AS (upper(raw)))"),
], ids=["view", "virtual table", "computed column"])  # fmt: skip
def test_only_what_is_stored_is_believed(made, trap):
    """What views, virtual tables and computed columns would run is not ours to say."""
    assert "is a database, and none of MLflow" in refused(made(*((statement,) for statement in trap)))


@pytest.fixture
def asking(monkeypatch, one):
    """A database of one row, whose reader asks this."""

    def path(statement):
        monkeypatch.setattr(database.mlflow, "names", lambda tables: list(tables.rows(statement)))
        return one(0.5)

    return path


@pytest.mark.parametrize(
    "statement",
    ["SELECT upper(key) FROM metrics", "ATTACH 'other.db' AS other", "PRAGMA query_only = OFF", "DELETE FROM metrics"],
)  # fmt: skip
def test_a_statement_may_read_and_nothing_else(asking, statement):
    """No function runs, not even a harmless one, no other file is opened, and nothing is written."""
    assert "not authorized" in refused(asking(statement))


def test_ctrl_c_is_heard_while_sqlite_works(asking, monkeypatch):
    monkeypatch.setattr(database, "LEAST_WORK", 10**15)
    monkeypatch.setattr(database, "READING", (*database.READING, 31, 33))  # functions, recursion
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        runs.read(asking(ENDLESS))


@pytest.mark.parametrize("value", ["x' OR '1'='1", 'x"; DROP TABLE metrics; --'])
def test_a_name_is_a_name_and_no_statement(one, value):
    path = one(0.5)
    assert "pass --value with one of acc" in refused(path, value=value)
    assert runs.read(path)[0].values == [0.5]


@pytest.mark.parametrize(("limit", "most", "told"), [
    ("LEAST_WORK", 0, "it is endless"), ("MOST_ROWS", 0, "more than 0 rows"),
    ("MOST_RUNS", 2, "has more than 2 runs: at most 2 at once"),
])  # fmt: skip
def test_a_database_has_an_end(mlflow, monkeypatch, limit, most, told):
    """Pages may share their children: a hundred kilobytes then hold more rows than anybody can wait for."""
    monkeypatch.setattr(database, "WORK_PER_BYTE", 0)
    monkeypatch.setattr(database, "BETWEEN_LOOKS", 10)
    monkeypatch.setattr(database, limit, most)
    names = [(name, name, "active") for name in "abc"]
    assert told in refused(mlflow(names, [row for name in "abc" for row in curve(name, 0.5)]))


def test_a_damaged_database_is_a_sentence(one):
    path = one(*[0.5] * 300)
    whole = path.read_bytes()
    for data in (whole[:5000], whole[:100], whole[:200] + b"\xff" * 4000):
        path.write_bytes(data)
        assert "database" in refused(path)


def test_what_mlflow_itself_writes_is_read(tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="needs mlflow: make adapters installs it")
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")
    run = client.create_run(client.create_experiment("search"), run_name="first")
    for step, value in enumerate([0.5, math.nan, math.inf, 0.75], 1):
        client.log_metric(run.info.run_id, "val/acc", value, step=step)
    (found,) = runs.read(tmp_path / "mlflow.db")
    assert found == Run("first", [1, 4], [0.5, 0.75]) and found.rows == [1, 2, 3, 4]
