"""Guards the readers of event files, of Weights & Biases and of folders, and what is watched: no value is lost in silence."""

import json
import os
import shutil
import sqlite3
import struct
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from curvecast.__main__ import main
from curvecast.ground.errors import UserError
from curvecast.logs import database, direction, runs
from curvecast.logs import folder as folders
from curvecast.logs.checked_points import Run
from curvecast.logs.folder import Folder
from tests.curvecast.logs.made_logs import BLOCK, field, history, packed, refused
from tests.curvecast.refusals import refuses

NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture
def events():
    """Writes event files as TensorBoard's own writer does: one scalar a step, plain or as a tensor."""
    writer = pytest.importorskip("tensorboard.summary.writer.event_file_writer", reason="needs tensorboard")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.util.tensor_util import make_tensor_proto

    def write(
        folder: Path,
        tag: str,
        points: list[tuple[int, float]],
        tensor: object = None,
        pace: int = 1,
        start: int = 0,
    ) -> Path:
        file = writer.EventFileWriter(str(folder))
        for step, number in points:
            value = Summary.Value(tag=tag, simple_value=number)
            if tensor is not None:
                plugin = SummaryMetadata.PluginData(plugin_name="scalars")
                proto, metadata = make_tensor_proto(tensor(number)), SummaryMetadata(plugin_data=plugin)
                value = Summary.Value(tag=tag, tensor=proto, metadata=metadata)
            file.add_event(
                Event(step=step, wall_time=1.7e9 + start + pace * step, summary=Summary(value=[value]))
            )
        file.close()
        return next(folder.glob("*tfevents*"))

    return write


@pytest.mark.parametrize(("tensor", "n"), [(None, 11_000), (float, 20)], ids=["plain", "tensor"])
def test_each_folder_of_event_files_is_a_run(tmp_path, events, tensor, n):
    # tensorboard itself keeps 10,000, of tensors 10
    points = [(step, 0.5 + step % 2 / 4) for step in range(n)]
    file = events(tmp_path / "lr" / "0.1", "loss", points, tensor)
    first = Run("lr/0.1", *map(list, zip(*points, strict=True)))
    assert runs.read(file) == runs.read(file.parent) == [Run("0.1", first.steps, first.values)]
    events(tmp_path / "lr" / "0.2", "loss", [(10, 0.25)], tensor)
    found = runs.read(tmp_path)
    assert found == [first, Run("lr/0.2", [10], [0.25])]
    assert {run.what for run in found} == {"loss"}, "by it a loss is told from an accuracy"
    events(tmp_path / "lr", "loss", [(0, 0.5)])
    assert [run.name for run in runs.read(tmp_path / "lr")] == [".", "0.1", "0.2"]  # as in TensorBoard


def test_one_scalar_of_several_is_chosen(tmp_path, events):
    events(tmp_path / "a", "loss", [(1, 0.5)])
    events(tmp_path / "a", "accuracy", [(1, 0.25)])
    events(tmp_path / "b", "accuracy", [(1, 0.75)])
    assert runs.read(tmp_path, value="loss") == [Run("a", [1], [0.5])]
    assert refused(tmp_path).endswith("holds 2 scalars: pass --value with one of accuracy, loss")
    assert refused(tmp_path, value="los").endswith("no scalar 'los': pass --value with one of accuracy, loss")


def test_of_event_files_the_other_runs_are_read_where_one_has_diverged(tmp_path, events):
    events(tmp_path / "a", "loss", [(1, 0.5), (2, 0.25)])
    events(tmp_path / "b", "loss", [(1, 0.5), (2, float("nan"))])
    (found,) = runs.read(tmp_path)
    assert found.name == "a" and found.doubts == ["left out are runs that diverged: 'b' is NaN at step 2"]
    assert refused(tmp_path / "b").endswith("run 'b' is NaN at step 2: a run that diverged is not forecast")


