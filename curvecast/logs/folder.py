"""A folder of logs of all kinds, looked at again and again while trainings write into them.

Only what has changed is read anew. A log may be cut short, rewritten, moved or half written when it is looked at: a last line
without its end is no line yet, what was read before stays until it can be read again, and what cannot be read is said.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from curvecast.ground.errors import UserError
from curvecast.logs import database, events, runs, wandb_file
from curvecast.logs.checked_points import Diverged, NoLog, Run

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3", ".wandb")
CHECKPOINT = re.compile(r"checkpoint-(\d+)")  # each holds the log so far

Mark = tuple[tuple[int, int, int], ...]  # inode, size and time of each file


class Source(NamedTuple):
    """A log, and what was read of it."""

    mark: Mark
    runs: list[Run]
    complaint: str  # why it cannot be read now
    diverged: bool = False  # is the complaint that a value is not finite?
    log: bool = True  # False: it may be none

    @property
    def doubts(self) -> str:
        return "; ".join(doubt for run in self.runs for doubt in run.doubts)


class Folder:
    """how: names of columns and keys, as in `runs.read`."""

    def __init__(self, path: Path, how: dict[str, Any]):
        self.path, self._how = path, how
        self._sources: dict[str, Source] = {}
        self._beside: list[str] = []  # logs that tell again what event files tell
        self._inside: set[str] = set()  # event files in a folder of other ones, perhaps of the same run

    def refresh(self) -> bool:
        """Has anything changed since the last look?"""
        self._beside, self._inside = [], set()
        before, logs = self._sources, dict(sorted(self._logs()))
        found = {label: self._source(files, before.get(label)) for label, files in logs.items()}
        self._sources = {label: source for label, source in found.items() if source is not None}
        same = list(before) == list(self._sources)
        return not same or any(found[label] is not before[label] for label in before)

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
        """What could not be read at the last look, or not in full, and why; first what is a log."""
        sources = sorted(self._sources.items(), key=lambda item: not item[1].log)
        told = {label: source.complaint or source.doubts for label, source in sources}
        told = {label: said for label, said in told.items() if said}
        return told | dict.fromkeys(self._beside, "left out: the event files beside it are read")

    @property
    def whole(self) -> bool:
        """Was every log that can still go on read at the last look?"""
        return not any(
            one.complaint and one.log and not one.diverged and (one.runs or label not in self._inside)
            for label, one in self._sources.items()
        )

    @property
    def diverged(self) -> dict[str, str]:
        """Logs with a value that is not finite, and where it stands."""
        return {label: source.complaint for label, source in self._sources.items() if source.diverged}

    def _source(self, files: list[Path], known: Source | None) -> Source | None:
        """What is known of a log, or what it says now; None where it has gone in between and was never read."""
        try:
            stats = [os.stat(file) for file in files]
        except OSError:
            return known
        if not all(stat.S_ISREG(one.st_mode) for one in stats):  # to read a pipe might wait for ever
            return None
        mark = tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in stats)
        if known and known.mark == mark:
            return known
        try:
            runs_now = self._read(files)
        except UserError as error:
            runs_before, is_log = known.runs if known else [], not isinstance(error, NoLog)
            return Source(mark, runs_before, str(error), isinstance(error, Diverged), is_log)
        return Source(mark, runs_now, "")

    def _read(self, files: list[Path]) -> list[Run]:
        file = files[0]
        if file.name == database.ABOUT:
            return database.read_folder(file.parent, self._how.get("value"))
        if "tfevents" in file.name:
            return events.read(file.parent, self._how.get("value"), deep=False)
        if len(files) > 1 and file.match(wandb_file.NAMED):
            return wandb_file.read(file, self._how.get("value"), files)
        return runs.read(file, growing=True, **self._how)

    def _logs(self) -> Iterator[tuple[str, list[Path]]]:
        """Label and files of each log. Event files of a folder are one log; of checkpoints the last one counts."""
        if self.path.is_file():
            yield self.path.name, _with_newest(self.path)
            return
        last: dict[str, tuple[int, Path]] = {}
        logged: set[str] = set()  # runs that have event files
        of_wandb: list[Path] = []
        for folder, folders, names in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
            here = Path(folder)
            if database.METRICS in folders and database.ABOUT in names:
                folders.clear()
                if log := database.watched(here):
                    yield log
                continue
            if some := [here / name for name in sorted(names) if "tfevents" in name]:
                logged.add(label := self._label(here))
                if here != self.path and self._label(here.parent) in logged:
                    self._inside.add(label)
                yield label, some
            logs = [here / name for name in names if name.endswith(SUFFIXES) and name[0] != "."]
            if some and len(logs) == 1 and logs[0].name != "trainer_state.json":
                # a program that logs a run twice
                self._beside.append(logs.pop().relative_to(self.path).as_posix())
            for file in logs:
                if file.name == "trainer_state.json":
                    number = CHECKPOINT.fullmatch(here.name)
                    run = self._label(here.parent if number else here)
                    last[run] = max(last.get(run, (-1, file)), (int(number[1]) if number else 0, file))
                elif file.match(wandb_file.NAMED):
                    of_wandb.append(file)
                elif "tfevents" not in file.name:
                    yield file.relative_to(self.path).as_posix(), _with_newest(file)
        for run, (_, file) in last.items():
            if run in logged:
                self._beside.append(file.relative_to(self.path).as_posix())
            else:
                yield run, [file]
        yield from self._by_run(of_wandb)

    def _by_run(self, of_wandb: list[Path]) -> Iterator[tuple[str, list[Path]]]:
        """A run of Weights & Biases that was resumed has several files, and is called after the first."""
        by_run: dict[Path, list[Path]] = {}
        for file in sorted(of_wandb, key=wandb_file.begun):
            by_run.setdefault(file.parent.parent / file.name, []).append(file)
        for files in by_run.values():
            yield files[0].relative_to(self.path).as_posix(), files

    def _label(self, folder: Path) -> str:
        inside = folder.relative_to(self.path).as_posix()
        return self.path.resolve().name if inside == "." else inside


def _with_newest(file: Path) -> list[Path]:
    """A database may have its newest rows in a file beside it."""
    newest = file.with_name(f"{file.name}-wal")
    return [file, newest] if newest.exists() else [file]
