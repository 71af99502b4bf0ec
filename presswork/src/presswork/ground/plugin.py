"""What a blog may add to the tool: a class of its own, named by `plugin_at`, overrides what it needs.

Its idea is *something made before*: a trained network, a table, a simulation, which takes long to make, has a name made from
its settings, and lies in one file. A question lists such settings among the fields of its Config. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple


class Paused(Exception):
    """The minutes were over; the same command goes on later."""


class Share(NamedTuple):
    done: float
    seconds: float  # that it has worked
    when: float  # its newest sign of life, in seconds since 1970


class Plugin:
    errors: tuple[type[Exception], ...] = ()  # that users can act on
    methods: dict[str, tuple[str, str, str, str]] = {}  # noqa: RUF012  # {key: name, light, dark, dashes}
    folder, suffix = "made", ""  # what is made before lies in folder/<name><suffix>, and in folder/published/
    heads: tuple[str, ...] = ()  # first columns of hand-written tables whose names lead somewhere

    # ------------------------------------------------------------------------------------- something made before
    def made_before(self, value: Any) -> bool:
        """Are these the settings of something that is made before a question is measured?"""
        return False

    def name(self, value: Any) -> str:
        """Its name, which changes with whatever would change it."""
        raise NotImplementedError

    def make(self, value: Any, minutes: float | None = None, over: Callable[[], bool] | None = None) -> float:
        """Make it, unless it is there.  -> hours of one core. Raises Paused after the minutes, or once `over` says so."""
        raise NotImplementedError

    def made(self, value: Any) -> bool:
        return self.path(value).is_file()

    def path(self, value: Any) -> Path:
        return Path(self.folder, f"{self.name(value)}{self.suffix}")

    def file(self, name: str, published: bool, root: Path) -> Path:
        """Where one lies, or would."""
        return root / self.folder / ("published" if published else "") / f"{name}{self.suffix}"

    # ----------------------------------------------------------------------------------------------- what it costs
    def seconds(self, name: str, root: Path) -> float:
        """To make it, on the machine of its receipt."""
        return math.nan

    def megabytes(self, name: str, root: Path) -> float:
        return math.nan

    def share(self, name: str, root: Path) -> Share | None:
        """How far it is, where it is being made or was stopped."""
        return None

    def paces(self, root: Path) -> dict[str, float]:
        """Seconds here for each one on another kind of machine, by its name, from a probe."""
        return {}

    # ------------------------------------------------------------------------------------------------- and besides
    def stand_in(self) -> AbstractContextManager[object]:
        """Data for questions with STAND_IN at the scale of tests."""
        return nullcontext()

    def commands(self) -> dict[str, tuple[str, str, list[Any], Callable[[Any], int]]]:
        """{name: (what it does, an example, its arguments, the function)}"""
        return {}

    def macros(self) -> tuple[type, ...]:
        """Mixins of the site, each with its MACROS; their bases are those of presswork.site."""
        return ()

    def carried(self, name: str, data: bytes, site: Path) -> dict[str, bytes]:
        """What becomes of a file of the site in a copy that opens from disk: {name: content}."""
        return {name: data}

    def carried_besides(self) -> dict[str, bytes]:
        return {}

    def notes(self, root: Path) -> list[str]:
        """What such a copy lacks, in a sentence each."""
        return []
