"""What the reader of logs says of what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import runs


def complaint(text: str, **options: Any) -> str:
    """Of a text: one short sentence that begins with the name of the source."""
    with pytest.raises(UserError) as error:
        runs.parse(text, "log.csv", **options)
    said = str(error.value)
    assert said.startswith("log.csv") and said.isprintable() and len(said) < 400
    return said


def refused(source: Path | str | None, **options: Any) -> str:
    """Of a file, a folder or standard input."""
    with pytest.raises(UserError) as error:
        runs.read(source, **options)
    assert str(error.value).isprintable()
    return str(error.value)
