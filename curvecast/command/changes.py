"""Logs that grow: when has one of them changed?"""

import contextlib
import os
import time
from collections.abc import Iterator
from itertools import chain


def changes(paths: list[str], seconds: float) -> Iterator[None]:
    """At once, and then whenever a file, or an event file of a folder, has another size or time."""
    before = None
    while True:
        now = []
        for file in chain.from_iterable(map(_watched, paths)):
            with contextlib.suppress(OSError):  # it has gone in between, which is a change
                status = os.stat(file)
                now.append((file, status.st_size, status.st_mtime_ns))
        if now != before:
            before = now
            yield
        time.sleep(seconds)


def _watched(path: str) -> list[str]:
    """Of a folder only event files: what -o writes there is no change. A database has its newest rows beside it."""
    if not os.path.isdir(path):
        return [path, f"{path}-wal"]
    files = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sorted(file for file in files if "tfevents" in os.path.basename(file))
