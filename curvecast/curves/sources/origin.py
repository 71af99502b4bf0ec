"""Where a table comes from: a folder of a public repository, and what is told where it is not as expected."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError

UNEXPECTED = (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError, csv.Error)


@dataclass(frozen=True)
class Origin:
    """A public repository at one commit. `sha256` is that of the table's text before it is compressed."""

    file: str  # the table of its curves
    source: str  # its name there
    licence: str  # SPDX
    copyright: str  # as its own licence or paper words it
    citation: str  # key in docs/references.bib
    repository: str  # owner/name on GitHub
    commit: str
    folder: str  # what is read, inside the repository
    megabytes: int  # of that folder, unpacked
    sha256: str

    @property
    def address(self) -> str:
        return f"https://github.com/{self.repository}"

    @property
    def name(self) -> str:
        """What git calls a clone."""
        return self.repository.split("/")[1]

    @property
    def to_clone(self) -> str:
        """The command that fetches the folder at the commit, and little else."""
        some = "" if self.folder == "." else f" && git -C {self.name} sparse-checkout set {self.folder}"
        clone = f"git clone --filter=blob:none --no-checkout {self.address}"
        return f"{clone}{some} && git -C {self.name} checkout {self.commit}"

    def inside(self, clone: Path, pattern: str) -> list[Path]:
        """The files that are read, by name."""
        found = sorted((clone / self.folder).glob(pattern))
        if not found:
            raise UserError(f"{clone} has no {self.folder}/{pattern}: {self.to_clone}")
        return found

    @contextmanager
    def layout(self, path: Path) -> Iterator[None]:
        """Whatever a file lacks becomes one sentence that names the file."""
        try:
            yield
        except UserError:
            raise
        except UNEXPECTED as error:
            why = f"{type(error).__name__}: {error}"[:120]
            raise UserError(
                f"{path} is not laid out as at commit {self.commit[:7]} ({why}): {self.to_clone}"
            ) from error

    def json(self, path: Path) -> Any:
        with self.layout(path):
            return json.loads(path.read_text(encoding="utf-8"))