def test_a_restart_in_a_second_file_replaces_values_of_the_first(tmp_path, events):
    events(tmp_path, "loss", [(1, 0.5), (2, 0.5)]).rename(tmp_path / NAME)
    events(tmp_path, "loss", [(2, 0.25), (3, 0.25)])
    (found,) = runs.read(tmp_path)
    assert (found.steps, found.values) == ([1, 2, 3], [0.5, 0.25, 0.25]) and len(found.doubts) == 1
    assert runs.read(tmp_path / NAME)[0].values == [0.5, 0.5]


@pytest.mark.parametrize("name", ["events.out.tfevents.1.b", "events.out.tfevents.999.z"])
def test_event_files_are_read_in_the_order_of_time_and_a_discarded_start_has_no_pace(tmp_path, events, name):
    events(tmp_path, "loss", [(step, 0.5) for step in range(1, 101)], pace=10).rename(tmp_path / "a")
    events(tmp_path, "loss", [(step, 0.25) for step in range(1, 41)], pace=2, start=5_000).rename(
        tmp_path / name
    )
    (tmp_path / "a").rename(tmp_path / "events.out.tfevents.5.a")
    (found,) = runs.read(tmp_path)
    assert found.steps == [*range(1, 41)] and {*found.values} == {0.25} and found.pace == 2


def test_two_runs_at_once_in_one_folder_of_event_files_are_refused(tmp_path, events):
    events(tmp_path, "loss", [(step, 0.5) for step in range(1, 101)]).rename(tmp_path / NAME)
    events(tmp_path, "loss", [(step, 0.25) for step in range(1, 61)])
    assert "has step 1 twice: give each run a folder of its own" in refused(tmp_path)


def test_a_tensor_of_many_numbers_is_no_scalar(tmp_path, events, monkeypatch):
    """Whatever its writer called it; it is not made, for ninety bytes may say that they are a billion numbers."""
    monkeypatch.setattr("tensorboard.util.tensor_util.make_ndarray", None)
    events(tmp_path, "loss", [(1, 0.5)], lambda number: [number, number])
    assert "'loss' is not one number at step 1: choose another scalar" in refused(tmp_path)


@pytest.mark.parametrize("data", [b"", b"not events at all, but long enough for a record", bytes(100)])
def test_files_that_only_have_the_name_hold_no_scalars(tmp_path, events, data):
    (tmp_path / NAME).write_bytes(data)
    assert "no scalars" in refused(tmp_path) or "cannot be read" in refused(tmp_path)


def test_a_bit_that_flips_is_counted_and_told(tmp_path, events, capsys):
    file = events(tmp_path, "loss", [(step, 0.5) for step in (1, 2, 3, 4)])
    data = file.read_bytes()
    value = data.rindex(b"\x3f")  # of the last number, so that the record is whole but for its sum
    for place, left in ((value, [1, 2, 3]), (-60, [1, 2, 4]), (-82, [1, 2])):
        flipped = bytearray(data)
        flipped[place] ^= 4
        file.write_bytes(flipped)
        assert runs.read(file)[0].steps == left
        assert main(["forecast", str(file), "--metric", "loss"]) == 0
        assert "damaged records of its event files: 1; values may be missing" in capsys.readouterr().out
    file.write_bytes(data[:-3])
    assert runs.read(file)[0].steps == [1, 2, 3] and not runs.read(file)[0].doubts


def test_folders_without_logs_too_many_and_a_missing_package_are_sentences(tmp_path, monkeypatch):
    assert "is a folder without event files of TensorBoard or runs of MLflow or Weights" in refused(tmp_path)
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / NAME).touch()
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    told = "is a TensorBoard event file: pip install 'curvecast[tensorboard]' reads it"
    assert refused(tmp_path).endswith(told)
    monkeypatch.setattr("curvecast.logs.events.MOST_RUNS", 2)
    assert "has 3 runs: at most 2 at once" in refused(tmp_path)


@pytest.fixture
def wandb(tmp_path):
    def make(run_id: str, name: str, *records: bytes) -> Path:
        file = tmp_path / "wandb" / f"offline-run-{run_id}" / f"run-{run_id}.wandb"
        file.parent.mkdir(parents=True)
        file.write_bytes(packed(field(17, field(1, run_id.encode()) + field(8, name.encode())), *records))
        return file

    return make


