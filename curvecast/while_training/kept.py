"""What stoppers know, in a file of JSON, for trainings whose library keeps no state of a callback."""

import json
from pathlib import Path
from typing import Any

from curvecast.ground import whole_file
from curvecast.ground.errors import UserError


class Kept:
    """path: of the file, which may not be there yet; None keeps nothing."""

    def __init__(self, path: str | Path | None):
        self.path = None if path is None else Path(path)

    def read(self) -> dict[str, Any]:
        """By run; empty where nothing was kept."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise ValueError
        except ValueError:
            raise UserError(
                f"{self.path} was not written by this callback: remove it, or name another file"
            ) from None
        return found

    def write(self, states: dict[str, Any]) -> None:
        if self.path is not None:
            whole_file.write(self.path, json.dumps(states, allow_nan=False).encode())
