"""Atomic writes: readers see the old file or the new one, also after a power cut.

The data go to a temporary file in the same folder, which is then renamed. `write` raises a UserError, `put` an OSError.
"""

import os
import tempfile
from pathlib import Path

from curvecast.ground.errors import UserError


def write(path: Path, data: bytes, make_folder: bool = False) -> None:
    try:
        put(path, data, make_folder)
    except OSError as error:
        raise UserError(
            f"cannot write {path}: {error.strerror}; free some space or choose another folder"
        ) from error


def put(path: Path, data: bytes, make_folder: bool = False) -> None:
    """As `write`, but raises the OSError. When the disk is full it names no file, so this path is filled in."""
    temporary = None
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # only its owner may read a temporary file
        os.replace(temporary, path)
    except BaseException as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)
        raise
