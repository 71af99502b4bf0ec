"""Harms to files whose right outcome is known: a sentence, all values of the whole file, or fewer of them and a doubt.

Any other answer is silent: it is wrong, and nobody is told.
"""

import random
import re
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

from curvecast import forecast
from curvecast.forecasting import shipped
from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.made_logs import history, packed

WEIGHTS = shipped.PATH.read_bytes()
HEADER = 8 + int.from_bytes(WEIGHTS[:8], "little")
TABLE = b"run,step,value\n" + b"".join(b"a,%d,%.6f\n" % (step, 1 - 1 / step) for step in range(1, 60))
LINES = b"\n".join(b'{"step": %d, "value": %.6f}' % (step, 1 - 1 / step) for step in range(1, 60))


def events(*records: bytes) -> bytes:
    """A file of TensorBoard: of each record its length, the sum of that, the record, and its sum."""
    parts = (part for inside in records for part in (len(inside).to_bytes(8, "little"), inside))
    return b"".join(part + masked_crc32c(part).to_bytes(4, "little") for part in parts)


def scalar(step: int, value: float) -> bytes:
    return Event(step=step, summary={"value": [{"tag": "acc", "simple_value": value}]}).SerializeToString()


def flipped(data: bytes, luck: random.Random) -> bytes:
    """Often near its beginning, where records are short and most of them is what holds them together."""
    at = luck.randrange(min(len(data), luck.choice([300, 10**9])))
    return data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :]


def with_a_twin(table: bytes, luck: random.Random) -> bytes:
    """One of its columns once more, called alike but for the case, and with other cells."""
    head, *rows = (line.split(b",") for line in table.split())
    at, left = luck.randrange(len(head)), luck.randrange(2)
    for row in rows:
        row.insert(at + left, row[at] + b"1")
    head.insert(at + left, head[at].title())
    return b"\n".join(map(b",".join, [head, *rows]))


def with_a_key_twice(lines: bytes, luck: random.Random) -> bytes:
    """In one of its lines, first or last."""
    every = lines.split(b"\n")
    at, pair = luck.randrange(len(every)), luck.choice([b'"step": 99', b'"value": 0.25'])
    inside = luck.sample([pair, every[at][1:-1]], 2)
    every[at] = b"{" + b", ".join(inside) + b"}"
    return b"\n".join(every)


def with_another_word(weights: bytes, luck: random.Random) -> bytes:
    """A letter or digit of its header is another one."""
    at = luck.choice([found.start() for found in re.finditer(rb"[a-z0-9]", weights[:HEADER])])
    return weights[:at] + luck.choice([b"3", b"a"]) + weights[at + 1 :]


def by_weights(path: Path) -> list[Run]:
    shipped.load.cache_clear()
    median = forecast([0.1, 0.2], horizon=9, weights=str(path), check=False).median
    return [Run("a", [1], [float(median[-1])])]


def in_units(path: Path) -> list[Run]:
    """A forecast does not hang on the unit of its values and bounds."""
    unit = float(path.read_text())
    median = forecast(np.array([0.1, 0.2, 0.3]) * unit, bounds=(-unit, unit), check=False).median / unit
    return [Run("a", [1], [round(float(median[-1]), 6)])]


def harms() -> dict:
    """The name of a file, its reader, the whole file, and what does harm to it."""
    nine = events(*(scalar(step, step / 10) for step in range(9)))
    some = [history(step, loss=f"0.{step}") for step in range(99)]
    some[50] = history(50, loss="0.5", note='"' + "x" * 40_000 + '"')
    return {
        "bit of events": ("a.tfevents", runs.read, nine, flipped),
        "bit of wandb": ("a.wandb", runs.read, packed(*some[:50]), flipped),
        "bit of blocks": ("a.wandb", runs.read, packed(*some), flipped),
        "twin column": ("a.csv", runs.read, TABLE, with_a_twin),
        "key twice": ("a.jsonl", runs.read, LINES, with_a_key_twice),
        "other word": ("a.w", by_weights, WEIGHTS, with_another_word),
        "unit": ("a", in_units, b"1", lambda _, luck: b"1e%d" % luck.randrange(-308, 309)),
    }


def outcome(found: list[Run], whole: list[Run]) -> str:
    values, every = ({*zip(run.steps, run.values, strict=True)} for run in (found[0], whole[0]))
    told = values < every and found[0].doubts
    return "read" if len(found) == 1 and (values == every or told) else f"silent {found!r:.200}"
