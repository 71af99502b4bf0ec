"""Processes that a test has started, whether they are still at work, and one that dies at a chosen step."""

import os
from contextlib import suppress
from pathlib import Path


def is_gone(group: int) -> bool:
    """No process of this group is at work. One that has ended waits for its parent, which in a container may never ask."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    states = [state for state, of in _states() if of == group]
    return bool(states) and set(states) == {"Z"}


def _states() -> list[tuple[str, int]]:
    """State and group of every process, where the system tells them in files."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended since
            text = file.read_text(encoding="utf-8", errors="replace")
            state, _, group, *_ = text.rpartition(")")[2].split()
            found.append((state, int(group)))
    return found


class Killed(BaseException):
    """Stands for kill -9: nothing after it runs."""


def dying(call, steps, counts=lambda *_: True):
    """The call, as long as there are steps left for those that count."""

    def wrapped(*arguments, **more):
        if counts(*arguments) and next(steps, None) is None:
            raise Killed
        return call(*arguments, **more)

    return wrapped
