"""One file of receipts an answer: what most parts share stands once, what differs with each part.

{"format": 1, "shared": {"question": …, "config": …, …}, "each": {"a": {"seconds": …, "files": …}, "b": …}}

The number is that of all files in the folder; the oldest receipts have none.
"""

import functools
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from presswork.answers import packed
from presswork.ground.blog import BLOG

RECEIPTS, FORMAT = "receipts.json", 1
Receipt = dict[str, Any]


def together(receipts: list[Receipt]) -> dict[str, Any]:
    """The content of the file, whichever order the parts were measured in."""
    receipts = sorted(receipts, key=lambda receipt: str(receipt["part"]))
    shared = {}
    for key in receipts[0] if receipts else ():
        texts = [json.dumps(receipt.get(key), sort_keys=True) for receipt in receipts]
        usual = max(texts, key=texts.count)
        if all(key in receipt for receipt in receipts) and 2 * texts.count(usual) > len(texts):
            shared[key] = json.loads(usual)
    shared.pop("part", None)
    each = {r["part"]: {k: v for k, v in r.items() if k != "part" and (k not in shared or v != shared[k])}
            for r in receipts}  # fmt: skip
    return {"format": FORMAT, "shared": shared, "each": each}


def apart(text: bytes) -> list[Receipt]:
    """The receipts, each with all of its fields. Raises ValueError for any other content."""
    try:
        content = json.loads(text)
        if content.get("format", FORMAT) != FORMAT:
            other = f"has format {content['format']!r}, and this code reads {FORMAT}"
            raise ValueError(f"{other}: take a newer presswork")
        return [{"part": part} | content["shared"] | fields for part, fields in content["each"].items()]
    except (AttributeError, KeyError, TypeError):
        raise ValueError("is not a file of receipts") from None


def of(folder: Path) -> list[Receipt]:
    """The receipts of an answer, one a part; a file that is missing or cannot be read does not count."""
    try:
        return apart((folder / RECEIPTS).read_bytes())
    except (OSError, ValueError):
        return []


# ---------------------------------------------------------------------------------------------- the inputs of an answer
# What was made before, by its sha256, and the rows of other questions: are they still the ones here?


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def hash_of_file(path: Path) -> str:
    return packed.sha256(path.read_bytes())


def hashes(paths: Iterable[Path], root: Path) -> list[str]:
    now = {path: path.stat() for path in sorted(paths) if path.is_file()}
    return [
        f"{os.path.relpath(at, root)} {_hash(at, one.st_mtime_ns, one.st_size)}" for at, one in now.items()
    ]


@functools.cache  # every question is drawn with what chapters share
def _hash(path: Path, *now: int) -> str:
    return hash_of_file(path)


def hashes_below(rooms: Iterable[Path], root: Path) -> list[str]:
    """Of these files, and of all in these folders."""
    paths = (path for room in rooms for path in [room, *room.rglob("[!.]*")])
    return hashes([path for path in paths if path.suffix != ".pyc"], root)


def replaced(parts: list[dict[str, Any]], root: Path, home: str) -> str | None:
    """The first input of these parts that is here in another version; one that is not here cannot be compared."""
    wanted = dict.fromkeys(pair for part in parts for pair in part.get("inputs", {}).items())
    scale = parts[0]["scale"]
    for name, then in wanted:
        if hash_here(name, scale, root, home) not in (then, None):
            return name
    return None


def hash_here(name: str, scale: str, root: Path, home: str) -> str | None:
    """The hash of an input that lies here: "rows of question", of "question/scale" (published), "file x", made before."""
    if name.startswith("rows of "):
        other = name.removeprefix("rows of ")
        return hash_of_rows(root / "figures" / other if "/" in other else root / home / other / scale)
    published = root / home == root / "figures"
    path = BLOG.plugin.file(name, published, root)
    if name.startswith("file "):
        path = root / name.removeprefix("file ")
    return hash_of_file(path) if path.is_file() else None


def hash_of_rows(folder: Path) -> str | None:
    """A hash over all rows of an answer; None where there are none."""
    files = {name: key for receipt in of(folder) for name, key in receipt["files"].items()}
    return digest(*(f"{name} {files[name]}" for name in sorted(files))) if files else None
