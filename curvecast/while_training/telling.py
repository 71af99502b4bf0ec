"""Lines for a person, on standard error; a complaint is told once."""

import sys
from collections.abc import Callable

from curvecast.logs.checked_points import printable

LONGEST = 500  # characters of a line


class Telling:
    """out: where the lines go instead, each without its end."""

    def __init__(self, out: Callable[[str], object] | None = None):
        self._out = out or _to_standard_error
        self._told: set[str] = set()

    def line(self, text: str) -> None:
        self._out(printable(f"curvecast: {text}", LONGEST))

    def once(self, about: str, text: str) -> None:
        """Of one kind of trouble the first sentence, and no more of that kind."""
        if about not in self._told:
            self._told.add(about)
            self.line(text)


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
