"""Guards the store: rows come back as they were, and what stands on disk is whole, whenever a process dies."""

import errno
import lzma
import multiprocessing
import os

import pandas as pd
import pytest
from processes import Killed, dying

from presswork import store
from presswork.answers import packed, receipts
from presswork.ground import files
from presswork.ground.errors import UserError

RECEIPT = {"question": "q", "part": "all", "parts": ["all"], "scale": "laptop"}
OLD, NEW = (pd.DataFrame({"x": [1, 2], "y": [value, float("nan")], "s": ["a", "b"]}) for value in (0.1, 0.2))
LONG = pd.DataFrame({"x": range(9000)})  # above 16 kB
TWO = RECEIPT | {"part": "a", "parts": ["a", "b"], "command": "python -m reproduce run q --part a"}


def stored(folder):
    return store.read(folder, ["all"])[0]


def names(folder):
    """The files of an answer; what begins with a dot is the store's own."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def test_rows_come_back_as_they_were(tmp_path):
    table = pd.DataFrame({"x": [1 / 3, 1e-9 / 7], "n": [10**9, -1], "s": ["a, b", "ü"], "m": [1.5, None]})
    store.write_rows(tmp_path, {"rows": table}, RECEIPT)
    pd.testing.assert_frame_equal(stored(tmp_path), table.assign(x=[0.333333, 1.42857e-10]))


def test_parts_stand_below_one_another_and_missing_ones_are_absent(tmp_path):
    """The column `part` says where a row comes from; a part that found nothing leaves the others' numbers numbers."""
    parts = ["a", "b", "c", "d"]
    for part, table in (("a", OLD.iloc[:0]), ("b", OLD), ("d", OLD)):
        store.write_rows(tmp_path, {"rows": table}, RECEIPT | {"part": part, "parts": parts})
    rows, count = store.read(tmp_path, parts)
    assert count == 3 and list(rows["part"]) == ["b", "b", "d", "d"]
    assert rows.drop(columns="part").dtypes.to_dict() == OLD.dtypes.to_dict()


def test_rows_without_a_matching_receipt_do_not_count(tmp_path):
    store.write_rows(tmp_path, {"rows": OLD}, RECEIPT)
    (tmp_path / "rows.csv").write_text("x,y,s\n9,9,z\n")
    assert stored(tmp_path) is None
    (tmp_path / "receipts.json").unlink()
    assert stored(tmp_path) is None


def test_receipts_that_cannot_be_read_are_told_and_not_written_over(tmp_path):
    """To measure one part must not cost the receipts of the others; what was measured waits until they are mended."""
    store.write_rows(tmp_path, {"rows": OLD}, TWO)
    before = (tmp_path / "receipts.json").read_bytes()
    (tmp_path / "receipts.json").write_bytes(before[:50])
    with pytest.raises(UserError, match=r"receipts\.json cannot be read .*`git checkout"):
        store.write_rows(tmp_path, {"rows": NEW}, TWO | {"part": "b"})
    assert (tmp_path / "receipts.json").read_bytes() == before[:50]
    (tmp_path / "receipts.json").write_bytes(before)
    assert store.read(tmp_path, ["a", "b"])[1] == 2


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-20], lambda data: b"", lambda data: lzma.compress(b"x\n9\n")]
)
def test_a_packed_table_that_was_cut_off_or_changed_is_told_and_does_not_count(tmp_path, spoil):
    store.write_rows(tmp_path, {"rows": LONG}, TWO)
    path = tmp_path / "rows.a.csv.xz"
    path.write_bytes(spoil(path.read_bytes()))
    told = r"rows\.a\.csv\.xz does not fit its receipt.*git checkout.*run q --part a"
    with pytest.raises(UserError, match=told):
        store.check(tmp_path)
    assert store.whole(tmp_path, "a", ["a", "b"]) is None


def test_long_tables_lie_packed_in_one_form_and_receipts_do_not_know(tmp_path):
    """The receipt names and hashes the CSV, so that it fits a table that another library packed, or nobody."""
    store.write_rows(tmp_path, {"rows": OLD, "few": LONG}, RECEIPT)
    store.write_rows(tmp_path, {"rows": LONG, "few": OLD}, RECEIPT)
    assert names(tmp_path) == ["few.csv", "receipts.json", "rows.csv.xz"]
    pd.testing.assert_frame_equal(stored(tmp_path)["rows"], LONG)
    (tmp_path / "rows.csv.xz").write_bytes(lzma.compress(store.csv(LONG), preset=0))
    assert store.whole(tmp_path, "all", ["all"])
    (tmp_path / "rows.csv.xz").unlink()
    (tmp_path / "rows.csv").write_bytes(store.csv(LONG))
    assert store.whole(tmp_path, "all", ["all"])


def test_what_would_fill_the_memory_is_refused(monkeypatch):
    """A small file can unpack to a very large one."""
    monkeypatch.setattr(packed, "MOST", 1000)
    with pytest.raises(ValueError, match="far more"):
        packed.unpacked(packed.packed(bytes(100_000)))


def measure(folder, part):
    for seconds in range(20):
        store.write_rows(folder, {"rows": OLD}, TWO | {"part": part, "seconds": seconds})


def test_parts_that_are_measured_at_once_all_keep_their_receipts(tmp_path):
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=measure, args=(tmp_path, part)) for part in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert {receipt["part"]: receipt["seconds"] for receipt in receipts.of(tmp_path)} == {"a": 19, "b": 19}
    assert store.read(tmp_path, ["a", "b"])[1] == 2


@pytest.mark.parametrize("step", range(30))
def test_a_kill_at_any_step_leaves_the_old_answer_or_the_new(tmp_path, monkeypatch, step):
    """Whichever call of the system is the last one, rows and receipt fit together afterwards."""
    store.write_rows(tmp_path, {"rows": OLD}, TWO | {"part": "b", "seconds": 1})
    store.write_rows(tmp_path, {"rows": OLD, "curve": LONG, "gone": OLD}, TWO | {"seconds": 1})
    steps, finished = iter(range(step)), False
    with monkeypatch.context() as patch:
        for owner, call in ((os, "replace"), (os, "fsync"), (type(tmp_path), "unlink")):
            patch.setattr(owner, call, dying(getattr(owner, call), steps))
        try:
            store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, TWO | {"seconds": 2})
            finished = True
        except Killed:
            pass
    rows, count = store.read(tmp_path, ["a", "b"])
    lengths = {name: len(table) for name, table in rows.items()}
    seconds, y = store.whole(tmp_path, "a", ["a", "b"])["seconds"], rows["rows"]["y"][0]
    assert count == 2
    old, new = ({"rows": 4, "curve": 9000, "gone": 2}, 1, 0.1), ({"rows": 4, "curve": 2}, 2, 0.2)
    assert (lengths, seconds, y) in ([new] if finished else [old, new])
    store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, TWO)
    assert names(tmp_path) == ["curve.a.csv", "receipts.json", "rows.a.csv", "rows.b.csv"]
    assert not list(tmp_path.glob(".*.new"))


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "claims.json"
    store.write(path, b"old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"cannot write .*claims\.json: No space left on device"):
        store.write(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["claims.json"]


def test_one_holds_a_lock_and_several_may_share_it(tmp_path):
    path = tmp_path / "runs" / "one"
    with files.held(path) as mine, files.held(path, wait=False) as other:
        assert mine and not other
    with (
        files.held(path, shared=True, wait=False) as mine,
        files.held(path, shared=True, wait=False) as other,
    ):
        assert mine and other
    with files.held(path, wait=False) as again:
        assert again