def test_a_file_of_weights_and_biases_is_a_run_and_a_folder_has_several(wandb):
    first = history(0, loss="0.5", note='"x"', _runtime="3"), history(1, loss="NaN")
    file = wandb("a1", "first", *first, history(2, loss="9"), history(2, loss="0.25"))
    assert runs.read(file) == [Run("first", [0, 2], [0.5, 0.25])] and runs.read(file)[0].rows == [0, 1, 2]
    wandb("b2", "first", history(0, loss="1.5", val__acc="0.75"))
    folder = file.parents[1]
    assert [run.name for run in runs.read(folder, value="loss")] == ["first (a1)", "first (b2)"]
    assert runs.read(folder, value="val.acc") == [Run("first (b2)", [0], [0.75])]
    assert refused(folder).endswith("holds 2 values: pass --value with one of loss, val.acc")
    for source in (file, folder):
        assert refused(source, value="loss", step="iter").endswith("and no columns: leave --step away")
    for number in "12":  # ids that were given by hand begin alike
        wandb(f"sweep-lr-{number}", "sweep", history(0, loss="1"))
    names = ["first (a1)", "first (b2)", "sweep (sweep-lr-1)", "sweep (sweep-lr-2)"]
    assert sorted(run.name for run in runs.read(folder, value="loss")) == names
    for made in folder.glob("*sweep*"):
        shutil.rmtree(made)
    watched = Folder(folder, {"value": "loss"})
    assert watched.refresh() and [run.values for run in watched.runs] == [[0.5, 0.25], [1.5]]


def test_a_second_file_of_one_run_of_weights_and_biases_replaces_values_of_the_first(
    wandb, tmp_path, monkeypatch
):
    began = wandb("abc", "first", *(history(step, acc="0.5", _timestamp=f"{step}") for step in range(12)))
    folder = tmp_path / "wandb"
    began.parent.rename(folder / "run-1-abc")
    again = wandb(
        "abc", "first", *(history(step, acc="0.75", _timestamp=f"{2 * step}") for step in range(8, 20))
    )
    again.parent.rename(folder / "offline-run-2-abc")
    (found,) = runs.read(folder)
    assert found.steps == found.rows == [*range(20)] and found.values == [0.5] * 8 + [0.75] * 12
    assert found.doubts == [
        "was restarted at step 8 after step 11: its later values replace the earlier ones"
    ]
    assert found.pace == 2
    watched = Folder(folder, {})
    assert watched.refresh() and [run.steps for run in watched.runs] == [found.steps]
    monkeypatch.chdir(folder / "run-1-abc")
    assert values(Folder(Path(), {})) == {"run-abc.wandb": [0.5] * 12}


def test_records_of_weights_and_biases_may_be_longer_than_a_block(wandb):
    for size, values in ((3 * BLOCK, [1, 0.5, 0.25]), (4_000_000, [1, 0.25])):
        long = history(1, note=f'"{"x" * size}"', loss="0.5")
        file = wandb(str(size), "first", history(0, loss="1"), long, history(2, loss="0.25"))
        assert runs.read(file)[0].values == values


def test_damage_to_a_file_of_weights_and_biases_is_told(wandb):
    file = wandb("a1", "first", *(history(step, loss=f"0.{step + 1}") for step in range(9)))
    data = file.read_bytes()
    file.write_bytes(data[:-3])
    assert len(runs.read(file)[0].values) == 8 and not runs.read(file)[0].doubts
    size = data.index(b"0.2") - data.index(b"0.1")
    heads = [data.rindex(struct.pack("<HB", size - 7, 1), 0, data.index(own)) for own in (b"0.5", b"0.9")]
    for at, left in ((data.index(b"0.5"), 8), (heads[0] + 2, 8), (heads[0] + 1, 4), (heads[1] + 1, 8)):
        # in a value, in what says that a record is whole, and in the lengths of two
        flipped = bytearray(data)
        flipped[at] ^= 2
        file.write_bytes(flipped)
        assert len(runs.read(file)[0].values) == left
        assert runs.read(file)[0].doubts == ["damaged records of its file: 1; values may be missing"]
    file.write_bytes(packed(b"\x0a\xff"))
    assert "is no file of Weights & Biases" in refused(file)


