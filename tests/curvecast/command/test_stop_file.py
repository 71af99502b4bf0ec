"""Guards curvecast/command/stop_file.py: one name a line, whatever the name."""

import json

from hypothesis import given
from hypothesis import strategies as st

from curvecast.command import stop_file

NAMES = ["plain", "two\nlines", "a\\n", 'quo"te', "\x1b[2J", "\u202egnp", "\udc80", "Ümläut", ""]


@given(st.text())
def test_a_line_gives_its_name_back(name):
    """Between two quotes it is a JSON string, and it has no character that does not print."""
    line = stop_file.escaped(name)
    assert line.isprintable() and json.loads(f'"{line}"') == name


def test_each_name_is_one_line(tmp_path):
    stop_file.write(tmp_path / "hopeless.txt", NAMES)
    lines = (tmp_path / "hopeless.txt").read_text().split("\n")
    assert [json.loads(f'"{line}"') for line in lines[:-1]] == NAMES and lines[-1] == ""
    assert lines[0] == "plain" and lines[7] == "Ümläut", "what needs no mark has none"
