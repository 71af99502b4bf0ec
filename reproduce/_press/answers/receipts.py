"""One file of receipts an answer: fields that all parts share stand once, the others with each part.

{"shared": {"question": …, "config": …, …}, "each": {"a": {"seconds": …, "files": …}, "b": …}}
"""

import json
from pathlib import Path
from typing import Any

FILE = "receipts.json"
Receipt = dict[str, Any]


def together(receipts: list[Receipt]) -> dict[str, Any]:
    """The content of the file, whichever order the parts were measured in."""
    receipts = sorted(receipts, key=lambda receipt: str(receipt["part"]))
    first = receipts[0] if receipts else {}
    shared = {key: value for key, value in first.items() if all(r.get(key) == value for r in receipts)}
    shared.pop("part", None)
    each = {r["part"]: {k: v for k, v in r.items() if k != "part" and k not in shared} for r in receipts}
    return {"shared": shared, "each": each}


def apart(text: bytes) -> list[Receipt]:
    """The receipts, each with all of its fields. Raises ValueError for any other content."""
    try:
        content = json.loads(text)
        return [{"part": part} | content["shared"] | fields for part, fields in content["each"].items()]
    except (AttributeError, KeyError, TypeError):
        raise ValueError("is not a file of receipts") from None


def of(folder: Path) -> list[Receipt]:
    """The receipts of an answer, one a part; a file that is missing or cannot be read does not count."""
    try:
        return apart((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return []