@pytest.fixture
def mlruns(tmp_path):
    """A run of MLflow's folder store: its id, what it is called, and the lines of its metrics."""

    def make(run_id: str, name: str, stage: str = "active", **metrics: str) -> Path:
        folder = tmp_path / "mlruns" / "0" / run_id
        for key, lines in metrics.items():
            file = folder / "metrics" / key.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(lines)
        about = f"artifact_uri: file:///x\nlifecycle_stage: {stage}\nrun_id: {run_id}\nrun_name: {name}\n"
        (folder / "meta.yaml").write_text(about)
        return tmp_path / "mlruns"

    return make


def test_each_folder_of_mlflow_is_a_run(mlruns):
    lines = "6 0.25 1\n5 0.5 0\n5 0.1 1\n7 0.75 1\n8 nan 2\n9 inf 3\n10 0.875 4\n11 0.9 5"
    mlruns("a1", "first", val__acc=lines)
    store = mlruns("c3", "third", "deleted", val__acc="5 0.5 0\n")
    mlruns("d4", "fourth", val__acc="5 0.5 0\n")
    shutil.move(store / "0" / "d4", store / ".trash" / "d4")
    assert runs.read(store) == [Run("first", [0, 1, 4], [0.5, 0.75, 0.875])]
    assert runs.read(store / "0" / "a1")[0].rows == [0, 1, 2, 3, 4]
    mlruns("e5", "first", loss="5 1.5 0\n")
    assert runs.read(store, value="loss") == [Run("first (e5)", [0], [1.5])]
    assert refused(store).endswith("holds 2 values: pass --value with one of loss, val/acc")
    assert runs.read(mlruns("f6", "", lr="5 0.1 0\n"), value="lr")[0].name == "f6"
    shutil.copytree(store, store / "copy")
    assert refused(store).endswith("holds run a1 twice: name the folder of one of them")


@pytest.mark.parametrize("lines", ["5\n", "5 x 0\n", "5 0.5 one\n"])
def test_a_line_that_is_none_is_named_with_its_file(mlruns, lines):
    assert "acc is no metric of MLflow" in refused(mlruns("a1", "first", acc=lines))


def test_a_watched_store_names_runs_sees_new_values_and_may_go(mlruns, monkeypatch):
    store = mlruns("a1b2c3d4e5", "first", acc="5 0.5 0\n")
    mlruns("b2", "deleted", "deleted", acc="5 0.5 0\n")
    inner = store / "0" / "a1b2c3d4e5" / "artifacts" / "0inner"  # a run of another program that this one kept
    shutil.copytree(store / "0" / "b2", inner)
    (inner / "meta.yaml").write_text("run_name: inner\n")
    assert database.watched(store / "0" / "a1b2c3d4e5")[0] == "first (a1b2c3d4)"
    shutil.rmtree(inner)
    folder = Folder(store.parent, {})
    assert folder.refresh() and [run.name for run in folder.runs] == ["first (a1b2c3d4)"]
    mlruns("a1b2c3d4e5", "first", acc="5 0.5 0\n6 0.75 1\n")
    assert folder.refresh() and folder.runs[0].values == [0.5, 0.75] and not folder.left_out
    monkeypatch.setattr(Path, "open", lambda file, **_: os.stat(file.with_name("gone")))
    assert folder.refresh() and not folder.runs


def test_a_run_of_mlflow_without_any_metric_is_no_log_and_one_whose_first_validation_is_to_come_is(mlruns):
    store = mlruns("a1", "first", acc="5 0.5 0\n", loss="5 0.5 0\n")
    mlruns("b2", "parent", acc="")
    (store / "0" / "b2" / "metrics" / "acc").unlink()
    folder = Folder(store, {"value": "acc"})
    assert folder.refresh() and folder.whole and "holds no values" in folder.left_out["parent (b2)"]
    mlruns("b2", "parent", loss="5 0.5 0\n")
    assert folder.refresh() and not folder.whole


