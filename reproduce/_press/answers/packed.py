"""Tables of rows above 20 kB are stored compressed: rows.csv.gz instead of rows.csv."""

import gzip
import io
import zlib

PLAIN = 20_000  # bytes; what is larger is packed
MOST = 64_000_000  # bytes; what unpacks to more is no table of ours
SUFFIX = ".gz"


def packed(data: bytes) -> bytes:
    """The same bytes every time: no date, no name. (gzip.compress heads its output as zlib likes it.)"""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def unpacked(data: bytes) -> bytes:
    """Raises ValueError where the end is missing or something was changed."""
    try:
        if not data:
            raise EOFError("it is empty")
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            plain = file.read(MOST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"cannot be unpacked ({error})") from None
    if len(plain) > MOST:
        raise ValueError("unpacks to far more than a table holds")
    return plain


def plain_name(name: str) -> str:
    """The name of a table, compressed or not."""
    return name.removesuffix(SUFFIX) if name.endswith(f".csv{SUFFIX}") else name
