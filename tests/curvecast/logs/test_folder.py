"""Guards curvecast/logs/folder.py: logs are read again where they have changed, and never lost while they are written."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from curvecast.logs import folder as folders
from curvecast.logs.checked_points import Run
from curvecast.logs.folder import Folder

HOW = {"run": None, "step": None, "value": None, "sep": None, "decimal": "."}


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path, HOW)


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
    """Of a file with several runs each adds its name; hidden files and other kinds are no logs."""
    put(tmp_path / "a.csv", "step,acc\n1,0.5\n")
    put(tmp_path / "b" / "log.jsonl", '{"step": 1, "value": 0.25}\n')
    put(tmp_path / "c.tsv", "step\tx\ty\n1\t0.5\t0.75\n")
    for other in (".a.csv", ".git/a.csv", "readme.md", "model.safetensors"):
        put(tmp_path / other, "step,acc\n1,0.5\n")
    assert values(folder) == {"a.csv": [0.5], "b/log.jsonl": [0.25], "c.tsv: x": [0.5], "c.tsv: y": [0.75]}


def test_of_checkpoints_the_last_one_holds_the_log(tmp_path):
    """Hugging Face writes trainer_state.json into each; the run is the folder around them."""
    for step in (9, 100, 20):
        history = [{"step": at, "acc": at / 1000} for at in range(1, step + 1)]
        put(
            tmp_path / "lr" / f"checkpoint-{step}" / "trainer_state.json",
            json.dumps({"log_history": history}),
        )
    found = values(Folder(tmp_path, HOW | {"value": "acc"}))
    assert list(found) == ["lr"] and len(found["lr"]) == 100


def test_only_what_has_changed_is_read_again(tmp_path, folder, monkeypatch):
    read = []
    real = folders.runs.read
    monkeypatch.setattr(folders.runs, "read", lambda file, **how: read.append(file.name) or real(file, **how))
    for name in "ab":
        put(tmp_path / f"{name}.csv", "step,acc\n1,0.5\n")
    assert folder.refresh() and not folder.refresh()
    put(tmp_path / "b.csv", "step,acc\n1,0.5\n2,0.6\n", age=9)
    assert folder.refresh() and not folder.refresh()
    assert read == ["a.csv", "b.csv", "b.csv"]


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("a.csv", "step,acc\n1,0.5\n2,0.", [0.5]),
        ("a.csv", "step,acc\n1,0.5", None),
        ("a.csv", "step,a", None),
        ("a.jsonl", '{"step": 1, "value": 0.5}\n{"step": 2, "value": 0.7}', [0.5]),
        ("a.json", '{"acc": [0.5, 0.7]}', [0.5, 0.7]),
    ],
)
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


def test_a_log_that_is_rewritten_or_cut_short_is_read_anew(tmp_path, folder):
    for text, expected in [
        ("step,acc\n1,0.5\n2,0.6\n", [0.5, 0.6]), ("step,acc\n1,0.5\n", [0.5]), ("step,acc\n1,0.9\n", [0.9]),
    ]:  # fmt: skip
        put(tmp_path / "new", text)
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


def test_a_log_that_has_gone_is_gone(tmp_path, folder):
    """One that goes between being listed and being read stays for that look."""
    put(tmp_path / "a.csv", "step,acc\n1,0.5\n")
    listed = list(folder._logs())
    folder.refresh()
    (tmp_path / "a.csv").unlink()
    assert folder._source(*listed[0], folder._sources["a.csv"]).runs
    assert folder.refresh() and not folder.runs


def test_new_rows_beside_a_database_are_seen(tmp_path, folder):
    """SQLite may write them to a file of their own first; the database itself is as it was."""
    with closing(sqlite3.connect(tmp_path / "runs.db")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name TEXT, step INTEGER, metrics TEXT)"
        )
        for step, value in enumerate([0.5, 0.75]):
            writer.execute(
                "INSERT INTO metrics (run_name, step, metrics) VALUES ('a', ?, ?)",
                (step, f'{{"x": {value}}}'),
            )
            writer.commit()
            assert len(values(folder)["runs.db"]) == step + 1


def test_a_pipe_is_not_waited_for(tmp_path, folder):
    os.mkfifo(tmp_path / "pipe.csv")
    assert values(folder) == {}


def test_a_file_alone_is_a_folder_of_one(tmp_path):
    put(tmp_path / "a.csv", "step,x,y\n1,0.5,0.75\n")
    assert values(Folder(tmp_path / "a.csv", HOW)) == {"a.csv: x": [0.5], "a.csv: y": [0.75]}
