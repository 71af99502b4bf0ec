"""The names of hopeless runs in a file, one a line, for a scheduler to read. Whole at any time.

A line is what stands between the quotes of a JSON string, so that no name is two lines: `json.loads('"' + line + '"')`.
"""

import json
from pathlib import Path

from curvecast.ground import whole_file


def write(path: Path, names: list[str]) -> None:
    whole_file.write(path, "".join(f"{escaped(name)}\n" for name in names).encode())


def escaped(name: str) -> str:
    """What does not print is written as JSON writes it."""
    return "".join(c if c.isprintable() and c not in '"\\' else json.dumps(c)[1:-1] for c in name)
