"""A file is there whole or not at all: written to a neighbour, then renamed. Readers see the old one or the new one."""

import os
import tempfile
from pathlib import Path

from curvecast.errors import UserError


def write(path: Path, data: bytes) -> None:
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        os.chmod(temporary, 0o644)  # a temporary file is for its owner alone
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        raise UserError(
            f"cannot write {path}: {error.strerror}; free some space or choose another folder"
        ) from error
