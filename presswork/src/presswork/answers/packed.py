"""Tables of rows as files: plain CSV, or compressed above 16 kB (rows.csv.xz instead of rows.csv)."""

import hashlib
import lzma
import os
from pathlib import Path

PLAIN = 16_000  # bytes; larger tables are compressed
MOST = 64_000_000  # bytes; what unpacks to more is no table of ours
MOST_MEMORY = 100_000_000  # bytes, to unpack
SUFFIX = ".xz"


def sha256(data: bytes) -> str:
    """The digest of a table is that of its CSV."""
    return hashlib.sha256(data).hexdigest()


def packed(data: bytes) -> bytes:
    """The same bytes every time: no date, no name."""
    return lzma.compress(data, preset=6 | lzma.PRESET_EXTREME)


def unpacked(data: bytes) -> bytes:
    """Raises ValueError where the end is missing or something was changed."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)
    try:
        plain = reader.decompress(data, MOST + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"cannot be unpacked ({error})") from None
    if len(plain) > MOST:
        raise ValueError("unpacks to far more than a table holds")
    if not reader.eof or reader.unused_data:
        raise ValueError("cannot be unpacked (it does not end where it should)")
    return plain


def plain_name(name: str) -> str:
    return name.removesuffix(SUFFIX) if name.endswith(f".csv{SUFFIX}") else name


def path_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}{SUFFIX}"
    return path if path.is_file() else folder / name


def table(folder: Path, name: str) -> bytes:
    path = path_of(folder, name)
    return unpacked(path.read_bytes()) if path.suffix == SUFFIX else path.read_bytes()


def fits(folder: Path, name: str, digest: str) -> bool:
    """Is a table there, and has it the digest of its receipt?"""
    try:
        return sha256(table(folder, name)) == digest
    except (OSError, ValueError):
        return False


def take_place(folder: Path, name: str) -> None:
    """Move a table from .<name>.new into its place, and remove its other form."""
    for form, other in ((name, f"{name}{SUFFIX}"), (f"{name}{SUFFIX}", name)):
        new = folder / f".{form}.new"
        if new.is_file():
            (folder / other).unlink(missing_ok=True)
            os.replace(new, folder / form)


def remove(folder: Path, name: str) -> None:
    for form in (name, f"{name}{SUFFIX}"):
        (folder / form).unlink(missing_ok=True)
