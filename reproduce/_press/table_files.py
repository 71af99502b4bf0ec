"""A table of rows as a file: plain, or packed above 20 kB; and its digest, which is that of the CSV itself."""

import hashlib
import os
from pathlib import Path

from reproduce._press.answers.packed import PLAIN, SUFFIX, packed, unpacked


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def stored_as(name: str, data: bytes) -> tuple[str, bytes]:
    """The name of the file that will hold a table, and its content."""
    return (f"{name}{SUFFIX}", packed(data)) if len(data) > PLAIN else (name, data)


def take_place(folder: Path, name: str) -> None:
    """Put a table from .<name>.new into its place. One that was packed before and is not now goes, or the other way."""
    for form, other in ((name, f"{name}{SUFFIX}"), (f"{name}{SUFFIX}", name)):
        new = folder / f".{form}.new"
        if new.is_file():
            (folder / other).unlink(missing_ok=True)
            os.replace(new, folder / form)


def lies_as(folder: Path, name: str) -> Path:
    """The file that holds a table: packed or plain."""
    path = folder / f"{name}{SUFFIX}"
    return path if path.is_file() else folder / name


def fits(folder: Path, name: str, digest: str) -> bool:
    """Is a table there, and is it the one that its receipt means?"""
    try:
        return sha256(table(folder, name)) == digest
    except (OSError, ValueError):
        return False


def table(folder: Path, name: str) -> bytes:
    """A table as CSV, however it lies."""
    path = lies_as(folder, name)
    data = path.read_bytes()
    return unpacked(data) if path.suffix == SUFFIX else data


def remove(folder: Path, name: str) -> None:
    for form in (name, f"{name}{SUFFIX}"):
        (folder / form).unlink(missing_ok=True)
