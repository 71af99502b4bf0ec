"""What is dear to make is made once for all tests, also where several processes run them."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Make = Callable[[Path], object]


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Make) -> Path:
    """A folder that `make` has filled: who comes first makes it, the others wait for it."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each process of pytest-xdist has a folder of its own in there
    folder = base / name
    with open(base / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / f"{name}.made").exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            (base / f"{name}.made").touch()
    return folder
