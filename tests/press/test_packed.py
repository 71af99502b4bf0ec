"""Guards reproduce/_press/answers/packed.py: fixed bytes, and no damage goes unseen."""

import hashlib

import pytest

from reproduce._press.answers import packed

ROWS = b"x,y\n" + b"".join(b"%d,%d\n" % (i, i * i % 97) for i in range(5000))


def test_what_was_packed_comes_back_and_its_head_holds_no_date_and_no_name():
    """The ten bytes before the rows are the same on every machine."""
    data = packed.packed(ROWS)
    assert packed.unpacked(data) == ROWS and len(data) < len(ROWS) / 2
    assert data[:10] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
    assert hashlib.sha256(data).digest() == hashlib.sha256(packed.packed(ROWS)).digest()


@pytest.mark.parametrize("cut", [0, 5, 100, -1])
def test_a_cut_off_file_is_an_error(cut):
    """Wherever the end is missing."""
    data = packed.packed(ROWS)[:cut]
    with pytest.raises(ValueError, match="cannot be unpacked"):
        packed.unpacked(data)


def test_what_would_fill_the_memory_is_refused(monkeypatch):
    """A small file can unpack to a very large one."""
    monkeypatch.setattr(packed, "MOST", 1000)
    with pytest.raises(ValueError, match="far more"):
        packed.unpacked(packed.packed(bytes(100_000)))


@pytest.mark.parametrize(
    ("file", "name"), [("rows.a.csv.gz", "rows.a.csv"), ("rows.csv", "rows.csv"), ("x.gz", "x.gz")]
)
def test_a_table_has_one_name_however_it_lies_there(file, name):
    """Only rows are packed."""
    assert packed.plain_name(file) == name
