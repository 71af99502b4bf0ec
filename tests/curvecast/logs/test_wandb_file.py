"""Guards curvecast/logs/wandb_file.py, on files of the records and blocks that Weights & Biases publishes."""

import struct
import zlib
from pathlib import Path

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from curvecast.logs.folder import Folder
from tests.curvecast.logs.complaints import refused

BLOCK = 32768


def field(number: int, value: int | bytes) -> bytes:
    """Of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def history(step: int, **logged: str) -> bytes:
    """A record of values in JSON; `a__b` is a key in a key."""
    items = b""
    for key, text in logged.items():
        parts = key.split("__")
        keys = (
            field(1, key.encode()) if len(parts) == 1 else b"".join(field(2, part.encode()) for part in parts)
        )
        items += field(1, keys + field(16, text.encode()))
    return field(2, items + field(2, field(1, step)))


def packed(*records: bytes) -> bytes:
    """Records in blocks; one that does not fit goes on in the next."""
    data = b":W&B\xe1\xbe\x00"
    for record in records:
        first = True
        while first or record:
            left = BLOCK - len(data) % BLOCK
            if left < 7:
                data += bytes(left)
                continue
            part, record = record[: left - 7], record[left - 7 :]
            kind = (1 if first else 4) if not record else (2 if first else 3)
            first = False
            checksum = zlib.crc32(bytes([kind]) + part)
            data += struct.pack("<IHB", checksum, len(part), kind) + part
    return data


@pytest.fixture
def made(tmp_path):
    def make(run_id: str, name: str, *records: bytes) -> Path:
        file = tmp_path / "wandb" / f"offline-run-{run_id}" / f"run-{run_id}.wandb"
        file.parent.mkdir(parents=True)
        file.write_bytes(packed(field(17, field(1, run_id.encode()) + field(8, name.encode())), *records))
        return file

    return make


def test_a_file_is_a_run_and_a_folder_has_several(made):
    """Texts are no values, keys that begin with _ are its own; NaN is a hole; of a step the later value counts."""
    records = (
        history(0, loss="0.5", note='"x"', _runtime="3"),
        history(1, loss="NaN"),
        history(2, loss="9"),
        history(2, loss="0.25"),
    )
    file = made("a1", "first", *records)
    assert runs.read(file) == [Run("first", [0, 2], [0.5, 0.25])] and runs.read(file)[0].rows == [0, 1, 2]
    made("b2", "first", history(0, loss="1.5", val__acc="0.75"))
    folder = file.parents[1]
    assert [run.name for run in runs.read(folder, value="loss")] == ["first (a1)", "first (b2)"]
    assert runs.read(folder, value="val.acc") == [Run("first (b2)", [0], [0.75])]
    assert refused(folder).endswith("holds 2 values: pass --value with one of loss, val.acc")
    watched = Folder(folder, {"value": "loss"})
    assert watched.refresh() and [run.values for run in watched.runs] == [[0.5, 0.25], [1.5]]


def test_records_may_be_longer_than_a_block(made):
    """And one of four million bytes is left out, with all that is in it."""
    long = history(1, note='"' + "x" * 3 * BLOCK + '"', loss="0.5")
    assert runs.read(made("a1", "first", history(0, loss="1"), long, history(2, loss="0.25")))[0].values == [
        1,
        0.5,
        0.25,
    ]
    long = history(1, note='"' + "x" * 4_000_000 + '"', loss="0.5")
    assert runs.read(made("b2", "second", history(0, loss="1"), long))[0].values == [1]


def test_a_damaged_record_is_counted_and_a_last_one_cut_short_is_none(made):
    """The training may still be writing."""
    file = made("a1", "first", *(history(step, loss=f"0.{step + 1}") for step in range(9)))
    data = file.read_bytes()
    file.write_bytes(data[:-3])
    assert len(runs.read(file)[0].values) == 8 and not runs.read(file)[0].doubts
    file.write_bytes(data.replace(b"0.5", b"7.5"))
    assert len(runs.read(file)[0].values) == 8
    assert runs.read(file)[0].doubts == ["damaged records of its file: 1; values may be missing"]
    file.write_bytes(packed(b"\x0a\xff"))
    assert "is no file of Weights & Biases" in refused(file)
