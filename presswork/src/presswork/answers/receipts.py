"""One file of receipts an answer: what most parts share stands once, what differs with each part.

{"format": 1, "shared": {"question": …, "config": …, …}, "each": {"a": {"seconds": …, "files": …}, "b": …}}

The number is that of all files in the folder; the oldest receipts have none.
"""

import json
from pathlib import Path
from typing import Any

FILE, FORMAT = "receipts.json", 1
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
            raise ValueError(
                f"has format {content['format']!r}, and this code reads {FORMAT}: take a newer presswork"
            )
        return [{"part": part} | content["shared"] | fields for part, fields in content["each"].items()]
    except (AttributeError, KeyError, TypeError):
        raise ValueError("is not a file of receipts") from None


def of(folder: Path) -> list[Receipt]:
    """The receipts of an answer, one a part; a file that is missing or cannot be read does not count."""
    try:
        return apart((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return []