def test_event_files_without_the_value_inside_the_folder_of_a_run_that_has_it_are_no_log_to_come(
    tmp_path, events
):
    """As SummaryWriter.add_hparams writes them."""
    events(tmp_path / "run" / "1700000000.1", "hparam/acc", [(0, 0.5)])
    events(tmp_path / "run", "loss", [(1, 0.5)])
    folder = Folder(tmp_path, {"value": "acc"})
    assert folder.refresh() and not folder.whole, "the first validation is still to come"
    events(tmp_path / "run", "acc", [(1, 0.5)])
    assert folder.refresh() and folder.whole and [run.name for run in folder.runs] == ["run"]
    events(tmp_path / "other", "loss", [(1, 0.5)])
    assert folder.refresh() and not folder.whole


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path, {})


def put(path, text, age=10.0):
    """A file that was last written so many seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    now = path.stat().st_mtime
    os.utime(path, (now - age, now - age))


def values(folder) -> dict[str, list[float]]:
    folder.refresh()
    return {run.name: run.values for run in folder.runs}


def test_logs_of_all_kinds_are_runs_called_after_their_files(tmp_path, folder):
    put(tmp_path / "a.csv", "step,acc\n1,0.5\n")
    put(tmp_path / "b" / "log.jsonl", '{"step": 1, "value": 0.25}\n')
    put(tmp_path / "c.tsv", "step\tx\ty\n1\t0.5\t0.75\n")
    for other in (".a.csv", ".git/a.csv", "readme.md", "model.safetensors"):
        put(tmp_path / other, "step,acc\n1,0.5\n")
    os.mkfifo(tmp_path / "pipe.csv")
    assert values(folder) == {"a.csv": [0.5], "b/log.jsonl": [0.25], "c.tsv: x": [0.5], "c.tsv: y": [0.75]}
    assert values(Folder(tmp_path / "c.tsv", {})) == {"c.tsv: x": [0.5], "c.tsv: y": [0.75]}


def test_of_checkpoints_the_last_one_holds_the_log(tmp_path):
    """Hugging Face writes trainer_state.json into each; the run is the folder around them, or one of them alone."""
    for step in (9, 100, 20):
        state = {"log_history": [{"step": at, "acc": at / 1000} for at in range(1, step + 1)]}
        put(tmp_path / "lr" / f"checkpoint-{step}" / "trainer_state.json", json.dumps(state))
    found = values(Folder(tmp_path, {"value": "acc"}))
    assert list(found) == ["lr"] and len(found["lr"]) == 100
    (alone,) = runs.read(tmp_path / "lr" / "checkpoint-9", value="acc")
    assert (alone.name, len(alone.values)) == ("trainer_state", 9)


def test_only_what_has_changed_is_read_again(tmp_path, folder, monkeypatch):
    read, real = [], runs.read
    monkeypatch.setattr(runs, "read", lambda file, **how: read.append(file.name) or real(file, **how))
    for name in "ab":
        put(tmp_path / f"{name}.csv", "step,acc\n1,0.5\n")
    assert folder.refresh() and not folder.refresh()
    put(tmp_path / "b.csv", "step,acc\n1,0.5\n2,0.6\n", age=9)
    assert folder.refresh() and not folder.refresh()
    assert read == ["a.csv", "b.csv", "b.csv"]
    (tmp_path / "b.csv").unlink()
    assert folder.refresh() and [run.name for run in folder.runs] == ["a.csv"]


@pytest.mark.parametrize(("name", "text", "known"), [
    ("a.csv", "step,acc\n1,0.5\n2,0.", [0.5]), ("a.csv", "step,acc\n1,0.5", None), ("a.csv", "step,a", None),
    ("a.jsonl", '{"step": 1, "value": 0.5}\n{"step": 2, "value": 0.7}', [0.5]),
    ("a.json", '{"acc": [0.5, 0.7]}', [0.5, 0.7]),
])  # fmt: skip
def test_a_last_line_without_its_end_is_no_line(tmp_path, folder, name, text, known):
    """However old it is, for a buffer may hold its rest; a JSON document is whole or none."""
    put(tmp_path / name, text, age=1e6)
    found = values(folder)
    assert list(found.values()) == ([known] if known else []) and bool(folder.left_out) is not bool(known)


def test_a_trainer_state_beside_event_files_is_told(tmp_path, folder, monkeypatch):
    """Both would be one run; which of them is read must be known."""
    put(tmp_path / "lr" / "events.out.tfevents.1", "")
    put(tmp_path / "lr" / "checkpoint-9" / "trainer_state.json", "{}")
    monkeypatch.setattr(folders.events, "read", lambda *_, **__: [Run("lr", [1.0], [0.5])])
    assert values(folder) == {"lr": [0.5]}
    assert "the event files beside it are read" in folder.left_out["lr/checkpoint-9/trainer_state.json"]
    put(tmp_path / "lr" / "trainer_state.json", "{}")
    (found,) = runs.read(tmp_path / "lr")
    assert found.doubts == ["trainer_state.json is left out: the event files beside it are read"]


def test_the_one_table_beside_event_files_is_the_same_run(tmp_path, folder, monkeypatch):
    """As Lightning and Stable-Baselines3 log it; two tables are runs of their own."""
    put(tmp_path / "lr" / "events.out.tfevents.1", "")
    put(tmp_path / "lr" / "metrics.csv", "step,acc\n1,0.5\n")
    monkeypatch.setattr(folders.events, "read", lambda *_, **__: [Run("lr", [1.0], [0.5])])
    assert values(folder) == {"lr": [0.5]} and "beside it are read" in folder.left_out["lr/metrics.csv"]
    put(tmp_path / "lr" / "other.csv", "step,acc\n1,0.7\n")
    assert values(folder) == {"lr": [0.5], "lr/metrics.csv": [0.5], "lr/other.csv": [0.7]}


def test_a_log_that_is_rewritten_or_cut_short_is_read_anew(tmp_path, folder):
    for text, expected in (("1,0.5\n2,0.6\n", [0.5, 0.6]), ("1,0.5\n", [0.5]), ("1,0.9\n", [0.9])):
        put(tmp_path / "new", f"step,acc\n{text}")
        (tmp_path / "new").replace(tmp_path / "a.csv")
        assert values(folder) == {"a.csv": expected}


def test_what_cannot_be_read_for_a_while_keeps_what_was_known(tmp_path, folder):
    put(tmp_path / "a.json", '[{"step": 1, "value": 0.5}]')
    put(tmp_path / "b.csv", "step,acc\n1,0.5\n")
    assert len(values(folder)) == 2 and not folder.left_out
    put(tmp_path / "a.json", '[{"step": 1, "val')
    put(tmp_path / "a.config.json", '{"lr":\n1}')
    assert values(folder) == {"a.json": [0.5], "b.csv": [0.5]}
    assert list(folder.left_out) == ["a.json", "a.config.json"], "first what is a log"
    put(tmp_path / "a.json", '[{"step": 1, "value": 0.75}]', age=5)
    assert values(folder)["a.json"] == [0.75] and set(folder.left_out) == {"a.config.json"}


def test_a_log_that_goes_after_being_listed_and_before_being_read_stays_once(tmp_path, folder, monkeypatch):
    put(tmp_path / "a.csv", "step,acc\n1,0.5\n")
    folder.refresh()
    gone = SimpleNamespace(walk=os.walk, stat=lambda _: os.stat(tmp_path / "gone"))
    monkeypatch.setattr(folders, "os", gone)
    assert values(folder) == {"a.csv": [0.5]}


def test_new_rows_beside_a_database_are_seen(tmp_path, folder):
    """SQLite may write them to a file of their own first; the database itself is as it was."""
    tables = (
        "CREATE TABLE runs (run_uuid, name)", "CREATE TABLE metrics (key, value, timestamp, run_uuid, step)",
        "INSERT INTO runs VALUES ('1', 'a')",
    )  # fmt: skip
    added = "INSERT INTO metrics VALUES ('x', 0.5, 0, '1', ?)"
    with closing(sqlite3.connect(tmp_path / "runs.db")) as writer:
        for statement in ("PRAGMA journal_mode = WAL", *tables):
            writer.execute(statement)
        for step in range(2):
            writer.execute(added, (step,))
            writer.commit()
            assert len(values(folder)["runs.db"]) == step + 1


def run(name: str, values: int = 1) -> Run:
    return Run(name, [float(i) for i in range(values)], [0.5] * values, what="acc")


def test_runs_of_several_files_carry_the_file_and_those_of_one_do_not():
    one, two = [run("x"), run("y")], [run("x")]
    together = runs.together(["a.csv", "there/b.csv"], [one, two])
    assert [found.name for found in together] == ["a.csv: x", "a.csv: y", "b.csv: x"]
    assert {found.what for found in together} == {"acc"}
    assert runs.together(["a.csv"], [one]) == one
    with pytest.raises(UserError, match="the files have 1,002 runs: at most 1,000 at once"):
        runs.together(["a", "b"], [[run(str(i)) for i in range(501)]] * 2)
    refuses("500,002 values", lambda: runs.together(["a", "b"], [[run("x", 250_001)]] * 2))


@pytest.mark.parametrize(("files", "labels"), [
    (["x/log.csv", "y/log.csv"], ["x/log.csv", "y/log.csv"]),
    (["x/seed/log.csv", "y/seed/log.csv", "b.csv"], ["x/seed/log.csv", "y/seed/log.csv", "b.csv"]),
    (["x/log.csv", "y/x/log.csv"], ["{here}/x/log.csv", "y/x/log.csv"]), (["tb/one/", "tb/two"], ["one", "two"]),
    ([".", "two"], ["{here}", "two"]),
])  # fmt: skip
def test_as_much_of_the_path_as_tells_files_apart(tmp_path, monkeypatch, files, labels):
    monkeypatch.chdir(tmp_path)
    assert runs.labels(files) == [label.format(here=tmp_path.name) for label in labels]


@pytest.mark.parametrize(("files", "said"), [
    (["a.csv", "-"], "standard input, which is read alone"), (["a.csv", "b.csv", "./a.csv"], "./a.csv is given twice"),
    (["a.csv", "link.csv"], "link.csv is given twice"), (["\x1b.csv", "\x1b.csv"], r"^\?\.csv is given twice"),
])  # fmt: skip
def test_each_file_once_and_standard_input_alone(tmp_path, monkeypatch, files, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("a.csv")
    refuses(said, runs.check, files)
    runs.check(["-"])
    runs.check(["a.csv", "b.csv", "c.csv"])


LONG = "a very long name of a run as Weights and Biases writes it - val_accuracy"


@pytest.mark.parametrize(("names", "named", "said"), [
    *((name, None, "pass --metric loss or --metric error, or --metric accuracy")
      for name in ("val_loss", "Train/Loss", "eval_error", "logloss", "test MAE", "val_losses", "dev/ppl")),
    *((name, None, "") for name in ("accuracy", "glossy", "terror", "run 3", "lossless", "F1")),
    # of a table with both one may be taken, of held-out data where there is such a column
    ("accuracy,loss,val_accuracy,val_loss", None, r"'loss' looks like .* does not: .* --value 'val_accuracy'"),
    ("loss,top1", None, "--value 'top1'"),
    (f"loss,{LONG}", None, f"--value '{LONG}'"),  # whole, to be pasted
    # where runs are named after losses no --value would help: what is measured is the same for all
    ("value", ["baseline", "focal loss"], r"'focal loss' sounds .*: pass --metric accuracy if higher is better"),
    ("value", ["baseline", "focal"], ""),
])  # fmt: skip
def test_a_loss_is_never_taken_for_an_accuracy_in_silence_nor_an_accuracy_for_a_loss(names, named, said):
    if not said:
        direction.ask(names.split(","), named)
        return
    refuses(said, lambda: direction.ask(names.split(","), named))
    if "acc" in names:  # with one metric for all they would be ranked together
        refuses("'loss' looks like a loss, and '", lambda: direction.ask_one_kind(names.split(",")))
    else:
        direction.ask_one_kind(names.split(","))
