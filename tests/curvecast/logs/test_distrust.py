"""Guards runs.read against what is no log: binary, huge, endless, cut off, or not there."""

import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from curvecast.logs import checked_points, json_document, json_lines, runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.made_logs import complaint, refused

AB = [Run("a", [1, 2], [0.5, 0.6]), Run("b", [1], [0.25])]
WIDE = "step,a,b\n1,0.5,0.25\n2,0.6,\n"


def piped(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))


@pytest.mark.parametrize("source", [None, "-"])
def test_standard_input_is_a_source_and_stays_open(monkeypatch, source):
    """A column without a name is called run."""
    piped(monkeypatch, b"\xef\xbb\xbf0.5\n0.6\n")
    assert runs.read(source) == [Run("run", [1, 2], [0.5, 0.6])]
    assert not sys.stdin.closed and not sys.stdin.buffer.closed


def test_nobody_waits_at_a_terminal(monkeypatch):
    piped(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert refused(None) == "there is nothing to read: name a file, or pipe one in"
    assert refused("-").startswith("standard input is empty")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system does not name open files")
def test_a_pipe_with_a_name_is_read():
    """As /dev/stdin, and as <(...) in a shell: it cannot be read twice."""
    end, begin = os.pipe()
    os.write(begin, WIDE.encode())
    os.close(begin)
    assert runs.read(f"/dev/fd/{end}") == AB
    os.close(end)


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as whole:
        whole.writestr("log.csv", WIDE)
    return file.getvalue()


@pytest.mark.parametrize(("data", "expected"), [
    (gzip.compress(WIDE.encode(), mtime=0), "is not a text file: it is compressed, unpack it first"),
    (archive(), "is not a text file: unpack the archive, or save the spreadsheet as CSV"),
    (WIDE.encode("utf-16"), "is not a text file in UTF-8: it is UTF-16, save it as UTF-8"),
    (WIDE.encode("utf-16-le"), "is not a text file"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a text file in UTF-8: save it as CSV or JSON lines"),
    (pickle.dumps([1, 2]), "is not a text file"),
    ("step,naïve\n1,2".encode("latin-1"), "is not a text file in UTF-8: save it"),
    (b"step,a\n" + b"1" * runs.LONGEST_LINE, "has a line of more than 4,000,000 characters"),
])  # fmt: skip
def test_what_is_not_text_is_refused(tmp_path, monkeypatch, data, expected):
    (tmp_path / "log.csv").write_bytes(data)
    assert f"log.csv {expected}" in refused(tmp_path / "log.csv")
    piped(monkeypatch, data)
    assert f"standard input {expected}" in refused(None)


@pytest.mark.parametrize("before", ["", "\n \n"])
def test_a_document_may_be_one_long_line(before):
    """As json.dump writes it; empty lines above it do not count."""
    text = before + json.dumps({"a": [1 / 3] * 250_000, "b": [0.5]})
    assert len(text) > runs.LONGEST_LINE
    assert [len(run.values) for run in runs.parse(text, "history.json")] == [250_000, 1]


def test_a_document_of_one_line_has_a_limit_as_well(monkeypatch):
    """Of its length, and of its parts: a megabyte of empty lists may become a hundred; a long line within a log is none."""
    monkeypatch.setattr(runs, "LONGEST_LINE", 20)
    for module in (json_document, json_lines):
        monkeypatch.setattr(module, "LARGEST", 40)
    text = json.dumps({"a": [0.1] * 4})
    assert len(text) < 40 and len(runs.parse(text, "log.json")[0].values) == 4
    assert "is too large for one JSON document: write one record" in complaint('{"a": [' + "0.1, " * 100)
    assert "has a line of more than 20 characters" in complaint('step,a\n{"a": [0.1, 0.1, 0.1, 0.1]}')
    line = '{"step": 1, "a": 1}\n'  # it ends at the limit, and what follows is the next one
    assert len(line) == 20 and runs.parse(line + '{"step":2, "a": 2}', "x", value="a")[0].values == [1, 2]
    monkeypatch.setattr(json_lines, "MOST_PARTS", 5)
    assert "is too large for one JSON document" in complaint('{"a": [[], [], [], []]}')


def test_a_missing_file_tells_its_neighbours(tmp_path):
    """A slip of the finger is the usual reason; nothing is fetched from an address."""
    (tmp_path / "losses.csv").write_text(WIDE)
    assert refused(tmp_path / "loses.csv").endswith("did you mean losses.csv?")
    assert refused(tmp_path / "zzz").endswith("zzz: check the name")
    assert refused(tmp_path / "none" / "log.csv").endswith("log.csv: check the name")
    assert "download the file first" in refused("hf://me/mine/trainer_state.json")


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    """Neither too long, nor with a NUL, nor below a file; and the complaint fits on a screen."""
    (tmp_path / "file").touch()
    for path in (tmp_path / ("x" * 5000), str(tmp_path / "a\0b"), tmp_path / "file" / "log.csv", "\x1b[31m"):
        assert len(refused(path)) < 400


def test_a_file_that_fails_while_it_is_read_is_refused(tmp_path, monkeypatch):
    """As one without permission, also where the tests run as root."""

    def fail(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", fail)
    (tmp_path / "log.csv").touch()
    assert "(Permission denied): check its name and its permissions" in refused(tmp_path / "log.csv")


@pytest.mark.parametrize(
    ("limit", "runs_of", "expected"),
    [("MOST_RUNS", "ab", "has more than 1 runs: at most 1 at once"), ("MOST_VALUES", "aa", "has more than 1 values: keep")],
)  # fmt: skip
def test_as_much_as_the_limit_is_fine_and_no_more(monkeypatch, limit, runs_of, expected):
    text = "run,step,value\n" + "".join(f"{name},{step},1\n" for step, name in enumerate(runs_of))
    monkeypatch.setattr(checked_points, limit, 2)
    assert len(runs.parse(text, "log.csv")) == len(set(runs_of))
    monkeypatch.setattr(checked_points, limit, 1)
    assert expected in complaint(text)


def endless(first: str, row: str) -> str:
    """Read an endless log on standard input, and say what came of it."""
    program = "from curvecast.logs import runs\ntry: runs.read(None)\nexcept ValueError as e: print(e)"
    command = [sys.executable, "-c", program]
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert reader.stdin is not None and reader.stdout is not None
    with suppress(BrokenPipeError):
        reader.stdin.write(first)
        for block in range(1_000_000):
            reader.stdin.write("".join(row.format(block * 1000 + i) for i in range(1000)))
    said = reader.stdout.read()
    with reader.stdout, suppress(BrokenPipeError):
        reader.stdin.close()  # what could not be written is still there
    assert reader.wait() == 0
    return said


@pytest.mark.parametrize(("first", "row", "expected"), [
    ("step,a\n", "{},0.5\n", " has more than 500,000 values: keep every n-th row"),
    ("run,step,value\n", "{},1,0.5\n", " has more than 1,000 runs: at most 1,000 at once"),
    ("", '{{"run": "{}", "step": 1, "value": 1}}\n', " has more than 1,000 runs"),
    ("step,a,a\n", "{},0.5,1\n", ", line 1: two columns are called 'a'"),
])  # fmt: skip
def test_too_much_is_refused_without_the_rest(first, row, expected):
    assert f"standard input{expected}" in endless(first, row)


def test_reading_text_imports_nothing_heavy():
    heavy = "{'torch', 'numpy', 'pandas', 'tensorboard'}"
    program = f"import sys; from curvecast.logs import runs; runs.parse({WIDE!r}, 'log'); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
