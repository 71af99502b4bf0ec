"""Files that no careful program wrote, given to all readers: python -m tests.fuzz SECONDS SEED.

A case is a number: a small file of some kind, spoilt as it is, or inside of what holds it together (checksums, compression).
"""

import io
import random
import re
import resource
import signal
import sys
import tarfile
import tempfile
import time
from collections import Counter
from multiprocessing import Process
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

from curvecast.forecasting import shipped
from curvecast.ground.errors import UserError
from curvecast.logs import runs
from curvecast.scores import evaluate
from tests.curvecast.logs.made_logs import database, history, packed

OUTCOMES = ("read", "sentence", "traceback", "crash", "hang", "memory")
CHILDREN, CASES, LIMIT, MEMORY = 3, 400, 5, 300_000_000  # at once; of each; seconds a case; bytes of a child
TOKENS = b'1e999|1e308|-1|NaN|\0|"|\x1b[2J|\xff|null|[]|{}|,|\r|"step"|\x80|9999999999|\xff\xff\xff\xff\xff\xff\xff\x7f'
TOKENS = [*TOKENS.split(b"|"), *(one * 9999 for one in (b"[", b'{"a":', b"9", b"\x85", b"\n"))]
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


def tar(inside: bytes) -> bytes:
    (member := tarfile.TarInfo("manifest.json")).size = len(inside)
    return member.tobuf() + inside + bytes(-len(inside) % 512 + 1024)


def mlflow(inside: bytes) -> bytes:
    text = inside.decode(errors="replace")
    value = random.Random(inside).choice([inside, text, len(inside), None, 1e308])
    rows = [(step, "acc", step / 30, "a", step) for step in range(30)] + [(value, "acc", value, "a", 99)]
    with tempfile.TemporaryDirectory() as folder:
        made = ("CREATE TABLE runs (run_uuid, name)",), ("INSERT INTO runs VALUES ('a', ?)", (text,))
        made += (("CREATE TABLE metrics (timestamp, key, value, run_uuid, step)",),)
        made += (("INSERT INTO metrics VALUES (?, ?, ?, ?, ?)", *rows),)
        return database(Path(folder) / "a", *made).read_bytes()


def kinds() -> dict:
    """The file of each, its reader, its inside, and the inside as a file."""
    from presswork import bundle  # what the library's own tests take from here needs it not

    np.savez_compressed(arrays := io.BytesIO(), noisy=np.full((9, 30), 0.5))
    return {
        "CSV": ("a.csv", runs.read, TABLE, bytes), "JSON lines": ("a.jsonl", runs.read, LINES, bytes),
        "JSON": ("a.json", runs.read, b'{"log_history": [' + LINES.replace(b"\n", b", ") + b"]}", bytes),
        "SQLite": ("a.db", runs.read, b"first", mlflow),
        "event file": ("a.tfevents", runs.read, scalar(1, 0.5), events),
        "wandb": ("a.wandb", runs.read, b"".join(history(step, loss=f"0.{step}") for step in range(9)), packed),
        "npz": ("a.npz", evaluate.read_curves, arrays.getvalue(), bytes),
        "weights": ("a.w", lambda path: shipped._load.__wrapped__(str(path), None), WEIGHTS[8:HEADER],
                    lambda inside: len(inside).to_bytes(8, "little") + inside + WEIGHTS[HEADER:]),
        "tar": ("a.tar", lambda path: bundle._checked(path, Path.cwd()), b'{"scale": "laptop", "files": {}}', tar),
    }  # fmt: skip


def spoilt(data: bytes, luck: random.Random) -> bytes:
    """Flipped, cut, doubled, moved; huge where a length may be; words and numbers replaced."""
    for _ in range(luck.choice((1, 1, 2, 4))):
        at, size = int(len(data) * luck.random() ** luck.choice((1, 3))), luck.choice((1, 2, 4, 8, 50))
        before, part, after = data[:at], data[at : at + size], data[at + size :]
        word = luck.choice([*re.finditer(rb"[\w.]+", data[:5000]), re.match(b"", data)])
        half, token = len(after) // 2, luck.choice(TOKENS)
        data = luck.choice([
            before, before + token + after, before + part * luck.choice((2, 3000)) + after,
            before + bytes(byte ^ 1 << luck.randrange(8) for byte in part) + after,
            before + after[:half] + part + after[half:], data[: word.start()] + token + data[word.end() :],
            before + luck.choice((b"\xff", b"\x7f", b"\0")) * size + after,
        ])  # fmt: skip
    return data


def child(seed: int, first: int, log: Path) -> None:
    every, pages = kinds(), int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
    with tempfile.TemporaryDirectory() as folder, log.open("w") as told:
        for number in range(first, first + CASES):
            kind = (luck := random.Random(f"{seed} {number}")).choice([*every])
            name, reader, inside, change = every[kind]
            path = Path(folder) / name
            path.write_bytes(change(spoilt(inside, luck)) if number % 2 else spoilt(change(inside), luck))
            print(number, kind, sep="\t", end="\t", file=told, flush=True)
            signal.alarm(LIMIT)  # ends the process
            try:
                reader(path)
                what = "read"
            except UserError as error:
                what = "memory" if "MemoryError" in str(error) else "sentence"
            except BaseException as error:
                what = f"traceback {error!r:.200}"
            signal.alarm(0)
            print(what, file=told, flush=True)


def main(seconds: float, seed: int) -> int:
    end, count, begun, every = time.monotonic() + seconds, Counter(), 0, kinds()
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / str(i) for i in range(CHILDREN)]
        while time.monotonic() < end:
            firsts = range(begun, begun := begun + CHILDREN * CASES, CASES)
            children = [Process(target=child, args=(seed, *both)) for both in zip(firsts, logs, strict=True)]
            for process in children:
                process.start()
            for process, log in zip(children, logs, strict=True):
                process.join()
                died = "hang" if process.exitcode == -signal.SIGALRM else "crash"
                for number, kind, what in (line.split("\t") for line in log.read_text().splitlines()):
                    count[kind, (what or died).split()[0]] += 1
                    if what not in ("read", "sentence"):
                        print(f"case {number}, {kind}: {what or died}", flush=True)
    for kind in ("", *every):
        print(f"{kind:14}" + "".join(f"{count[kind, what] if kind else what:>10}" for what in OUTCOMES))
    print(f"{count.total():,} cases, seed {seed}")
    return int(any(what not in ("read", "sentence") for _, what in count))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
