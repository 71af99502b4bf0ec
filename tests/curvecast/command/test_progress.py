"""Guards curvecast/command/progress.py: a line on a terminal, which is gone at the end, and nothing elsewhere."""

import sys

import pytest

from curvecast.command.progress import Progress


def test_a_terminal_sees_how_far_it_is_and_then_a_clean_line(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress(2000, "runs") as progress:
        progress.done(500)
        progress.done(1500)
    said = capsys.readouterr().err
    assert "500 of 2,000 runs, " in said and "2,000 of 2,000 runs, 0 s left" in said
    assert "\n" not in said and said.split("\r")[-2].strip() == ""


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)])
def test_a_log_file_and_a_short_command_see_nothing(monkeypatch, capsys, terminal, quiet):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with Progress(10, "runs", quiet=quiet) as progress:
        progress.done(5)
    assert capsys.readouterr().err == ""
