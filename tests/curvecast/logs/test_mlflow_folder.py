"""Guards curvecast/logs/mlflow_folder.py, on folders as MLflow writes them."""

import shutil
from pathlib import Path

import pytest

from curvecast.logs import mlflow_folder, runs
from curvecast.logs.checked_points import Run
from curvecast.logs.folder import Folder
from tests.curvecast.logs.complaints import refused


@pytest.fixture
def made(tmp_path):
    """A run: its id, what it is called, and the lines of its metrics."""

    def make(run_id: str, name: str, stage: str = "active", **metrics: str) -> Path:
        for key, lines in metrics.items():
            file = tmp_path / "mlruns" / "0" / run_id / "metrics" / key.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(lines)
        about = f"artifact_uri: file:///x\nlifecycle_stage: {stage}\nrun_id: {run_id}\nrun_name: {name}\n"
        (tmp_path / "mlruns" / "0" / run_id / "meta.yaml").write_text(about)
        return tmp_path / "mlruns"

    return make


def test_each_folder_is_a_run(made):
    """Deleted ones are none; of a step the later value counts; NaN and infinity are holes; a line without its end is none."""
    made(
        "a1", "first", val__acc="6 0.25 1\n5 0.5 0\n5 0.1 1\n7 0.75 1\n8 nan 2\n9 inf 3\n10 0.875 4\n11 0.9 5"
    )
    store = made("c3", "third", "deleted", val__acc="5 0.5 0\n")
    made("d4", "fourth", val__acc="5 0.5 0\n")
    shutil.move(store / "0" / "d4", store / ".trash" / "d4")
    assert runs.read(store) == [Run("first", [0, 1, 4], [0.5, 0.75, 0.875])]
    assert runs.read(store / "0" / "a1")[0].rows == [0, 1, 2, 3, 4]


def test_runs_of_one_name_and_several_values_are_told_apart(made):
    """By their ids, and by --value."""
    made("a1", "same", acc="5 0.5 0\n", loss="5 1.5 0\n")
    store = made("b2", "same", loss="5 2.5 0\n")
    assert runs.read(store, value="loss") == [Run("same (a1)", [0], [1.5]), Run("same (b2)", [0], [2.5])]
    assert refused(store).endswith("holds 2 values: pass --value with one of acc, loss")


@pytest.mark.parametrize("lines", ["5\n", "5 x 0\n", "5 0.5 one\n"])
def test_a_line_that_is_none_is_named_with_its_file(made, lines):
    assert "is no metric of MLflow" in refused(made("a1", "first", acc=lines))


def test_a_watched_folder_names_runs_and_sees_new_values(made):
    """Of a store beside other logs."""
    store = made("a1b2c3d4e5", "first", acc="5 0.5 0\n")
    made("b2", "deleted", "deleted", acc="5 0.5 0\n")
    folder = Folder(store.parent, {})
    assert folder.refresh() and [run.name for run in folder.runs] == ["first (a1b2c3d4)"]
    made("a1b2c3d4e5", "first", acc="5 0.5 0\n6 0.75 1\n")
    assert folder.refresh() and folder.runs[0].values == [0.5, 0.75] and not folder.left_out


def test_a_run_that_goes_while_it_is_looked_at_ends_no_watching(made, monkeypatch):
    """Somebody deletes it between two looks at its folder."""
    store = made("a1", "first", acc="5 0.5 0\n")
    folder = Folder(store, {})
    assert folder.refresh()
    monkeypatch.setattr(mlflow_folder, "_about", lambda file: file.with_name("gone").read_text())
    assert folder.refresh() and not folder.runs


def test_a_store_and_its_copy_are_told(made):
    """Which of the two counts is for the user to say."""
    store = made("a1", "first", acc="5 0.5 0\n")
    shutil.copytree(store, store / "copy")
    assert refused(store).endswith("holds run a1 twice: name the folder of one of them")
