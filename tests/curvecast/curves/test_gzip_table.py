"""Guards curvecast/curves/gzip_table.py: columns as they stand, and one sentence about whatever is wrong, with its line."""

import gzip

import numpy as np
import pytest

from curvecast.curves import gzip_table
from curvecast.ground.errors import UserError

GOOD = b"name,more,step\n001,x,1\nNA,x,2.5\n"


def made(tmp_path, data, packed=True):
    path = tmp_path / "made_up.csv.gz"
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def read(path):
    return gzip_table.read(path, ("name",), ("step",))


def test_text_stays_text_and_numbers_are_exact(tmp_path):
    """A name 001 is no number and NA is no gap; a number is the nearest float to what is written."""
    digits = b"0.1234567890123456"
    table = read(made(tmp_path, GOOD.replace(b"2.5", digits)))
    assert list(table) == ["name", "step"] and list(table["name"]) == ["001", "NA"]
    assert table["step"].dtype == np.float64 and table["step"].iat[1] == float(digits)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (GOOD.replace(b"step", b"epoch"), r"has no column 'step'; it has name, more, epoch"),
        (b"", "has no column 'name'"),
        (GOOD.replace(b"2.5", b"two"), r"line 3: step is 'two', not a finite number"),
        (GOOD.replace(b"2.5", b"nan"), r"line 3: step is 'nan', not a finite number"),
        (GOOD.replace(b"2.5", b""), r"line 3: step is '', not a finite number"),
        (GOOD.replace(b"\nNA", b"\n\nNA"), r"line 3: step is '', not a finite number"),
        (GOOD.replace(b"step", b"step" + b",p" * 3000), "Duplicate names are not allowed"),
        (GOOD.replace(b"NA", b"\xff"), "cannot be read as a gzipped table"),
        (GOOD.replace(b"NA", b'"NA'), "cannot be read as a gzipped table"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_file_and_line(tmp_path, data, complaint):
    """Unknown columns, an empty file, text or NaN in numbers, short and empty rows, bytes that are no text."""
    path = made(tmp_path, data)
    with pytest.raises(UserError, match=complaint) as error:
        read(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value).strip()


@pytest.mark.parametrize("cut", [4, 12, 30, -12, -3])
def test_a_gzip_that_is_cut_off_is_told(tmp_path, cut):
    """Wherever it was cut, and also where the cut comes only after many rows."""
    data = gzip.compress(GOOD + b"".join(b"%d,x,%d\n" % (i * 7919 % 10007, i) for i in range(50_000)))
    with pytest.raises(UserError, match=r"cannot be read .* cut off"):
        read(made(tmp_path, data[:cut], packed=False))


def test_what_is_no_gzip_and_what_is_no_file_are_told(tmp_path):
    """Plain text of that name, a folder of that name, nothing at all."""
    with pytest.raises(UserError, match="cannot be read"):
        read(made(tmp_path, GOOD, packed=False))
    with pytest.raises(UserError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(UserError, match="there is no file"):
        read(tmp_path / "other.csv.gz")


@pytest.mark.parametrize("endless", [b"", b"1,x,1\n" * 300_000, b"x" * 2_000_000])
def test_a_gzip_does_not_unfold_without_end(tmp_path, monkeypatch, endless):
    """Rows or one line: no more than LARGEST bytes and a little come out of it."""
    path = made(tmp_path, GOOD + endless)
    monkeypatch.setattr(gzip_table, "LARGEST", 1_000_000)
    came = []
    plain = gzip.GzipFile.read
    monkeypatch.setattr(
        gzip.GzipFile, "read", lambda self, size=-1: came.append(plain(self, size)) or came[-1]
    )
    if not endless:
        assert len(read(path)) == 2
        return
    with pytest.raises(UserError, match=r"made_up.csv.gz unpacks to more than 1 MB: this is not a table"):
        read(path)
    assert sum(map(len, came)) < 1_400_000


def test_a_small_gzip_does_not_become_many_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(gzip_table, "MOST_CELLS", 20)
    with pytest.raises(UserError, match="has more than 10 rows: this is not a table of curves"):
        read(made(tmp_path, GOOD + b"1,x,1\n" * 30))


def test_a_header_without_end_is_no_header(tmp_path):
    """The first line is read up to HEADER bytes and no further."""
    with pytest.raises(UserError, match="has no column 'name'"):
        read(made(tmp_path, b"x" * 2_000_000))
