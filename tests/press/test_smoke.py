"""Guards every question: its whole chain runs at smoke scale, and the numbers are those that are committed."""

import math

import pytest

from reproduce._press import contract, smoke
from reproduce._press.answers import sameness

pytestmark = pytest.mark.slow
QUESTIONS = [
    pytest.param(name, marks=pytest.mark.skipif(smoke.cannot(name) is not None, reason=str(smoke.cannot(name))))
    for name in contract.names()
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_numbers_at_smoke_scale_are_the_committed_ones(question, at_smoke_scale):
    """On the same kind of CPU the numbers agree; on another one the tables, their columns and numbers of rows."""
    today = smoke.take(question, made=at_smoke_scale(question).parents[2])
    same, words = smoke.compare(question, today)
    assert same, f"{question}: {words}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_number_is_missing_only_where_it_was(question, at_smoke_scale):
    """On every kind of CPU the same cells are finite numbers."""
    today = smoke.take(question, made=at_smoke_scale(question).parents[2])
    kept = [take for take in smoke.committed(question) if take.keys & today.keys]
    assert kept, f"no smoke rows of today's code are committed: python -m reproduce smoke {question} --keep"
    assert finite(today) == finite(kept[0])


def finite(take: sameness.Take) -> dict[str, list[bool]]:
    """Of each column of numbers that is no stopwatch: which cells are finite."""
    columns = {
        f"{table}.{column}": sameness.numbers(values)
        for table, columns in take.rows.items()
        for column, values in columns.items()
    }
    return {
        name: [math.isfinite(value) for value in values]
        for name, values in columns.items()
        if values is not None and name not in take.stopwatches
    }
