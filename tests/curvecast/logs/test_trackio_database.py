"""Guards curvecast/logs/trackio_database.py, on databases of the table that Trackio publishes."""

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import refused
from tests.curvecast.logs.made_database import database

TABLE = """CREATE TABLE IF NOT EXISTS metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL,
run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL)"""


@pytest.fixture
def made(tmp_path):
    """(run, step, metrics) of rows, as they were logged one after the other."""
    told = "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('2026-01-01', ?, ?, ?)"
    return lambda *rows: database(tmp_path / "project.db", (TABLE,), (told, *rows))


def test_each_name_is_a_run(made):
    """Rows of several runs may be mixed; text and bytes are read alike."""
    path = made(("a", 0, '{"acc": 0.5}'), ("b", 0, '{"acc": 0.25}'), ("a", 1, b'{"acc": 0.75}'))
    assert runs.read(path) == [Run("a", [0, 1], [0.5, 0.75]), Run("b", [0], [0.25])]


def test_two_runs_of_one_name_are_told_apart_by_their_ids(tmp_path):
    """Which newer versions write."""
    table = TABLE.replace("run_name TEXT", "run_id TEXT NOT NULL, run_name TEXT")
    told = "INSERT INTO metrics (timestamp, run_id, run_name, step, metrics) VALUES ('now', ?, 'a', 0, ?)"
    rows = ("1" * 32, '{"acc": 0.5}'), ("2" * 32, '{"acc": 0.75}')
    path = database(tmp_path / "project.db", (table,), (told, *rows))
    assert runs.read(path) == [Run("a (11111111)", [0], [0.5]), Run("a (22222222)", [0], [0.75])]


def test_of_several_values_one_is_chosen(made):
    """Rows without it do not count; texts and tables are no values."""
    path = made(("a", 0, '{"acc": 0.5, "note": "x"}'), ("a", 1, '{"loss": 2.5}'), ("a", 2, '{"acc": 0.75}'))
    assert "holds 2 values: pass --value with one of acc, loss" in refused(path)
    assert runs.read(path, value="acc") == [Run("a", [0, 2], [0.5, 0.75])]


@pytest.mark.parametrize("hole", ['"NaN"', "NaN", "Infinity", "null", "1e999", "true"])
def test_what_is_no_finite_number_is_a_hole(made, hole):
    """Its step still counts."""
    path = made(("a", 0, '{"acc": 0.5}'), ("a", 1, f'{{"acc": {hole}}}'), ("a", 2, '{"acc": 0.75}'))
    (found,) = runs.read(path)
    assert (found.steps, found.rows) == ([0, 2], [0, 1, 2])


def test_a_row_that_is_no_object_holds_no_value(made):
    path = made(("a", 0, '{"acc": 0.5}'), ("a", 1, "[" * 9999), ("a", 2, '{"acc": '), ("a", 3, "[1]"))
    assert runs.read(path) == [Run("a", [0], [0.5])]


def test_of_a_step_that_was_logged_twice_the_later_value_counts(made):
    assert runs.read(made(("a", 0, '{"acc": 0.5}'), ("a", 0, '{"acc": 0.75}')))[0].values == [0.75]


def test_what_trackio_itself_writes_is_read(tmp_path, monkeypatch):
    """With the real package, where it is installed: what its storage writes, without its server."""
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    storage = pytest.importorskip("trackio.sqlite_storage", reason="needs trackio: make adapters installs it")
    monkeypatch.setattr(storage, "TRACKIO_DIR", tmp_path)
    for step, value in enumerate([0.5, float("nan"), 0.75]):
        storage.SQLiteStorage.log(project="p", run="first", metrics={"acc": value}, step=step)
    (found,) = runs.read(next(tmp_path.glob("**/p.db")))
    assert found == Run("first", [0, 2], [0.5, 0.75])
