"""estimates.json, which lies beside the claims: what a question found, each number by its key. Standard library only.

    {"format": 1, "estimates": [
    [["ll", "3x128", 10], 1.7, 1.69, 1.71, [["curves", 10000]]],

A key is a list of texts, numbers and truth values; a page asks for it as `val('accuracy/ll', '3x128', 10)`.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import astuple, is_dataclass
from typing import Any, NamedTuple

FILE, FORMAT = "estimates.json", 1


class Estimate(NamedTuple):
    value: float
    low: float
    high: float
    over: list[list[Any]]


def as_bytes(found: dict[Any, Any]) -> bytes:
    """A line an estimate, in the order in which the question found them; six digits, as rows have."""
    lines = []
    for key, one in found.items():
        lines.append(json.dumps([[*_flat(key)], *(float(f"{x:.6g}") for x in one), one.over]))
    return (f'{{"format": {FORMAT}, "estimates": [\n' + ",\n".join(lines) + "\n]}\n").encode()


def _flat(key: Any) -> Iterator[Any]:
    """Tuples and settings within a key are laid out in its list."""
    if isinstance(key, tuple) or is_dataclass(key):
        for one in key if isinstance(key, tuple) else astuple(key):  # type: ignore[arg-type]  # of an instance
            yield from _flat(one)
    else:
        one = key.item() if hasattr(key, "item") else key  # of numpy
        yield one if isinstance(one, str | bool | int | float) else str(one)


def same(one: bytes, other: bytes) -> bool:
    """The same keys and units, and numbers but for rounding errors, which another processor makes elsewhere."""
    a, b = by_key(one), by_key(other)
    if a.keys() != b.keys():
        return False
    return all(a[key].over == b[key].over and all(map(_close, a[key][:3], b[key][:3])) for key in a)


def _close(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=1e-4, abs_tol=1e-9) or (math.isnan(x) and math.isnan(y))


def by_key(data: bytes) -> dict[tuple[str, ...], Estimate]:
    """ValueError where the file is damaged, or of another format."""
    content = json.loads(data)
    if content.get("format") != FORMAT:
        raise ValueError(f"it has format {content.get('format')!r}, and this code reads {FORMAT}")
    return {tuple(map(str, key)): Estimate(*numbers) for key, *numbers in content["estimates"]}
