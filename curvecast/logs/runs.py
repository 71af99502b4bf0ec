"""Training logs into runs: delimited text, JSON, event files, databases. Found by content, never guessed.

Plain Python: whoever reads a log waits for neither torch nor numpy.
"""

import difflib
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TextIO

from curvecast.ground.errors import UserError, demand, printable, reading
from curvecast.ground.progress import Progress
from curvecast.logs import database, delimited, json_lines, wandb_file
from curvecast.logs.checked_points import MOST_RUNS, MOST_VALUES, NoLog, Points, Run
from curvecast.logs.columns import Options, listed

STDIN = "standard input"
LONGEST_LINE = 4_000_000  # characters: a thousand runs need far less, and what has no lines is no log
JSON = ("{", "[")  # how a document or a line of it begins
LONGEST_PATH = 200  # as it is printed
STATE = "trainer_state.json"  # of a checkpoint, or of a repository on the hub of Hugging Face
EVENTS = "*tfevents*"  # what TensorBoard writes
NO_TEXT = {  # by how it begins
    b"\x1f\x8b": ": it is compressed, unpack it first with gunzip",
    b"PK": ": unpack the archive, or save the spreadsheet as CSV",
    b"\xff\xfe": " in UTF-8: it is UTF-16, save it as UTF-8",
    b"\xfe\xff": " in UTF-8: it is UTF-16, save it as UTF-8",
    b"": " in UTF-8: save it as CSV or JSON lines in UTF-8",
}
TOO_MANY = "keep every n-th row, for example with awk 'NR==1 || NR%10==0'"


def read(source: Path | str | None, **how: Any) -> list[Run]:
    """The runs of a file, of a folder of event files, or of standard input (`-` or None).

    how     see Options
    """
    options = Options(**how)
    piped = source is None or str(source) == "-"
    nothing = source is None and sys.stdin.isatty()
    demand(not nothing, "there is nothing to read: name a file, or pipe one in")
    where = STDIN if piped else _where(str(source))
    with reading(where, "cannot be read", "check its name and its permissions"):
        if piped:
            return _decoded(sys.stdin.buffer, STDIN, options)
        return _opened(Path(str(source)), where, options)


