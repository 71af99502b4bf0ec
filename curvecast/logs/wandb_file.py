"""The file that Weights & Biases writes beside a training, offline too: records of its protocol in blocks of 32 kB.

It is read without the package: of a record only the history and the name of the run are looked at. A last record that is cut
short ends a file, since the training may still be writing.
"""

import math
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from curvecast.ground.errors import UserError, printable, reading
from curvecast.ground.progress import Progress
from curvecast.logs.checked_points import MOST_VALUES, Points, Run, apart, short
from curvecast.logs.columns import the_one

BEGINS, BLOCK = b":W&B", 32768
HEAD = struct.Struct("<IHB")  # of a part of a record: its sum, its length, and its kind
FULL, FIRST, MIDDLE, LAST = KINDS = (1, 2, 3, 4)  # a record may go on in the blocks behind
LARGEST = 4_000_000  # bytes of a record: longer ones hold no scalars
HISTORY, RUN = 2, 17  # fields of a record, and below of what is in them
RUN_ID, DISPLAY_NAME = 1, 8
STEP = 2
KEY, NESTED_KEY, INTEGER, NUMBER, JSON = 1, 2, 5, 6, 16
TOO_MANY = "name one run"
Field = tuple[int, int | bytes]
TIME = "_timestamp"  # seconds


class Logged(NamedTuple):
    """Of one run: all keys that had a number, the values of one of them by step, and how many records are damaged."""

    name: str
    id: str
    keys: set[str]
    values: dict[float, float | None]
    damaged: int
    times: list[tuple[float, float]]  # of the values: step, seconds
    restart: str = ""  # what is said of it


NAMED = "run-*.wandb"  # by the id of the run; a run that was resumed has a further file, in another folder


def files(path: Path) -> list[Path]:
    return sorted(path.rglob(NAMED), key=begun)


def begun(file: Path) -> str:
    """By it files are in the order of time, which their folders tell, those of runs offline behind a word more."""
    return str(file).replace("offline-run-", "run-")


def read(path: Path, wanted: str | None, sources: list[Path] | None = None) -> list[Run]:
    """The value `wanted` of each run below a folder, or of one file; the only value needs no name.

    sources   of these files alone
    """
    points = Points(printable(str(path), 200), TOO_MANY)
    sources = sources or (files(path) if path.is_dir() else [path])
    points.expect(len(sources))
    runs = dict[str, Logged]()  # by their ids
    with Progress(len(sources), "runs read") as progress:
        for source in sources:
            with reading(printable(str(source), 200), "is no file of Weights & Biases", "take it away"):
                one = _loaded(source, wanted)
                runs[one.id] = _resumed(runs[one.id], one) if one.id in runs else one
            progress.done(1)
    keys = sorted(set[str]().union(*(one.keys for one in runs.values())))
    key = the_one(keys, wanted, points.where, "value")
    names = apart({run_id: one.name for run_id, one in runs.items()})
    for run_id, one in runs.items():
        name = names[run_id]
        if key in one.keys:
            points.fill(name, dict(sorted(one.values.items())), key)
            points.times[name] = one.times
        if one.damaged and name in points.runs:
            told = f"damaged records of its file: {one.damaged:,}; values may be missing"
            points.runs[name].doubts.append(told)
        if one.restart and name in points.runs:
            points.runs[name].doubts.append(one.restart)
    return points.all()


def _resumed(run: Logged, later: Logged) -> Logged:
    """A run that goes on in a further file, whose values replace all from its first step on."""
    step, last = min(later.values, default=math.inf), max(run.values, default=-1.0)
    told = f"was restarted at step {short(step)} after step {short(last)}"
    return later._replace(
        keys=run.keys | later.keys,
        values={at: value for at, value in run.values.items() if at < step} | later.values,
        damaged=run.damaged + later.damaged,
        times=[one for one in run.times if one[0] < step] + later.times,
        restart=f"{told}: its later values replace the earlier ones" if step <= last else run.restart,
    )


