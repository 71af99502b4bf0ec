"""TensorBoard's event files into runs: a folder with such files is a run, one scalar of it the curve.

Of tensorboard, an extra, only the messages are used: its reader would end a file at the first damaged record, without a word.
A last record that is cut short ends a file here as well: the training may still be writing.
"""

import functools
import heapq
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from curvecast.ground.errors import UserError, demand, installed, printable, reading
from curvecast.ground.progress import Progress
from curvecast.logs.checked_points import Points, Run
from curvecast.logs.columns import the_one

TOO_MANY = "read fewer folders at once, or write the scalar less often"
MOST_RUNS = 10_000  # a folder of a long search holds more than a table would
LARGEST = 4_000_000  # bytes of a record: longer ones hold pictures, sound or a graph


Point = tuple[int, float | None, float]  # step, value (None: not one number), seconds


class Scalars(NamedTuple):
    """Of one run: all tags, the points of one of them, and how many records are damaged."""

    tags: set[str]
    points: list[Point]
    damaged: int


def read(path: Path, tag: str | None, deep: bool = True) -> list[Run]:
    """The scalar `tag` of each run below a folder, or of one event file; the only scalar needs no tag.

    deep    False: of a folder its own event files alone, which are one run
    """
    where = printable(str(path), 200)
    points = Points(where, TOO_MANY, MOST_RUNS)
    sources = _sources(path, points) if deep else {path.resolve().name or "run": path}
    loaded: dict[str, Scalars] = {}
    with Progress(len(sources), "runs read") as progress:
        for name, source in sources.items():
            about = f"{where} ({printable(source.name)})"
            with reading(about, "cannot be read as event files", "take it away"):
                loaded[name] = _loaded(source, tag, where)
            progress.done(1)
    tags = sorted(set[str]().union(*(scalars.tags for scalars in loaded.values())))
    damaged = sum(scalars.damaged for scalars in loaded.values())
    besides = "" if tags or not damaged else f" ({damaged:,} damaged records)"
    tag = the_one(tags, tag, f"{where}{besides}", "scalar")
    for name, scalars in loaded.items():
        if tag in scalars.tags:  # others are folders of another scalar, such as those of hyperparameters
            run = points.declare(name, what=tag)
            for step, value, seconds in scalars.points:
                if value is None:
                    which = f"'{printable(tag)}' is not one number at step {step}: choose another scalar"
                    raise UserError(f"{where}: {which}")
                points.add(name, float(step), value, seconds=seconds)
            if scalars.damaged:
                told = f"damaged records of its event files: {scalars.damaged:,}; values may be missing"
                run.doubts.append(told)
    return points.all()


def _sources(path: Path, points: Points) -> dict[str, Path]:
    """Names of runs and where they are."""
    if path.is_file():
        return {path.resolve().parent.name or "run": path}
    folders = sorted({file.parent for file in path.rglob("*tfevents*") if file.is_file()})
    none = "is a folder without event files of TensorBoard or runs of MLflow or Weights & Biases"
    demand(folders, f"{points.where} {none}: name a file or another folder")
    points.expect(len(folders))
    if folders == [path]:
        return {path.resolve().name or "run": path}
    return {folder.relative_to(path).as_posix(): folder for folder in folders}


def _loaded(source: Path, wanted: str | None, where: str) -> Scalars:
    """Of a folder or file: plain numbers, and tensors that their writer called scalars. `wanted`: else the first tag."""
    with installed(f"{where} is a TensorBoard event file: pip install 'curvecast[tensorboard]' reads it"):
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
    tags, damaged, by_file = set[str](), 0, dict[Path, list[Point]]()
    files = sorted(source.glob("*tfevents*")) if source.is_dir() else [source]
    records = ((file, data) for file in files if file.is_file() for data in _records(file, masked_crc32c))
    for file, data in records:
        try:
            event = Event.FromString(data or b"")
        except Exception:  # protobuf's own kind
            data = None
        if data is None:
            damaged += 1
            continue
        for value in event.summary.value:
            # only the first tensor of a tag says what it is
            if value.HasField("simple_value") or value.metadata.plugin_data.plugin_name == "scalars":
                tags.add(value.tag)
            is_number = value.HasField("simple_value") or value.HasField("tensor")
            if is_number and value.tag in tags and value.tag == (wanted := wanted or value.tag):
                by_file.setdefault(file, []).append((event.step, _number(value), event.wall_time))
    in_time = heapq.merge(*by_file.values(), key=lambda point: point[-1])  # whatever the files are called
    return Scalars(tags, list(in_time), damaged)


def _records(file: Path, checksum: Callable[[bytes], int]) -> Iterator[bytes | None]:
    """Each record, None for one that is damaged; behind a damaged length nothing can be found."""
    with file.open("rb") as log:
        size = os.fstat(log.fileno()).st_size
        while len(head := log.read(12)) == 12:
            length, sum_of_length = struct.unpack("<QI", head)
            if _sum_of_length(checksum, head[:8]) != sum_of_length:
                yield None
                return
            if log.tell() + length + 4 > size:
                return
            if length > LARGEST:
                log.seek(length + 4, os.SEEK_CUR)
                continue
            data, (sum_of_data,) = log.read(length), struct.unpack("<I", log.read(4))
            yield data if checksum(data) == sum_of_data else None


@functools.lru_cache(1000)  # the same few lengths come again and again
def _sum_of_length(checksum: Callable[[bytes], int], length: bytes) -> int:
    return checksum(length)


def _number(value: Any) -> float | None:
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if not all(one.size == 1 for one in value.tensor.tensor_shape.dim):  # before the tensor is made
        return None
    from tensorboard.util import tensor_util

    try:
        return float(tensor_util.make_ndarray(value.tensor).item())
    except (ValueError, TypeError, AttributeError):
        return None
