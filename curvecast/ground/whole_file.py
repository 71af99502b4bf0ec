"""A file is there whole or not at all, also after a power cut: readers see the old one or the new one.

It is written to a neighbour, which is then renamed. `write` complains in a sentence; `put` lets the OSError through.
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
    """The OSError of a full disk, which names no file, gets the name of this one."""
    temporary = None
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # a temporary file is for its owner alone
        os.replace(temporary, path)
    except BaseException as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)
        raise
