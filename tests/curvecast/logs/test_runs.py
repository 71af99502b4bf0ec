"""Guards curvecast/logs/runs.py: what is written is read, by content, and whatever else comes is a sentence."""

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
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import complaint, refused

AB = [Run("a", [1, 2], [0.5, 0.6]), Run("b", [1], [0.25])]
WIDE = "step,a,b\n1,0.5,0.25\n2,0.6,\n"
LINES = '{"run": "a", "step": 1, "value": 0.5}\n{"run": "b", "step": 1, "value": 0.25}\n{"run": "a", "step": 2, "value": 0.6}'


def piped(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))


def test_the_content_tells_the_format(tmp_path):
    """Not the suffix."""
    for text in (WIDE, LINES, "run;step;value\na;1;.5\nb;1;.25\na;2;.6"):
        (tmp_path / "log.bin").write_text(text)
        assert runs.read(tmp_path / "log.bin") == AB
        assert runs.parse(text, "log.csv") == AB


@pytest.mark.parametrize("source", [None, "-"])
def test_standard_input_is_a_source_and_stays_open(monkeypatch, source):
    """A column without a name is called run."""
    piped(monkeypatch, b"\xef\xbb\xbf0.5\n0.6\n")
    assert runs.read(source) == [Run("run", [1, 2], [0.5, 0.6])]
    assert not sys.stdin.closed and not sys.stdin.buffer.closed


def test_a_checkpoint_is_read_by_its_folder_and_an_address_is_not_fetched(tmp_path):
    (tmp_path / "trainer_state.json").write_text('{"log_history": [{"step": 5, "eval_accuracy": 0.5}]}')
    assert runs.read(tmp_path, value="eval_accuracy") == [Run("trainer_state", [5], [0.5])]
    assert "download the file first" in refused("hf://me/mine/trainer_state.json")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system does not name open files")
def test_a_pipe_with_a_name_is_read():
    """As /dev/stdin, and as <(...) in a shell."""
    end, begin = os.pipe()
    os.write(begin, WIDE.encode())
    os.close(begin)
    assert runs.read(f"/dev/fd/{end}") == AB
    os.close(end)


def test_nobody_waits_at_a_terminal(monkeypatch):
    """Without a file and without a pipe there is nothing to read."""
    piped(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert refused(None) == "there is nothing to read: name a file, or pipe one in"
    assert refused("-").startswith("standard input is empty")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[\n{}]", "log.csv, entry 1 is no record"),
        ("", "log.csv is empty: write a header such as step,a"),
        (" \n\t\n\n", "log.csv is empty"),
        ("\ufeff", "log.csv is empty"),
        ("step,a\0\n", "log.csv is not a text file"),
    ],
)
def test_a_text_that_cannot_be_read_is_one_sentence(text, expected):
    """What is wrong, where, and what to do."""
    assert expected in complaint(text)


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as whole:
        whole.writestr("log.csv", WIDE)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (gzip.compress(WIDE.encode(), mtime=0), "is not a text file: it is compressed, unpack it first"),
        (archive(), "is not a text file: unpack the archive, or save the spreadsheet as CSV"),
        (WIDE.encode("utf-16"), "is not a text file in UTF-8: it is UTF-16, save it as UTF-8"),
        (WIDE.encode("utf-16-le"), "is not a text file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not a text file in UTF-8: save it as CSV or JSON lines"),
        (pickle.dumps([1, 2]), "is not a text file"),
        ("step,naïve\n1,2".encode("latin-1"), "is not a text file in UTF-8: save it"),
        (b"step,a\n" + b"1" * runs.LONGEST_LINE, "has a line of more than 4,000,000 characters"),
    ],
)
def test_what_is_not_text_is_refused(tmp_path, monkeypatch, data, expected):
    """As a file and as standard input."""
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
    """It is read so far and no further; a long line within a log is none."""
    monkeypatch.setattr(runs, "LONGEST_LINE", 20)
    for module in (runs.json_document, runs.json_lines):
        monkeypatch.setattr(module, "LARGEST", 40)
    text = json.dumps({"a": [0.1] * 4})
    assert len(text) < 40 and len(runs.parse(text, "log.json")[0].values) == 4
    source = io.StringIO('{"a": [' + "0.1, " * 100)
    with pytest.raises(UserError, match=r"log\.json is too large for one JSON document: write one record"):
        runs._runs(source, "log.json", runs.Options())
    assert source.tell() == 41
    assert "has a line of more than 20 characters" in complaint('step,a\n{"a": [0.1, 0.1, 0.1, 0.1]}')


def test_a_document_is_parsed_once_and_has_a_limit_of_parts(monkeypatch):
    """Text of one megabyte may become a hundred of empty lists."""
    parsed, loads = [], json.loads
    monkeypatch.setattr(json, "loads", lambda text, **how: parsed.append(text) or loads(text, **how))
    assert runs.parse('{"a": [0.5, 0.6]}', "log.json") and len(parsed) == 1
    monkeypatch.setattr(runs.json_lines, "MOST_PARTS", 10)
    with pytest.raises(UserError, match=r"log\.json is too large for one JSON document"):
        runs.parse('{"a": [' + "[], " * 9 + "[]]}", "log.json")
    assert len(parsed) == 1


def test_a_pipe_is_a_file():
    """As <(...) and /dev/stdin are: it cannot be read twice."""
    read, write = os.pipe()
    os.write(write, b"step,a\n1,0.5\n")
    os.close(write)
    assert runs.read(f"/dev/fd/{read}")[0].values == [0.5]


