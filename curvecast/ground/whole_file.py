"""Atomic writes: readers see the old file or the new one, also after a power cut.

The data go to a temporary file in the same folder, which is then renamed. A link stays, and what it names is replaced.
"""

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from curvecast.ground.errors import UserError, demand

TEMPORARY = ".curvecast-"  # how the names of temporary files begin
OLD = 3600  # seconds: no writer takes so long, so that a temporary file of this age was left by one that was killed


def write(path: Path, data: bytes, make_folder: bool = False) -> None:
    temporary = None
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        mode, target = mode_of(path), Path(os.path.realpath(path))
        for part in target.parent.glob(f"{TEMPORARY}????????.part"):
            with suppress(OSError):  # another process may sweep here too
                if time.time() - part.stat().st_mtime > OLD:
                    part.unlink()
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=TEMPORARY, suffix=".part", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)  # only its owner may read a temporary file
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            way = "free some space or choose another folder"
            raise UserError(f"cannot write {path}: {error.strerror}; {way}") from error
        raise


def mode_of(path: Path) -> int:
    """The permissions of a file, or those of a new one; a pipe, a device or a folder is refused, for it would be replaced."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return 0o644
    demand(stat.S_ISREG(mode), f"cannot write {path}, which is not a regular file: choose another name")
    return stat.S_IMODE(mode)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is alone in this folder. A kill frees the lock."""
    import fcntl  # not on Windows, where forecasts work all the same

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
