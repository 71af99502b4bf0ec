"""Where a table comes from: a folder of a public repository, what is read of it, and errors where it is not as expected."""

import csv
import io
import json
import pickle
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.ground.errors import demand, reading


@dataclass(frozen=True)
class Origin:
    """A public repository at one commit. `sha256` is the hash of the uncompressed table."""

    file: str  # name of the table
    source: str  # name of the source in that table
    licence: str  # SPDX
    copyright: str  # in the words of its licence or paper
    citation: str  # key in docs/references.bib
    repository: str  # owner/name on GitHub
    commit: str
    folder: str  # inside the repository
    megabytes: int  # of that folder, unpacked
    sha256: str

    @property
    def address(self) -> str:
        return f"https://github.com/{self.repository}"

    @property
    def name(self) -> str:
        """The folder that `git clone` creates."""
        return self.repository.split("/")[1]

    @property
    def to_clone(self) -> str:
        """The command that fetches this folder at this commit, and little else."""
        sparse = "" if self.folder == "." else f" && git -C {self.name} sparse-checkout set {self.folder}"
        clone = f"git clone --filter=blob:none --no-checkout {self.address}"
        return f"{clone}{sparse} && git -C {self.name} checkout {self.commit}"

    def inside(self, clone: Path, pattern: str) -> list[Path]:
        """The files that match the pattern, sorted by name."""
        paths = sorted((clone / self.folder).glob(pattern))
        demand(paths, f"{clone} has no {self.folder}/{pattern}: {self.to_clone}")
        return paths

    def layout(self, path: Path) -> AbstractContextManager[None]:
        """Errors while reading a file become one sentence that names the file."""
        return reading(path, f"is not laid out as at commit {self.commit[:7]}", self.to_clone)

    def json(self, path: Path) -> Any:
        with self.layout(path):
            return json.loads(path.read_text(encoding="utf-8"))


def of(name: str) -> Origin:
    """The line of this source in the table beside this file."""
    with Path(__file__).with_name("sources.csv").open(encoding="utf-8", newline="") as table:
        lines: dict[str, dict[str, Any]] = {line.pop("name"): line for line in csv.DictReader(table)}
    return Origin(**lines[name] | {"megabytes": int(lines[name]["megabytes"])})


# -----------------------------------------------------------------------------------------------------------
# Safe unpickling: containers, numbers and text are read; a pickle that needs a class or a function is refused.


class Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def objects(path: Path) -> list[Any]:
    """All objects that were pickled into a file, in order."""
    unpickled: list[Any] = []
    with reading(path, "is not a pickle of containers and numbers alone", "is it cut off?"):
        file = io.BytesIO(path.read_bytes())
        while file.tell() < len(file.getbuffer()):
            unpickled.append(Plain(file).load())
    demand(unpickled, f"{path} is empty: download it again")
    return unpickled
