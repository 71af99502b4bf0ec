"""How far a long command is, on a terminal alone: one line of standard error, written over ten times a second at most."""

import math
import sys
import time

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
            missing = max(0, self._total - self._done)  # a log may grow meanwhile
            left = (now - self._begin) / self._done * missing
            self._write(f"{self._done:,} of {self._total:,} {self._what}, {left:.0f} s left")

    def _write(self, text: str) -> None:
        self._longest = max(self._longest, len(text))
        print(f"\r{text:<{self._longest}}\r", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        """What comes next finds a clean line."""
        if self._longest:
            self._write("")


# -----------------------------------------------------------------------------------------------------------
# Numbers of a forecast as people read them.


def percent(chance: float) -> str:
    if 0 < chance < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < chance < 1 else f"{100 * chance:.0f} %"


LOPSIDED = 3  # times: how much longer one side is than the other where ± would be a false picture


def interval(low: float, median: float, high: float) -> str:
    """A median and half of its band, or both ends of a lopsided one, with as many digits as the band bears.

    Of half of the band: one, and two where it begins with 1 or stands for unequal sides.
    """
    half, (short, long) = (high - low) / 2, sorted((median - low, high - median))
    if not half > 0:
        return f"{median:.4g}"
    power = math.floor(math.log10(half))
    if float(f"{half:.0e}") >= 10 ** (power + 1):  # 0.096 is 0.1
        power += 1
    lopsided = long > LOPSIDED * short
    places = (1 if lopsided or half < 2 * 10.0**power else 0) - power
    shown = [f"{round(value, places):.{max(places, 0)}f}" for value in (median, half, low, high)]
    return f"{shown[0]} [{shown[2]}, {shown[3]}]" if lopsided else f"{shown[0]} ± {shown[1]}"
