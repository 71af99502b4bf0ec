"""Guards curvecast/command/changes.py: each change of a log is seen, and nothing else is."""

import contextlib

from curvecast.command import changes as growing


def changes(monkeypatch, paths, *between) -> int:
    """How many changes are seen where these things happen, one between two checks."""
    todo, seen = list(between), 0

    def sleep(_):
        if not todo:
            raise KeyboardInterrupt
        todo.pop(0)()

    monkeypatch.setattr(growing.time, "sleep", sleep)
    with contextlib.suppress(KeyboardInterrupt):
        for _ in growing.changes([str(path) for path in paths], 1):
            seen += 1
    return seen


def test_of_a_folder_only_event_files_are_watched(tmp_path, monkeypatch):
    """What -o writes there would print for ever."""
    events = tmp_path / "a" / "events.out.tfevents.1"
    events.parent.mkdir()
    events.touch()
    assert changes(monkeypatch, [tmp_path], lambda: (tmp_path / "bands.csv").write_text("x")) == 1
    assert changes(monkeypatch, [tmp_path], lambda: events.write_text("more")) == 2
    assert changes(monkeypatch, [tmp_path], events.unlink) == 2


def test_of_several_files_each_is_watched(tmp_path, monkeypatch):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.touch()
    grow = [lambda path=path: path.write_text("more") for path in paths]
    assert changes(monkeypatch, paths, *grow) == 3


def test_new_rows_beside_a_database_are_a_change(tmp_path, monkeypatch):
    """SQLite may write them to a file of their own first."""
    path = tmp_path / "runs.db"
    path.touch()
    assert changes(monkeypatch, [path], lambda: (tmp_path / "runs.db-wal").write_text("rows")) == 2


def test_a_file_that_goes_while_it_is_watched_is_a_change(tmp_path, monkeypatch):
    """Also between being listed and being looked at."""
    path = tmp_path / "log.csv"
    path.touch()
    assert changes(monkeypatch, [path], path.unlink) == 2
    monkeypatch.setattr(growing, "_watched", lambda _: [str(path)])
    assert changes(monkeypatch, [tmp_path], path.touch) == 2
