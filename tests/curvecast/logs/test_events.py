"""Guards curvecast/logs/events.py: TensorBoard's event files are runs, one scalar of them, and no step is dropped."""

import sys
from pathlib import Path

import pytest

from curvecast.__main__ import main
from curvecast.logs import checked_points, runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import refused

NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture
def write():
    """Write event files as TensorBoard's own writer does: one scalar a step, plain or as a tensor."""
    writer = pytest.importorskip("tensorboard.summary.writer.event_file_writer", reason="needs tensorboard")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.util.tensor_util import make_tensor_proto

    def scalars(folder: Path, tag: str, points: list[tuple[int, float]], tensor: object = None) -> None:
        file = writer.EventFileWriter(str(folder))
        for step, number in points:
            value = Summary.Value(tag=tag, simple_value=number)
            if tensor is not None:
                plugin = SummaryMetadata.PluginData(plugin_name="scalars")
                proto, metadata = make_tensor_proto(tensor(number)), SummaryMetadata(plugin_data=plugin)
                value = Summary.Value(tag=tag, tensor=proto, metadata=metadata)
            file.add_event(Event(step=step, wall_time=1.7e9 + step, summary=Summary(value=[value])))
        file.close()

    return scalars


@pytest.mark.parametrize("tensor", [None, float], ids=["plain", "tensor"])
def test_each_folder_is_a_run(tmp_path, write, tensor):
    """Named by its path; a number may be written plainly or as a tensor."""
    write(tmp_path / "lr" / "0.1", "loss", [(1, 0.5), (2, 0.75)], tensor)
    write(tmp_path / "lr" / "0.2", "loss", [(10, 0.25)], tensor)
    found = runs.read(tmp_path)
    assert found == [Run("lr/0.1", [1, 2], [0.5, 0.75]), Run("lr/0.2", [10], [0.25])]
    assert {run.what for run in found} == {"loss"}, "by it a loss is told from an accuracy"


def test_a_folder_alone_or_its_file_is_one_run(tmp_path, write):
    """Named by the folder; beside others it is called `.`, as in TensorBoard."""
    write(tmp_path / "first", "loss", [(0, 0.5)])
    file = next((tmp_path / "first").iterdir())
    assert runs.read(tmp_path / "first") == runs.read(file) == [Run("first", [0], [0.5])]
    write(tmp_path / "first" / "again", "loss", [(0, 0.5)])
    assert [run.name for run in runs.read(tmp_path / "first")] == [".", "again"]


def test_long_runs_are_whole(tmp_path, write):
    """tensorboard itself would keep 10,000 points of a scalar and 10 of a tensor."""
    write(tmp_path / "a", "loss", [(step, 0.5) for step in range(11_000)])
    write(tmp_path / "b", "loss", [(step, 0.5) for step in range(50)], float)
    assert [len(run.steps) for run in runs.read(tmp_path)] == [11_000, 50]


def test_one_scalar_of_several_is_chosen(tmp_path, write):
    """Without a choice all are named, at most twelve; folders without it are no runs."""
    write(tmp_path / "a", "loss", [(1, 0.5)])
    write(tmp_path / "a", "accuracy", [(1, 0.25)])
    write(tmp_path / "b", "accuracy", [(1, 0.75)])
    assert runs.read(tmp_path, value="loss") == [Run("a", [1], [0.5])]
    assert refused(tmp_path).endswith("holds 2 scalars: pass --value with one of accuracy, loss")
    assert refused(tmp_path, value="los").endswith(
        "has no scalar 'los': pass --value with one of accuracy, loss"
    )
    for i in range(20):
        write(tmp_path / "many", f"norm{i:02}", [(1, 0.5)])
    assert refused(tmp_path).endswith("norm08, norm09 and 10 more")


def test_a_restart_in_a_second_file_is_named(tmp_path, write):
    """Which of the two counts is for the user to say."""
    write(tmp_path, "loss", [(1, 0.5), (2, 0.5)])
    next(tmp_path.iterdir()).rename(tmp_path / NAME)
    write(tmp_path, "loss", [(2, 0.25), (3, 0.25)])
    assert "has step 2 twice" in refused(tmp_path)


def test_a_tensor_of_many_numbers_is_no_scalar(tmp_path, write, monkeypatch):
    """Whatever its writer called it; it is not made, for ninety bytes may say that they are a billion numbers."""
    monkeypatch.setattr("tensorboard.util.tensor_util.make_ndarray", None)
    write(tmp_path, "loss", [(1, 0.5)], lambda number: [number, number])
    assert "'loss' is not one number at step 1: choose another scalar" in refused(tmp_path)


@pytest.mark.parametrize("data", [b"", b"not events at all, but long enough for a record", bytes(100)])
def test_files_that_only_have_the_name_hold_no_scalars(tmp_path, write, data):
    """Empty, text, and zeros."""
    (tmp_path / NAME).write_bytes(data)
    assert "no scalars" in refused(tmp_path) or "cannot be read" in refused(tmp_path)


def test_a_record_that_is_cut_short_ends_the_run(tmp_path, write):
    """The training may still be writing."""
    write(tmp_path, "loss", [(1, 0.5), (2, 0.25)])
    file = next(tmp_path.iterdir())
    file.write_bytes(file.read_bytes()[:-3])
    assert runs.read(file)[0].steps == [1]


@pytest.mark.parametrize(("place", "left", "damaged"), [(-60, [1, 2, 4], 1), (-82, [1, 2], 1)])
def test_a_damaged_record_is_counted_and_told(tmp_path, write, capsys, place, left, damaged):
    """In its content it costs one value, in its length all that follow."""
    write(tmp_path, "loss", [(step, 0.5) for step in (1, 2, 3, 4)])
    file = next(tmp_path.iterdir())
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)
    assert runs.read(file)[0].steps == left
    assert main(["forecast", str(file), "--metric", "loss"]) == 0
    assert f"event files: {damaged};" in capsys.readouterr().out


def test_a_folder_without_event_files_is_refused(tmp_path):
    """Before tensorboard is looked for."""
    assert (
        "is a folder without event files of TensorBoard or runs of MLflow or Weights & Biases: name a file"
        in refused(tmp_path)
    )


def test_too_many_folders_are_refused_before_they_are_read(tmp_path, monkeypatch):
    """The limit is that of all sources."""
    monkeypatch.setattr(checked_points, "MOST_RUNS", 2)
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / NAME).touch()
    assert "has 3 runs: at most 2 at once" in refused(tmp_path)


def test_without_tensorboard_the_complaint_says_what_to_install(tmp_path, monkeypatch):
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    (tmp_path / NAME).touch()
    said = refused(tmp_path / NAME)
    assert said.endswith("is a TensorBoard event file: pip install 'curvecast[tensorboard]' reads it")
