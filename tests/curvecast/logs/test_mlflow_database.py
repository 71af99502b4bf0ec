"""Guards curvecast/logs/mlflow_database.py, on databases of the tables that MLflow publishes."""

import math

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import refused
from tests.curvecast.logs.made_database import database

RUNS = """CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL, name VARCHAR(250), status VARCHAR(20), start_time BIGINT,
lifecycle_stage VARCHAR(20), experiment_id INTEGER, CONSTRAINT run_pk PRIMARY KEY (run_uuid))"""
METRICS = """CREATE TABLE metrics (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL,
run_uuid VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL,
CONSTRAINT metric_pk PRIMARY KEY (key, value, timestamp, run_uuid, step, is_nan))"""


@pytest.fixture
def made(tmp_path):
    """(uuid, name, stage) of runs and (key, value, timestamp, uuid, step, is_nan) of values."""

    def make(names, values):
        some_runs = ("INSERT INTO runs (run_uuid, name, lifecycle_stage) VALUES (?, ?, ?)", *names)
        some_values = ("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", *values)
        return database(tmp_path / "mlflow.db", (RUNS,), (METRICS,), some_runs, some_values)

    return make


def curve(uuid, *values, key="acc"):
    return [(key, value, step, uuid, step, 0) for step, value in enumerate(values, 1)]


def test_each_run_is_called_by_its_name(made):
    """Two of one name are told apart by the beginning of their ids; one that was deleted is left out."""
    names = [
        ("1" * 32, "a", "active"),
        ("2" * 32, "b", "active"),
        ("3" * 32, "b", "active"),
        ("4" * 32, "c", "deleted"),
    ]
    found = runs.read(made(names, [row for uuid, *_ in names for row in curve(uuid, 0.5, 0.75)]))
    assert [run.name for run in found] == ["a", "b (22222222)", "b (33333333)"]
    assert found[0] == Run("a", [1, 2], [0.5, 0.75]) and found[0].what == "acc"


def test_of_several_values_one_is_chosen(made):
    path = made([("1", "a", "active")], curve("1", 0.5) + curve("1", 2.5, key="loss"))
    assert "holds 2 values: pass --value with one of acc, loss" in refused(path)
    assert runs.read(path, value="loss")[0].values == [2.5]


def test_what_is_stored_for_nan_and_infinity_is_a_hole(made):
    """Its step still counts; a run that has nothing else is left out."""
    rows = [*curve("1", 0.5), ("acc", 0.0, 2, "1", 2, 1), ("acc", 1.7976931348623157e308, 3, "1", 3, 0)]
    (found,) = runs.read(
        made([("1", "a", "active"), ("2", "b", "active")], [*rows, ("acc", 0.0, 1, "2", 1, 1)])
    )
    assert (found.steps, found.values, found.rows) == ([1], [0.5], [1, 2, 3])


def test_of_a_step_that_was_logged_twice_the_later_value_counts(made):
    rows = [*curve("1", 0.5, 0.6), ("acc", 0.7, 9, "1", 2, 0)]
    assert runs.read(made([("1", "a", "active")], rows))[0].values == [0.5, 0.7]


def test_values_without_steps_are_a_complaint(made):
    """MLflow then writes step 0 for all of them."""
    rows = [("acc", i / 10, i, "1", 0, 0) for i in range(5)]
    said = refused(made([("1", "a", "active")], rows))
    assert "run 'a' has all of its 5 values at step 0: log them with step=" in said


@pytest.mark.parametrize(("value", "step"), [("high\x1b[2J", 1), (b"\0", 1), (0.5, "one"), (0.5, b"1")])
def test_what_is_no_number_is_a_sentence(made, value, step):
    """SQLite keeps text and bytes where numbers belong."""
    path = made([("1", "a", "active")], [("acc", value, 1, "1", step, 0)])
    assert "which is no number: mend or delete it" in refused(path)


def test_what_mlflow_itself_writes_is_read(tmp_path):
    """With the real package, where it is installed."""
    mlflow = pytest.importorskip("mlflow", reason="needs mlflow: make adapters installs it")
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")
    run = client.create_run(client.create_experiment("search"), run_name="first")
    for step, value in enumerate([0.5, math.nan, math.inf, 0.75], 1):
        client.log_metric(run.info.run_id, "val/acc", value, step=step)
    (found,) = runs.read(tmp_path / "mlflow.db")
    assert found == Run("first", [1, 4], [0.5, 0.75]) and found.rows == [1, 2, 3, 4]
