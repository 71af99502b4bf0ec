"""A folder of logs of all kinds, looked at again and again while trainings write into them.

Only what has changed is read anew. A log may be cut short, rewritten, moved or half written when it is looked at: what was
read of it before stays until it can be read again, and what cannot be read is said, file by file.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from curvecast.ground.errors import UserError
from curvecast.logs import database, events, runs
from curvecast.logs.checked_points import Run

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3")
LINES = (".csv", ".tsv", ".jsonl", ".ndjson")  # of which the last line may be half written
YOUNG = 2.0  # seconds: whoever writes a line has then finished it
CHECKPOINT = re.compile(r"checkpoint-(\d+)")  # each holds the log so far

Mark = tuple[tuple[int, int, int], ...]  # inode, size and time of each file


class Source(NamedTuple):
    """A log, and what was read of it."""

    mark: Mark
    cut: bool  # was a half written line left out?
    runs: list[Run]
    complaint: str


class Folder:
    """how: names of columns and keys, as in `runs.read`."""

    def __init__(self, path: Path, how: dict[str, Any]):
        self.path, self._how = path, how
        self._sources: dict[str, Source] = {}

    def refresh(self) -> bool:
        """Has anything changed since the last look?"""
        found = dict(sorted(self._logs()))
        before = self._sources
        self._sources = {}
        for label, files in found.items():
            source = self._source(label, files, before.get(label))
            if source is not None:
                self._sources[label] = source
        return self._sources.keys() != before.keys() or any(
            source is not before[label] for label, source in self._sources.items()
        )

    @property
    def runs(self) -> list[Run]:
        """All runs, called after their files."""
        return [
            replace(run, name=label if len(source.runs) == 1 else f"{label}: {run.name}")
            for label, source in self._sources.items()
            for run in source.runs
        ]

    @property
    def left_out(self) -> dict[str, str]:
        """What could not be read at the last look, and why."""
        return {label: source.complaint for label, source in self._sources.items() if source.complaint}

    def _source(self, label: str, files: list[Path], known: Source | None) -> Source | None:
        """What is known of a log, or what it says now; None where it has gone in between and was never read."""
        try:
            stats = [os.stat(file) for file in files]
        except OSError:
            return known
        if not all(stat.S_ISREG(one.st_mode) for one in stats):  # to read a pipe might wait for ever
            return None
        mark = tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in stats)
        young = time.time() - max(one.st_mtime for one in stats) < YOUNG
        if known and known.mark == mark and not (known.cut and not young):
            return known
        cut = young and _half_written(files[0])
        try:
            return Source(mark, cut, self._read(files[0], cut), "")
        except UserError as error:
            return Source(mark, cut, known.runs if known else [], str(error))

    def _read(self, file: Path, cut: bool) -> list[Run]:
        if "tfevents" in file.name:
            return events.read(file.parent, self._how.get("value"), deep=False)
        if not cut:
            return runs.read(file, **self._how)
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return runs.read(file, **self._how)  # which says what is wrong
        return runs.parse(text[: text.rfind("\n") + 1], str(file), **self._how)

    def _logs(self) -> Iterator[tuple[str, list[Path]]]:
        """Label and files of each log. Event files of a folder are one log; of checkpoints the last one counts."""
        if self.path.is_file():
            yield self.path.name, _with_newest(self.path)
            return
        last: dict[str, tuple[int, Path]] = {}
        for folder, folders, names in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
            here = Path(folder)
            some = [here / name for name in sorted(names) if "tfevents" in name]
            if some:
                yield self._label(here), some
            for file in (here / name for name in names if name.endswith(SUFFIXES) and name[0] != "."):
                if file.name == "trainer_state.json":
                    number = CHECKPOINT.fullmatch(here.name)
                    run = self._label(here.parent if number else here)
                    last[run] = max(last.get(run, (-1, file)), (int(number[1]) if number else 0, file))
                elif "tfevents" not in file.name:
                    yield file.relative_to(self.path).as_posix(), _with_newest(file)
        yield from ((run, [file]) for run, (_, file) in last.items())

    def _label(self, folder: Path) -> str:
        inside = folder.relative_to(self.path).as_posix()
        return self.path.resolve().name if inside == "." else inside


def _with_newest(file: Path) -> list[Path]:
    """A database may have its newest rows in a file beside it."""
    newest = file.with_name(f"{file.name}-wal")
    return [file, newest] if newest.exists() else [file]


def _half_written(file: Path) -> bool:
    """Does a log of lines end within one?"""
    if not file.name.endswith(LINES):
        return False
    try:
        with file.open("rb") as log:
            if log.read(len(database.BEGINS)) == database.BEGINS:
                return False
            log.seek(-1, os.SEEK_END)
            return log.read(1) not in b"\r\n"
    except OSError:  # empty, or gone
        return False
