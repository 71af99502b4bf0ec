"""Guards folders that are watched, several files side by side, and the names that sound as if lower were better."""

import json
import os
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import columns, runs
from curvecast.logs import folder as folders
from curvecast.logs.checked_points import Run
from curvecast.logs.folder import Folder


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
    """Of a file with several runs each adds its name; hidden files, pipes and other kinds are no logs."""
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


def test_a_log_that_is_rewritten_or_cut_short_is_read_anew(tmp_path, folder):
    for text, expected in (("1,0.5\n2,0.6\n", [0.5, 0.6]), ("1,0.5\n", [0.5]), ("1,0.9\n", [0.9])):
        put(tmp_path / "new", f"step,acc\n{text}")
        (tmp_path / "new").replace(tmp_path / "a.csv")
        assert values(folder) == {"a.csv": expected}


def test_what_cannot_be_read_for_a_while_keeps_what_was_known(tmp_path, folder):
    """And says so; one that was never read is a complaint alone; neither touches the others."""
    put(tmp_path / "a.json", '[{"step": 1, "value": 0.5}]')
    put(tmp_path / "b.csv", "step,acc\n1,0.5\n")
    assert len(values(folder)) == 2 and not folder.left_out
    put(tmp_path / "a.json", '[{"step": 1, "val')
    put(tmp_path / "config.json", '{"lr": 1}')
    assert values(folder) == {"a.json": [0.5], "b.csv": [0.5]}
    assert set(folder.left_out) == {"a.json", "config.json"}
    put(tmp_path / "a.json", '[{"step": 1, "value": 0.75}]', age=5)
    assert values(folder)["a.json"] == [0.75] and set(folder.left_out) == {"config.json"}


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
    """The limits of one file are those of all together."""
    one, two = [run("x"), run("y")], [run("x")]
    together = runs.together(["a.csv", "there/b.csv"], [one, two])
    assert [found.name for found in together] == ["a.csv: x", "a.csv: y", "b.csv: x"]
    assert {found.what for found in together} == {"acc"}
    assert runs.together(["a.csv"], [one]) == one
    with pytest.raises(UserError, match="the files have 1,002 runs: at most 1,000 at once"):
        runs.together(["a", "b"], [[run(str(i)) for i in range(501)]] * 2)
    with pytest.raises(UserError, match="500,002 values"):
        runs.together(["a", "b"], [[run("x", 250_001)]] * 2)


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
    with pytest.raises(UserError, match=said):
        runs.check(files)
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
        columns.ask(names.split(","), named)
        return
    with pytest.raises(UserError, match=said):
        columns.ask(names.split(","), named)
