"""How far a long command is, on a terminal alone: one line of standard error, written over ten times a second at most."""

import sys
import time
from types import TracebackType

SHORT = 1.0  # seconds: of what takes no longer nothing is said
BETWEEN = 0.1  # two lines


class Progress:
    """with Progress(10_000, "runs") as progress: ... progress.done(1000)"""

    def __init__(self, total: int, what: str):
        """total: 0 where nobody knows it, and nothing is said."""
        self._total, self._what = total, what
        self._shown = total > 0 and sys.stderr.isatty()
        self._done, self._begin, self._longest = 0, time.monotonic(), 0
        self._next = self._begin + SHORT

    def done(self, more: int) -> None:
        self._done += more
        if self._done and self._shown and (now := time.monotonic()) >= self._next:
            self._next = now + BETWEEN
            left = (
                (now - self._begin) / self._done * max(0, self._total - self._done)
            )  # a log may grow meanwhile
            self._write(f"{self._done:,} of {self._total:,} {self._what}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        self._longest = max(self._longest, len(text))
        print(f"\r{text:<{self._longest}}\r", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What comes next finds a clean line."""
        if self._longest:
            self._write("")
