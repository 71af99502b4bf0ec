"""Locks between processes: the system frees them when a process ends, however it ends. Standard library alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl

    def take(number: int, *, shared: bool = False, wait: bool = True) -> bool:
        """Lock an open file, alone or beside others who share it.  -> False where somebody has it and we do not wait"""
        try:
            fcntl.flock(number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def free(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_UN)

except ImportError:  # Windows, which knows no shared locks of a file: they wait for one another
    import msvcrt
    import time

    def take(number: int, *, shared: bool = False, wait: bool = True) -> bool:
        while True:
            os.lseek(number, 0, os.SEEK_SET)
            try:
                msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            except OSError:
                if not wait:
                    return False
                time.sleep(0.05)
            else:
                return True

    def free(number: int) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]


@contextmanager
def held(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[bool]:
    """The lock of this name while the block runs.  -> False where somebody has it and we do not wait"""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        taken = take(file.fileno(), shared=shared, wait=wait)
        if taken and not shared:
            os.utime(path)  # since when somebody is at work
        yield taken
