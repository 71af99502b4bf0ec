"""Guards runs.read against what is no log, and the databases of MLflow: read, and neither changed nor trusted."""

import _thread
import gzip
import io
import json
import math
import os
import pickle
import sys
import threading
import zipfile
from itertools import chain

import pytest

from curvecast.logs import checked_points, database, json_lines, runs
from curvecast.logs.checked_points import Run, apart
from tests.curvecast.logs import made_logs
from tests.curvecast.logs.made_logs import complaint, refused

AB = [Run("a", [1, 2], [0.5, 0.6]), Run("b", [1], [0.25])]
WIDE = "step,a,b\n1,0.5,0.25\n2,0.6,\n"


def piped(monkeypatch, data: bytes | io.RawIOBase) -> None:
    raw = io.BytesIO(data) if isinstance(data, bytes) else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))


@pytest.mark.parametrize("source", [None, "-"])
def test_standard_input_is_a_source_and_stays_open(monkeypatch, source):
    piped(monkeypatch, b"\xef\xbb\xbf0.5\n0.6\n")
    assert runs.read(source) == [Run("run", [1, 2], [0.5, 0.6])]
    assert not sys.stdin.closed and not sys.stdin.buffer.closed


def test_nobody_waits_at_a_terminal(monkeypatch):
    piped(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert refused(None) == "there is nothing to read: name a file, or pipe one in"
    assert refused("-").startswith("standard input is empty")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system does not name open files")
def test_a_pipe_with_a_name_is_read():
    """As /dev/stdin, and as <(...) in a shell: it cannot be read twice."""
    end, begin = os.pipe()
    os.write(begin, WIDE.encode())
    os.close(begin)
    assert runs.read(f"/dev/fd/{end}") == AB
    os.close(end)


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as whole:
        whole.writestr("log.csv", WIDE)
    return file.getvalue()


@pytest.mark.parametrize(("data", "expected"), [
    (gzip.compress(WIDE.encode(), mtime=0), "is not a text file: it is compressed, unpack it first"),
    (archive(), "is not a text file: unpack the archive, or save the spreadsheet as CSV"),
    (WIDE.encode("utf-16"), "is not a text file in UTF-8: it is UTF-16, save it as UTF-8"),
    (WIDE.encode("utf-16-le"), "is not a text file"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a text file in UTF-8: save it as CSV or JSON lines"),
    (pickle.dumps([1, 2]), "is not a text file"),
    ("step,naïve\n1,2".encode("latin-1"), "is not a text file in UTF-8: save it"),
    (b"step,a\n" + b"1" * runs.LONGEST_LINE, "has a line of more than 4,000,000 characters"),
])  # fmt: skip
def test_what_is_not_text_is_refused(tmp_path, monkeypatch, data, expected):
    (tmp_path / "log.csv").write_bytes(data)
    assert f"log.csv {expected}" in refused(tmp_path / "log.csv")
    piped(monkeypatch, data)
    assert f"standard input {expected}" in refused(None)


@pytest.mark.parametrize("before", ["", "\n \n"])
def test_a_document_may_be_one_long_line(before, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_LINE", 400_000)
    text = before + json.dumps({"a": [1 / 3] * 25_000, "b": [0.5]})
    assert len(text) > runs.LONGEST_LINE
    assert [len(run.values) for run in runs.parse(text, "history.json")] == [25_000, 1]


def test_a_document_of_one_line_has_a_limit_as_well(monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_LINE", 20)
    monkeypatch.setattr(json_lines, "LARGEST", 40)
    text = json.dumps({"a": [0.1] * 4})
    assert len(text) < 40 and len(runs.parse(text, "log.json")[0].values) == 4
    assert "is too large for one JSON document: write one record" in complaint('{"a": [' + "0.1, " * 100)
    assert "has a line of more than 20 characters" in complaint('step,a\n{"a": [0.1, 0.1, 0.1, 0.1]}')
    line = '{"step": 1, "a": 1}\n'  # it ends at the limit, and what follows is the next one
    assert len(line) == 20 and runs.parse(line + '{"step":2, "a": 2}', "x", value="a")[0].values == [1, 2]
    monkeypatch.setattr(json_lines, "MOST_PARTS", 5)
    assert "is too large for one JSON document" in complaint('{"a": [[], [], [], []]}')


def test_a_missing_file_tells_its_neighbours(tmp_path):
    (tmp_path / "losses.csv").write_text(WIDE)
    assert refused(tmp_path / "loses.csv").endswith("did you mean losses.csv?")
    assert refused(tmp_path / "zzz").endswith("zzz: check the name")
    assert refused(tmp_path / "none" / "log.csv").endswith("log.csv: check the name")
    assert "download the file first" in refused("hf://me/mine/trainer_state.json")


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / ("x" * 5000), str(tmp_path / "a\0b"), tmp_path / "file" / "log.csv", "\x1b[31m"):
        assert len(refused(path)) < 400


@pytest.mark.parametrize(
    ("limit", "runs_of", "expected"),
    [("MOST_RUNS", "ab", "has more than 1 runs: at most 1 at once"), ("MOST_VALUES", "aa", "has more than 1 values: keep")],
)  # fmt: skip
def test_as_much_as_the_limit_is_fine_and_no_more(monkeypatch, limit, runs_of, expected):
    text = "run,step,value\n" + "".join(f"{name},{step},1\n" for step, name in enumerate(runs_of))
    monkeypatch.setattr(checked_points, limit, 2)
    assert len(runs.parse(text, "log.csv")) == len(set(runs_of))
    monkeypatch.setattr(checked_points, limit, 1)
    assert expected in complaint(text)


class Endless(io.RawIOBase):
    """A log of three million rows."""

    def __init__(self, first: str, row: str):
        blocks = ("".join(map(row.format, range(at, at + 300))) for at in range(0, 3_000_000, 300))
        self.parts, self.left = map(str.encode, chain([first], blocks)), b""

    def readable(self):
        return True

    def readinto(self, buffer):
        self.left = self.left or next(filter(None, self.parts), b"")
        part, self.left = self.left[: len(buffer)], self.left[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize(("first", "row", "expected"), [
    ("step,a\n", "{},0.5\n", " has more than 50,000 values: keep every n-th row"),
    ("run,step,value\n", "{},1,0.5\n", " has more than 1,000 runs: at most 1,000 at once"),
    ("", '{{"run": "{}", "step": 1, "value": 1}}\n', " has more than 1,000 runs"),
    ("step,a,a\n", "{},0.5,1\n", ", line 1: two columns are called 'a'"),
])  # fmt: skip
def test_too_much_is_refused_without_the_rest(monkeypatch, first, row, expected):
    monkeypatch.setattr(checked_points, "MOST_VALUES", 50_000)
    piped(monkeypatch, log := Endless(first, row))
    assert f"standard input{expected}" in refused(None) and any(log.parts)


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
    uuids = {"1": ("a", "active"), "2": ("b", "active"), "3": ("b", "active"), "4": ("c", "deleted")}
    names = [(uuid * 32, *about) for uuid, about in uuids.items()]
    found = runs.read(mlflow(names, [row for uuid, *_ in names for row in curve(uuid, 0.5, 0.75)]))
    assert [run.name for run in found] == ["a", "b (22222222)", "b (33333333)"]
    assert found[0] == Run("a", [1, 2], [0.5, 0.75]) and found[0].what == "acc"
    assert apart({1: "a", 2: "a", 3: "b"}) == {1: "a (1)", 2: "a (2)", 3: "b"}  # ids may be numbers


def test_of_several_values_one_is_chosen_and_a_name_is_no_statement(mlflow):
    path = mlflow(ONE_RUN, [*curve("1", 0.5, 0.75), *curve("1", 2.5, key="loss")])
    assert "holds 2 values: pass --value with one of acc, loss" in refused(path)
    for value in ("x' OR '1'='1", 'x"; DROP TABLE metrics; --'):
        assert "pass --value with one of acc, loss" in refused(path, value=value)
    assert runs.read(path, value="acc") == [Run("a", [1, 2], [0.5, 0.75])]


def test_what_mlflow_stores_for_nan_and_infinity_is_a_hole(mlflow):
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
    assert said in refused(mlflow(ONE_RUN, rows))


def test_of_mlflow_the_other_runs_are_read_where_one_was_logged_without_steps(mlflow):
    without = [("acc", 0.5, time, "2", 0, 0) for time in range(3)]
    (found,) = runs.read(mlflow([*ONE_RUN, ("2", "old", "active")], [*curve("1", 0.5, 0.75), *without]))
    assert found == Run("a", [1, 2], [0.5, 0.75])
    assert found.doubts == ["left out are runs with all of their values at step 0: old"]


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
        monkeypatch.setattr(database, "names", lambda tables: list(tables.rows(statement)))
        return one(0.5)

    return path


@pytest.mark.parametrize(
    "statement",
    ["SELECT upper(key) FROM metrics", "ATTACH 'other.db' AS other", "PRAGMA query_only = OFF", "DELETE FROM metrics"],
)  # fmt: skip
def test_a_statement_may_read_and_nothing_else(asking, statement):
    assert "not authorized" in refused(asking(statement))


def test_ctrl_c_is_heard_while_sqlite_works(asking, monkeypatch):
    monkeypatch.setattr(database, "LEAST_WORK", 10**15)
    monkeypatch.setattr(database, "READING", (*database.READING, 31, 33))  # functions, recursion
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        runs.read(asking(ENDLESS))


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
