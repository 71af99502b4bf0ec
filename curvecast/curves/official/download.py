"""A file that a person has to download: which, from where, how large, under which licence, and whether it is whole."""

import gzip
import hashlib
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.curves.terms import Terms
from curvecast.ground.errors import UserError

DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)
UNKNOWN = "its size is not stated"


@dataclass(frozen=True)
class Official(Terms):
    """Nothing is downloaded by itself. `md5` may be the last digits alone, where no more is known."""

    name: str  # of the file that is downloaded
    address: str
    size: str = UNKNOWN
    md5: str = ""

    def checked(self, path: Path, any_checksum: bool = False) -> Path:
        """The file, if it is there and is the published one. A checksum says nothing about what is inside."""
        if not path.exists():
            raise UserError(
                f"there is no {path}: download {self.name} ({self.size}; {self.licence}) from {self.address} and put it there"
            )
        if path.name == self.name and self.md5 and not any_checksum:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "md5").hexdigest()
            if not found.endswith(self.md5):
                raise UserError(
                    f"{path} has the md5 {found}, not {self.md5}: download {self.name} again from {self.address}, "
                    "or pass any_checksum=True for another version"
                )
        return path

    @contextmanager
    def layout(self, place: Path | str) -> Iterator[None]:
        """Whatever is not as published becomes one sentence that names the file, and the line where there is one."""
        try:
            yield
        except UserError:
            raise
        except DAMAGE as error:
            raise UserError(
                f"{place} is cut off or damaged ({error}): download {self.name} again from {self.address}"
            ) from error
        except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"[:120]
            raise UserError(
                f"{place} is not laid out as {self.name} ({why}): download it again from {self.address}"
            ) from error


def numbers(values: Iterable[Any]) -> list[float]:
    """As they are; what is missing becomes nan, and text is refused although it may look like a number."""
    found = []
    for value in values:
        if isinstance(value, str):
            raise ValueError(f"{value!r} is text, not a number")
        found.append(math.nan if value is None else float(value))
    return found
