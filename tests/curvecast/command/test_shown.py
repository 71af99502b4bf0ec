"""Guards how forecasts are shown and written: tables on any terminal, files that are whole, names that are only names."""

import csv
import io
import itertools
import json
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curvecast import forecast
from curvecast.__main__ import main
from curvecast.command import output, table, watch
from curvecast.command.terminal import tell
from curvecast.ground import progress as progresses
from curvecast.ground.errors import UserError


@pytest.fixture(scope="module")
def forecasts():
    return forecast([[0.3, 0.4, 0.45], [0.2, 0.3, 0.32]], names=[r"$\foo$", "_hid"], horizon=20)


def test_csv_has_a_row_for_each_run_and_step_and_json_is_what_is_printed(tmp_path, forecasts):
    told = tell(forecasts, None)
    for name in ("x.csv", "x.json"):
        output.write(tmp_path / name, forecasts, told)
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert len(rows) == 2 * 17 and rows[0]["run"] == r"$\foo$" and float(rows[0]["step"]) == 4
    assert all(float(row["q05"]) < float(row["median"]) < float(row["q95"]) for row in rows)
    assert json.loads((tmp_path / "x.json").read_text()) == {"runs": told}


@pytest.mark.parametrize(("suffix", "begins"), [(".svg", b"<?xml"), (".png", b"\x89PNG")])
def test_pictures_are_pictures_whatever_the_names(tmp_path, forecasts, suffix, begins):
    for some in (forecasts, type(forecasts)(forecasts[1:])):
        output.write(tmp_path / f"x{suffix}", some, [])
        assert (tmp_path / f"x{suffix}").read_bytes().startswith(begins)
    with pytest.raises(UserError, match="too many for one picture"):
        output.write(tmp_path / f"y{suffix}", type(forecasts)([forecasts[0]] * 41), [])
    assert not (tmp_path / f"y{suffix}").exists()


@pytest.mark.parametrize("name", ["x.pdf", "x", "no/x.svg", "b.csv", "link.csv"])
def test_what_cannot_be_written_is_said_before_the_work(tmp_path, name):
    (tmp_path / "b.csv").touch()
    (tmp_path / "link.csv").symlink_to("b.csv")
    with pytest.raises(UserError, match=r"suffix|no folder|is one of the files that are read"):
        output.check(tmp_path / name, ["-", str(tmp_path / "no.csv"), str(tmp_path / "b.csv")])


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_name_of_a_run_is_a_formula_of_a_spreadsheet(name):
    """Excel and others would compute it: a ' before it makes it text."""
    told = {"name": name, "steps": [1], **{key: [0.5] for key in ["median", "q05", "q25", "q75", "q95"]}}
    (row,) = list(csv.reader(io.StringIO(output.as_csv([told]).decode())))[1:]
    assert row[0] == f"'{name}"


@example('a\\n, quo"te')
@given(st.text())
def test_a_line_of_a_stop_file_gives_its_name_back(name):
    """Between two quotes it is a JSON string, and it has no character that does not print."""
    line = watch.escaped(name)
    assert line.isprintable() and json.loads(f'"{line}"') == name
    assert line == name or not name.isprintable() or {*'"\\'} & {*name}, "what needs no mark has none"


@pytest.mark.parametrize(("text", "cells"), [
    ("訓練", 4), ("Ａ", 2), ("👍", 2), ("é", 1),
    ("e\u0301", 1),  # the same in two characters
    ("\u1112\u1161\u11ab", 2),  # one Korean syllable in three, as a Mac writes it
    ("क\u094d", 1), ("", 0),
])  # fmt: skip
def test_a_character_takes_as_many_cells_as_a_terminal_gives_it(text, cells):
    assert table.width(text) == cells
    lines = table.aligned([["run", "seen", ""], [text, "4", "▁"]]).splitlines()
    assert lines == ["run" + " " * max(0, cells - 3) + "  seen", f"{text}{' ' * max(0, 3 - cells)}     4  ▁"]


def test_of_a_long_name_both_ends_are_shown():
    shown = table.named("monday/log.csv: " + "x" * 40 + " lr=0.1")
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


@pytest.mark.parametrize(("terminal", "seconds"), [(True, 1.5), (False, 1.5), (True, 0.4)])
def test_a_terminal_sees_how_far_it_is_and_then_a_clean_line(monkeypatch, capsys, terminal, seconds):
    """A log file and a short command see nothing."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(progresses.time, "monotonic", itertools.count(0, seconds).__next__)
    with progresses.Progress(2000, "runs") as progress:
        progress.done(500)
        progress.done(1500)
    said = capsys.readouterr().err
    if seconds < 1 or not terminal:
        assert said == ""
        return
    assert "500 of 2,000 runs, " in said and "2,000 of 2,000 runs, 0 s left" in said
    assert "\n" not in said and said.split("\r")[-2].strip() == ""


@pytest.mark.parametrize(
    ("name", "seed", "said"),
    [("curves", "1", ""), ("curves.npz", "-1", "negative"), ("no/curves.npz", "1", "cannot write")],
)
def test_curves_come_as_whole_files(tmp_path, capsys, name, seed, said):
    words = ["sample", "-n", "5", "--length", "30", "-o", str(tmp_path / name), "--seed", seed]
    assert main(words) == (2 if said else 0) and said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ([] if said else ["curves.npz"])
    if not said:
        with np.load(tmp_path / "curves.npz") as file:
            assert file["noisy"].shape == (5, 30)
