"""Guards reproduce/_store.py: what stands on disk is whole, whatever happens while it is written."""

import errno
import os

import pandas as pd
import pytest

from reproduce import _store

RECEIPT = {"question": "q", "part": "all", "parts": ["all"], "scale": "laptop"}
OLD, NEW = (pd.DataFrame({"x": [1, 2], "y": [value, float("nan")], "s": ["a", "b"]}) for value in (0.1, 0.2))


def stored(folder):
    return _store.read(folder, ["all"])[0]


def test_rows_come_back_as_they_were(tmp_path):
    """Six significant digits, missing values, words."""
    table = pd.DataFrame(
        {"x": [1 / 3, 1e-9 / 7], "n": [10**9, -1], "s": ["a, b", "ü"], "m": [1.5, float("nan")]}
    )
    _store.write_rows(tmp_path, {"rows": table}, RECEIPT)
    expected = table.assign(x=[0.333333, 1.42857e-10])
    pd.testing.assert_frame_equal(stored(tmp_path), expected)


def test_several_tables_come_back_as_a_dict(tmp_path):
    """What measure returned as a dict is read as a dict."""
    _store.write_rows(tmp_path, {"rows": OLD, "curve": NEW}, RECEIPT)
    assert set(stored(tmp_path)) == {"rows", "curve"}


def test_parts_stand_below_one_another_and_missing_ones_are_absent(tmp_path):
    """The column `part` says where a row comes from."""
    parts = ["a", "b", "c"]
    for part in ("a", "c"):
        _store.write_rows(tmp_path, {"rows": OLD}, RECEIPT | {"part": part, "parts": parts})
    rows, count = _store.read(tmp_path, parts)
    assert count == 2 and list(rows["part"]) == ["a", "a", "c", "c"]


def test_parts_of_yesterday_go_with_their_receipts(tmp_path):
    """A question that had a, b and c and now has a alone keeps the files of a."""
    before = ["a", "b", "c"]
    for part in before:
        _store.write_rows(tmp_path, {"rows": OLD}, RECEIPT | {"part": part, "parts": before})
    _store.retire(tmp_path, ["a", "d"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["receipt.a.json", "rows.a.csv"]


def test_rows_without_a_matching_receipt_do_not_count(tmp_path):
    """A table that was changed by hand, or has lost its receipt, is not an answer."""
    _store.write_rows(tmp_path, {"rows": OLD}, RECEIPT)
    (tmp_path / "rows.csv").write_text("x,y,s\n9,9,z\n")
    assert stored(tmp_path) is None
    (tmp_path / "receipt.json").write_text("{half")
    assert stored(tmp_path) is None


class Killed(BaseException):
    """Stands for kill -9: nothing after it runs."""


@pytest.mark.parametrize("step", range(20))
def test_a_kill_at_any_step_leaves_the_old_answer_or_the_new(tmp_path, monkeypatch, step):
    """Whichever call of the system is the last one, rows and receipt fit together afterwards."""
    tables = {"rows": OLD, "curve": OLD}
    _store.write_rows(tmp_path, tables, RECEIPT | {"seconds": 1})
    calls = 0

    def dying(call):
        def wrapped(*arguments, **more):
            nonlocal calls
            calls += 1
            if calls > step:
                raise Killed
            return call(*arguments, **more)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dying(os.replace))
        patch.setattr(os, "fsync", dying(os.fsync))
        patch.setattr(type(tmp_path), "unlink", dying(type(tmp_path).unlink))
        try:
            _store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, RECEIPT | {"seconds": 2})
            finished = True
        except Killed:
            finished = False
    rows = stored(tmp_path)
    assert rows is not None
    first = {name: table["y"][0] for name, table in rows.items()}
    receipt = _store.whole(tmp_path, "all", ["all"])
    assert first in ({"rows": 0.1, "curve": 0.1}, {"rows": 0.2, "curve": 0.2})
    assert receipt["seconds"] == (1 if first["rows"] == 0.1 else 2)
    assert not finished or first["rows"] == 0.2
    _store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, RECEIPT)
    assert not list(tmp_path.glob(".*.new"))


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    """The error names the file; what stood there stands."""
    path = tmp_path / "claims.json"
    _store.write(path, b"old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as error:
        _store.write(path, b"new")
    assert error.value.filename == str(path)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["claims.json"]


def test_what_is_drawn_no_more_is_taken_away(tmp_path):
    """Figures and tables of an older version of a question do not stay behind; rows do."""
    for name in ("old.light.svg", "old.table.csv", "new.light.svg", "rows.csv"):
        (tmp_path / name).touch()
    _store.remove_others(tmp_path, ["new.light.svg"])
    assert sorted(os.listdir(tmp_path)) == ["new.light.svg", "rows.csv"]


def test_a_table_that_is_measured_no_more_is_taken_away(tmp_path):
    """The files of a part are those of its last receipt."""
    _store.write_rows(tmp_path, {"rows": OLD, "curve": OLD}, RECEIPT)
    _store.write_rows(tmp_path, {"rows": NEW}, RECEIPT)
    assert sorted(os.listdir(tmp_path)) == ["receipt.json", "rows.csv"]


def test_an_equal_file_is_not_written_again(tmp_path):
    """Its date stays, so that nothing looks changed that is not."""
    path = tmp_path / "a.svg"
    _store.write(path, b"same")
    os.utime(path, (1, 1))
    _store.write_if_other(path, b"same")
    assert path.stat().st_mtime == 1