def _loaded(source: Path, wanted: str | None) -> Logged:
    """`wanted`: else the first key. Of a step that was logged twice the later value counts; NaN and infinity are holes."""
    name, run_id, damaged = "", source.stem.removeprefix("run-"), 0
    keys, values, times = set[str](), dict[float, float | None](), list[tuple[float, float]]()
    for record in _records(source):
        if record is None:
            damaged += 1
            continue
        for number, inside in _fields(record):
            if number == RUN and isinstance(inside, bytes):
                about = dict(_fields(inside))
                name = _text(about.get(DISPLAY_NAME, b"")) or name
                run_id = _text(about.get(RUN_ID, b"")) or run_id
            elif number == HISTORY and isinstance(inside, bytes):
                step, row = _history(inside)
                time = row.pop(TIME, None)
                keys |= row.keys()
                wanted = wanted or next(iter(row), None)
                if wanted in row:
                    values[step] = row[wanted] if math.isfinite(row[wanted]) else None
                    times += [(step, time)] if time is not None else []
        if max(len(values), len(keys)) > MOST_VALUES:
            raise UserError(f"{printable(str(source), 200)} has more than {MOST_VALUES:,} values: log fewer")
    return Logged(name or run_id, run_id, keys, values, damaged, times)


def _history(data: bytes) -> tuple[float, dict[str, float]]:
    """The step, and all numbers that were logged at it, its time among them."""
    step, row = 0.0, dict[str, float]()
    for number, inside in _fields(data):
        if not isinstance(inside, bytes):
            continue
        if number == STEP:
            step = float(dict(_fields(inside)).get(1, 0))
            continue
        item = list(_fields(inside))
        key = ".".join(_text(part) for which, part in item if which in (KEY, NESTED_KEY))
        value = next((_number(*one) for one in item if one[0] in (INTEGER, NUMBER, JSON)), None)
        if key == "_step" and value is not None:
            step = value
        elif value is not None and (key == TIME or not key.startswith("_")):
            row[key] = value
    return step, row


def _number(field: int, value: int | bytes) -> float | None:
    if isinstance(value, int):
        return float(value)
    try:
        return float(struct.unpack("<d", value)[0]) if field == NUMBER else float(value)
    except ValueError:  # a text, a list, a picture
        return None


def _text(value: int | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def _fields(data: bytes) -> Iterator[Field]:
    """Of a protobuf message: numbers of its fields, and what they hold."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind, size = tag & 7, 0
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        if not size <= len(data) - at or kind not in (1, 2, 5):
            raise ValueError("a message is cut short")
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for place, byte in enumerate(data[at : at + 10]):
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number, at + place + 1
    raise ValueError("a number is cut short")


def _records(source: Path) -> Iterator[bytes | None]:
    """Each record, None for one that is damaged; one that is too large is empty."""
    with source.open("rb") as file:
        if file.read(7)[:4] != BEGINS:
            raise ValueError("it begins otherwise")
        size, parts, held = os.fstat(file.fileno()).st_size, list[bytes](), 0
        begun = False  # is there a record, whole so far, whose end is to come?
        while file.tell() < size:
            left = BLOCK - file.tell() % BLOCK
            if left < 7:
                file.seek(left, os.SEEK_CUR)
                continue
            head = file.read(7)
            if len(head) < 7:
                return
            checksum, length, kind = HEAD.unpack(head)
            if kind not in KINDS or length > left - 7:  # behind it nothing can be found in this block
                yield None
                file.seek(left - 7, os.SEEK_CUR)
                begun = False
                continue
            data = file.read(length)
            whole = _sum(kind, data) == checksum
            if len(data) < length:
                # it may still be being written, unless it is whole, or a whole one is behind it
                if whole or any(_begins_with_part(data[at:]) for at in range(len(data))):
                    yield None
                return
            begins = kind in (FULL, FIRST)
            if not whole:
                yield None
            begun = whole and (begins or begun)
            held = length if begins else held + length
            parts = [data] if begins else [*parts, data] if held <= LARGEST else []
            if kind in (FULL, LAST):
                if begun:
                    yield b"".join(parts)
                begun = False


def _sum(kind: int, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(bytes([kind])))


def _begins_with_part(data: bytes) -> bool:
    if len(data) < HEAD.size:
        return False
    checksum, length, kind = HEAD.unpack(data[: HEAD.size])
    inside = data[HEAD.size : HEAD.size + length]
    return kind in KINDS and len(inside) == length and _sum(kind, inside) == checksum