def _opened(path: Path, where: str, options: Options) -> list[Run]:
    state = path / STATE
    if state.is_file() and not any(path.glob(EVENTS)):
        path = state
    if path.is_dir() or ("tfevents" in path.name and path.exists()):
        _only_value(where, options)
        runs = _of_folder(path, options.value)
        for run in runs if state.is_file() else []:
            run.doubts.append("trainer_state.json is left out: the event files beside it are read")
        return runs
    try:
        with path.open("rb") as file:
            begin = file.peek(len(database.BEGINS))  # a pipe cannot go back
            if begin.startswith((database.BEGINS, wandb_file.BEGINS)):
                _only_value(where, options)
            if begin.startswith(database.BEGINS):
                return database.read(path, where, options.value)
            if begin.startswith(wandb_file.BEGINS):
                return wandb_file.read(path, options.value)
            return _decoded(file, str(path), options, os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        raise UserError(f"there is no file {where}: {_close(path)}") from None


def _only_value(where: str, options: Options) -> None:
    """Other names would be passed over in silence; in a watched folder they may be meant for other logs."""
    for option in ("step", "run"):
        told = not options.growing and getattr(options, option)
        own = "has steps and names of runs of its own, and no columns"
        demand(not told, f"{where} {own}: leave --{option} away")


def _of_folder(path: Path, value: str | None) -> list[Run]:
    """Of a folder: event files; without them the runs of MLflow or of Weights & Biases."""
    if path.is_dir() and not any(path.rglob(EVENTS)):
        if database.folders(path):
            return database.read_folder(path, value)
        if wandb_file.files(path):
            return wandb_file.read(path, value)
    from curvecast.logs import events

    return events.read(path, value)


def files_of(path: Path) -> list[Path]:
    """The files whose change means that the log has changed: what else lies in a folder does not count."""
    if not path.is_dir():
        return [path, path.with_name(f"{path.name}-wal")]  # beside a database its newest rows
    if (state := path / STATE).is_file() and not any(path.glob(EVENTS)):
        return [state]
    if events := sorted(path.rglob(EVENTS)):
        return events
    of_mlflow = [
        file for run in database.folders(path) for file in (run / database.ABOUT, *database.files(run))
    ]
    return of_mlflow or wandb_file.files(path)


def parse(text: str, where: str, **how: Any) -> list[Run]:
    """The runs of a text; `where` is the name of its file, for complaints and for a run without a name."""
    return _runs(io.StringIO(text.removeprefix("\ufeff"), newline=""), where, Options(**how))


def _decoded(file: Any, where: str, options: Options, size: int = 0) -> list[Run]:
    """The runs of a file of `size` bytes, 0 if nobody knows; reading ends where the first complaint is sure."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        with Progress(size, "bytes read") as progress:
            return _runs(text, where, options, progress.done)
    except UnicodeDecodeError as error:
        _refuse(_where(where), bytes(error.object))
    finally:
        text.detach()  # standard input is not ours to close


def _runs(
    text: TextIO, where: str, options: Options, read: Callable[[int], None] = lambda _: None
) -> list[Run]:
    stem = "run" if where == STDIN else Path(where).stem or "run"
    points = Points(_where(where), TOO_MANY)
    lines = _lines(text, points.where, read)
    start, first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (0, ""))
    demand(first, f"{points.where} is empty: write a header such as step,a and a row for each step")
    lines = chain([first], lines)
    record = json_lines.NOT_WHOLE
    if first.lstrip().startswith(JSON):
        record = json_lines.parsed(first, points.where)
        if json_lines.is_document(record):
            json_lines.read_document(lines, start, points, stem, options, record)
            return points.all()
    if options.growing:
        lines = (line for line in lines if line.endswith(("\n", "\r")))
        # half a line is a log to come; a whole object without an end rather the settings of a training
        fault = UserError if record is json_lines.NOT_WHOLE else NoLog
        if not first.endswith(("\n", "\r")):
            raise fault(f"{points.where} has no whole line yet: wait until its first line ends")
    if first.lstrip().startswith(JSON):
        json_lines.read(lines, start, points, stem, options)
    else:
        delimited.read(lines, first, start, points, stem, options)
    return points.all()


def _lines(text: TextIO, where: str, read: Callable[[int], None]) -> Iterator[str]:
    """Lines of a limited length; only a JSON document may be one long line, up to what `json_lines` refuses.

    read    is told how many characters: hardly more in bytes, since logs are mostly digits
    """
    begun = False
    while line := text.readline(LONGEST_LINE):
        document = not begun and line.lstrip().startswith(JSON)
        if document and len(line) == LONGEST_LINE and not line.endswith(("\n", "\r")):
            line += text.readline(json_lines.LARGEST + 1 - LONGEST_LINE)
        if "\0" in line:
            _refuse(where, line[:8].encode(errors="replace"))
        if len(line) >= LONGEST_LINE and not document:
            too_long = f"has a line of more than {LONGEST_LINE:,} characters: is it a log at all?"
            raise UserError(f"{where} {too_long}")
        begun = begun or bool(line.strip())
        read(len(line))
        yield line


def _refuse(where: str, start: bytes) -> NoReturn:
    """Bytes that are not UTF-8, or that no text has."""
    told = next((what for begin, what in NO_TEXT.items() if start.startswith(begin)), NO_TEXT[b""])
    raise UserError(f"{where} is not a text file{told}")


def _where(path: str) -> str:
    """The name of a source as it may go to a terminal: of a long one the end, where the file is."""
    return printable(path if len(path) <= LONGEST_PATH else "…" + path[1 - LONGEST_PATH :], LONGEST_PATH)


def _close(path: Path) -> str:
    """What to do about a missing file: others there may be meant."""
    if ":/" in str(path):
        return "nothing is fetched from an address, so download the file first"
    names: list[str] = []
    with suppress(OSError):
        names = [other.name for other in path.parent.iterdir()]
    close = difflib.get_close_matches(path.name, names, n=3)
    return f"did you mean {listed(close)}?" if close else "check the name"


# -----------------------------------------------------------------------------------------------------------
# Several logs as one set of runs: each run then carries the name of its file.


def check(files: list[str]) -> None:
    """Each file once, and standard input alone."""
    alone = "-" not in files or len(files) == 1
    demand(alone, "- is standard input, which is read alone: write it to a file first")
    real = [os.path.realpath(file) for file in files]
    for i, file in enumerate(files):
        demand(real[i] not in real[:i], f"{printable(file, 200)} is given twice: name each file once")


def together(files: list[str], read: list[list[Run]]) -> list[Run]:
    """The runs of all files, in their order; those of one file alone keep their names."""
    if len(files) == 1:
        return read[0]
    pairs = zip(labels(files), read, strict=True)
    labelled = [replace(run, name=f"{label}: {run.name}") for label, runs in pairs for run in runs]
    values = sum(len(run.values) for run in labelled)
    for what, count, most in (("runs", len(labelled), MOST_RUNS), ("values", values, MOST_VALUES)):
        demand(count <= most, f"the files have {count:,} {what}: at most {most:,} at once; give fewer files")
    return labelled


def labels(files: list[str]) -> list[str]:
    """The name of each file, with as much of the folders before it as tells it from the others."""
    paths = [Path(os.path.abspath(file)).parts for file in files]

    def telling(path: tuple[str, ...]) -> int:
        """How many parts from the end no other path shares."""
        for n in range(1, len(path)):
            if [other[-n:] for other in paths].count(path[-n:]) == 1:
                return n
        return len(path)

    return ["/".join(path[-telling(path) :]) for path in paths]
