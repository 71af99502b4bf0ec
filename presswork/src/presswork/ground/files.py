"""Files that several processes use: locks, which the system frees when a process ends, and writes that are whole or nothing.

Standard library alone.
"""

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from presswork.ground.errors import UserError, demand, reading

TEMPORARY = ".presswork-"  # how the names of temporary files begin
OLD = 3600  # seconds: no writer takes so long, so that a temporary file of this age was left by one that was killed


def read_text(path: Path) -> str:
    """What a person wrote."""
    with reading(path, "cannot be read", "save it as UTF-8"):
        return path.read_text(encoding="utf-8")


def take(number: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file, alone or beside others who share it.  -> False where somebody has it and we do not wait"""
    try:
        fcntl.flock(number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def free(number: int) -> None:
    fcntl.flock(number, fcntl.LOCK_UN)


@contextmanager
def held(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[bool]:
    """The lock of this name while the block runs.  -> False where somebody has it and we do not wait"""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        taken = take(file.fileno(), shared=shared, wait=wait)
        if taken and not shared:
            os.utime(path)  # since when somebody is at work
        yield taken


def write(path: Path, data: bytes) -> None:
    """Readers see the old file or the new one, also after a power cut. A link stays, and what it names is replaced.

    The data go to a temporary file in the same folder, which is then renamed.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode, target = _mode_of(path), Path(os.path.realpath(path))
        for part in target.parent.glob(f"{TEMPORARY}????????.part"):
            with suppress(OSError):  # another process may sweep here too
                if time.time() - part.stat().st_mtime > OLD:
                    part.unlink()
        with NamedTemporaryFile(dir=target.parent, prefix=TEMPORARY, suffix=".part", delete=False) as file:
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


def _mode_of(path: Path) -> int:
    """The permissions of a file, or those of a new one; a pipe, a device or a folder is refused, for it would be replaced."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return 0o644
    demand(stat.S_ISREG(mode), f"cannot write {path}, which is not a regular file: choose another name")
    return stat.S_IMODE(mode)