def test_a_line_that_ends_at_the_limit_is_one_line(monkeypatch):
    """What follows it is the next one."""
    text = '{"step": 1, "value": 0.5}\n{"step": 2, "value": 0.6}\n'
    monkeypatch.setattr(runs, "LONGEST_LINE", text.index("\n") + 1)
    assert next(runs._lines(io.StringIO(text), "log.json")) == '{"step": 1, "value": 0.5}\n'


def test_a_missing_file_tells_its_neighbours(tmp_path):
    """A slip of the finger is the usual reason."""
    (tmp_path / "losses.csv").write_text(WIDE)
    assert refused(tmp_path / "loses.csv").endswith("did you mean losses.csv?")
    assert refused(tmp_path / "zzz").endswith("zzz: check the name")
    assert refused(tmp_path / "none" / "log.csv").endswith("log.csv: check the name")


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


def endless(first: str, row: str) -> str:
    """Read an endless log on standard input, and say what came of it."""
    program = "from curvecast.logs import runs\ntry: runs.read(None)\nexcept ValueError as e: print(e)"
    reader = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
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


@pytest.mark.parametrize(
    ("first", "row", "expected"),
    [
        ("step,a\n", "{},0.5\n", "has more than 500,000 values: keep every n-th row"),
        ("run,step,value\n", "{},1,0.5\n", "has more than 1,000 runs: at most 1,000 at once"),
        ("", '{{"run": "{}", "step": 1, "value": 1}}\n', "has more than 1,000 runs"),
        ("step,a,a\n", "{},0.5,1\n", "two columns are called 'a'"),
    ],
)
def test_too_much_is_refused_without_the_rest(first, row, expected):
    """Standard input may be endless."""
    assert f"standard input{'' if 'two' not in expected else ', line 1:'} {expected}" in endless(first, row)


def test_reading_text_imports_nothing_heavy():
    """In a process of its own."""
    heavy = "{'torch', 'numpy', 'pandas', 'tensorboard'}"
    program = f"import sys; from curvecast.logs import runs; runs.parse({WIDE!r}, 'log'); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


finite = st.floats(allow_nan=False, allow_infinity=False)
step_lists = st.lists(st.floats(0, 1e9), min_size=1, max_size=8, unique=True).map(sorted)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
names = texts.map(str.strip).filter(lambda name: name and name.lower() not in ("run", *runs.delimited.STEPS))


@st.composite
def some_runs(draw) -> list[Run]:
    found = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower)):
        steps = draw(step_lists)
        found.append(Run(name, steps, draw(st.lists(finite, min_size=len(steps), max_size=len(steps)))))
    return found


def row(*cells: object) -> str:
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells) + "\r\n"


def points(found: list[Run]) -> list[tuple[str, float, float]]:
    return [
        (run.name, step, value) for run in found for step, value in zip(run.steps, run.values, strict=True)
    ]


def wide(found: list[Run]) -> str:
    tables = [dict(zip(run.steps, run.values, strict=True)) for run in found]
    steps = sorted({step for run in found for step in run.steps})
    return row("step", *(run.name for run in found)) + "".join(
        row(step, *(table.get(step, "") for table in tables)) for step in steps
    )


def long(found: list[Run]) -> str:
    return row("run", "step", "value") + "".join(row(*point) for point in points(found))


def lines(found: list[Run]) -> str:
    return "".join(
        json.dumps(dict(zip(("run", "step", "value"), p, strict=True))) + "\n" for p in points(found)
    )


def records(found: list[Run]) -> str:
    return json.dumps([dict(zip(("run", "step", "value"), p, strict=True)) for p in points(found)])


def log_history(found: list[Run]) -> str:
    """As a trainer writes its state: on many lines, and with other keys."""
    return json.dumps({"best_metric": None, "log_history": json.loads(records(found))}, indent=2)


def lists(found: list[Run]) -> str:
    """With null for a hole."""
    tables = {run.name: dict(zip(run.steps, run.values, strict=True)) for run in found}
    steps = sorted({step for run in found for step in run.steps})
    return json.dumps(
        {"step": steps} | {name: [table.get(step) for step in steps] for name, table in tables.items()}
    )


@pytest.mark.parametrize("write", [wide, long, lines, records, log_history, lists])
@given(found=some_runs())
def test_what_is_written_is_read(write, found):
    """Whatever the names and the numbers."""
    assert runs.parse(write(found), "log") == found


pieces = [*",;|:\t\n\r {}[]\"a1\0\ufeff", "step", "run", "value", "0.5", "0,5", "nan", "1e999", "null",
          '{"step": 1, "value": 2}', "\n1,2", "\n2,3"]  # fmt: skip
garbage = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(pieces), max_size=30).map("".join))


@given(text=garbage, sep=st.sampled_from([None, ",", ";", " ", "|", "\t"]), decimal=st.sampled_from(".,"))
def test_any_text_is_runs_or_a_sentence(text, sep, decimal):
    """Never another exception, and both keep what they promise."""
    said, found = "a sentence", [Run("a", [1], [1])]
    try:
        found = runs.parse(text, "log", sep=sep, decimal=decimal)
    except UserError as error:
        said = str(error)
    assert said.isprintable()
    for run in found:
        assert len(run.steps) == len(run.values) > 0 and run.steps == sorted(set(run.steps))
