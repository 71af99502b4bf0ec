"""The command as a user calls it: what it says of runs, and of what it refuses."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from curvecast.__main__ import main


@pytest.fixture
def complaint(capsys) -> Callable[..., str]:
    """complaint("forecast", "none.csv"): one line of standard error with status 2, and nothing beside it."""

    def of(*words: object) -> str:
        try:
            status: object = main([*map(str, words)])
        except SystemExit as end:
            status = end.code
        out, told = capsys.readouterr()
        assert (status, out) == (2, "") and told.count("\n") == 1
        return told

    return of


@pytest.fixture
def said(capsys) -> Callable[..., str]:
    """said("doctor"): what a command that succeeds writes to standard output."""

    def of(*words: object) -> str:
        assert main([*map(str, words)]) == 0
        return capsys.readouterr().out

    return of


@pytest.fixture
def told(said) -> Callable[..., list[dict[str, Any]]]:
    """told("runs.csv", "--best"): the runs of `curvecast forecast`, as it writes them with --json."""
    return lambda *words: json.loads(said("forecast", *words, "--json"))["runs"]
