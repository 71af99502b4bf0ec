"""Logs as other programs write them, and what the readers say of one that they refuse."""

import sqlite3
import struct
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import runs

BLOCK = 32768


def complaint(text: str, **options: Any) -> str:
    """Of a text: one short sentence that begins with the name of the source."""
    with pytest.raises(UserError) as error:
        runs.parse(text, "log.csv", **options)
    said = str(error.value)
    assert said.startswith("log.csv") and said.isprintable() and len(said) < 400
    return said


def refused(source: Path | str | None, **options: Any) -> str:
    """Of a file, a folder or standard input."""
    with pytest.raises(UserError) as error:
        runs.read(source, **options)
    assert str(error.value).isprintable()
    return str(error.value)


def database(path: Path, *statements: tuple[Any, ...]) -> Path:
    """Of statements of SQLite, each with the rows that it is run for, or alone."""
    with closing(sqlite3.connect(path)) as connection:
        for statement, *rows in statements:
            for row in rows or [()]:
                connection.execute(statement, row)
        connection.commit()
    return path


def field(number: int, value: int | bytes) -> bytes:
    """Of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def history(step: int, **logged: str) -> bytes:
    """A record of Weights & Biases: values in JSON; `a__b` is a key in a key."""
    items = b""
    for key, text in logged.items():
        first, *more = key.split("__")
        names = [first, *more] if more else []
        keys = b"".join(field(2, name.encode()) for name in names) or field(1, first.encode())
        items += field(1, keys + field(16, text.encode()))
    return field(2, items + field(2, field(1, step)))


def packed(*records: bytes) -> bytes:
    """A file of Weights & Biases: records in blocks; one that does not fit goes on in the next."""
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
