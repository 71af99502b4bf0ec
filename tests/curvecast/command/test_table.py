"""Guards curvecast/command/table.py: columns that stand below one another, whatever is in them, on any terminal."""

import io
import sys

import pytest

from curvecast import forecast
from curvecast.command import table
from curvecast.command.terminal import tell


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("loss", 4),
        ("訓練", 4),
        ("Ａ", 2),
        ("👍", 2),
        ("é", 1),
        ("e\u0301", 1),  # the same in two characters
        ("\u1112\u1161\u11ab", 2),  # one Korean syllable in three, as a Mac writes it
        ("क\u094d", 1),
        ("", 0),
    ],
)
def test_a_character_takes_as_many_cells_as_a_terminal_gives_it(text, cells):
    assert table.width(text) == cells


def test_columns_stay_below_one_another_beside_wide_characters():
    lines = table.aligned([["run", "seen", ""], ["訓練", "4", "▁"], ["e\u0301", "12", "█"]]).splitlines()
    assert lines == ["run   seen", "訓練     4  ▁", "e\u0301       12  █"]


def test_of_a_long_name_both_ends_are_shown():
    name = "monday/log.csv: " + "x" * 40 + " lr=0.1"
    shown = table.named(name)
    assert len(shown) == 40 and shown.startswith("monday/log.csv: ") and shown.endswith("x lr=0.1")
    assert table.named("x" * 40) == "x" * 40 and table.named("a\x1b") == "a?"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_a_terminal_without_blocks_gets_plain_characters_in_the_same_columns(monkeypatch, encoding):
    """And no ? for what it cannot show."""
    forecasts = forecast([[0.3, 0.4, 0.45], [0.3]], names=["a", "x" * 50], horizon=20)
    told = tell(forecasts, None)
    blocks = table.table(forecasts, told)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    plain = table.table(forecasts, told)
    assert plain.isascii() and "?" not in plain and "|" in plain
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in blocks.splitlines()]


def test_a_sparkline_rises_where_the_run_does():
    seen, _ = table.sparkline(forecast([0.1, 0.2, 0.3, 0.4])).split("│")
    assert list(seen) == sorted(seen) and len(set(seen)) == 4
