"""The inputs of an answer: what was made before, by its sha256, and the rows of other questions.

Standard library only, since pages ask whether the inputs that a receipt names are still the ones here.
"""

import hashlib
from pathlib import Path
from typing import Any

from presswork.answers import packed, receipts
from presswork.ground.blog import BLOG


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def sha256(path: Path) -> str:
    return packed.sha256(path.read_bytes())


def replaced(parts: list[dict[str, Any]], root: Path, home: str) -> str | None:
    """The first input of these parts that is here in another version; one that is not here cannot be compared."""
    wanted = dict.fromkeys(pair for part in parts for pair in part.get("inputs", {}).items())
    scale = parts[0]["scale"]
    return next((name for name, then in wanted if current(name, scale, root, home) not in (then, None)), None)


def current(name: str, scale: str, root: Path, home: str) -> str | None:
    """The hash of an input that lies here: "rows of question", of "question/scale" (published), "file x", made before."""
    if name.startswith("rows of "):
        other = name.removeprefix("rows of ")
        return rows(root / "figures" / other if "/" in other else root / home / other / scale)
    published = root / home == root / "figures"
    path = BLOG.plugin.file(name, published, root)
    if name.startswith("file "):
        path = root / name.removeprefix("file ")
    return sha256(path) if path.is_file() else None


def rows(folder: Path) -> str | None:
    """A hash over all rows of an answer; None where there are none."""
    files = {name: key for receipt in receipts.of(folder) for name, key in receipt["files"].items()}
    return digest(*(f"{name} {files[name]}" for name in sorted(files))) if files else None
