"""Guards curvecast/command/terminal.py and the command line around it: what is printed, and how bad input is told."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from curvecast import forecast
from curvecast.__main__ import main

CSV = "step,a,b\n1,0.31,0.2\n2,0.42,0.3\n3,0.48,\n4,0.52,0.4\n"


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(CSV)
    return str(path)


def test_the_table_has_a_line_for_each_run_with_a_sparkline(runs, capsys):
    assert main(["forecast", runs]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["run", "observed"] and [line[0] for line in lines[1:3]] == ["a", "b"]
    assert "│" in lines[1] and "step 100" in lines[-1]


def test_json_has_the_promised_fields_and_the_numbers_of_the_python_call(runs, told):
    found = told(runs)
    fields = {*forecast([0.3, 0.4]).to_dict(), "prob_beats_best"}
    assert [set(run) for run in found] == [fields, fields]
    both = forecast([[0.31, 0.42, 0.48, 0.52], [0.2, 0.3, None, 0.4]])
    for run, expected in zip(found, both, strict=True):
        assert np.allclose(run["median"], expected.median, atol=1e-4)
        assert run["prob_beats_best"] == pytest.approx(expected.prob_beats(0.52), abs=1e-3)


def test_a_long_file_goes_to_one_horizon_and_gives_what_one_call_gives(tmp_path, told):
    """More runs than are forecast between two moves of the progress bar."""
    names = [f"r{i}" for i in range(60)]
    rows = [[0.01 * i + 0.05 * e for i in range(60)] for e in range(1, 5)]
    text = "\n".join(
        ["step," + ",".join(names), *(f"{e + 1}," + ",".join(map(str, row)) for e, row in enumerate(rows))]
    )
    path = tmp_path / "many.csv"
    path.write_text(text + "\n")
    found, together = told(path), forecast(np.array(rows).T, check=False)
    assert [run["name"] for run in found] == names
    assert np.allclose([run["median"][-1] for run in found], [run.median[-1] for run in together], atol=1e-4)


def test_losses_units_and_targets_are_understood(tmp_path, told):
    path = tmp_path / "log.tsv"
    path.write_text("step\tloss\n500\t2.3\n1000\t1.9\n1500\t1.7\n")
    (run,) = told(path, "--metric", "loss", "--horizon", 20_000, "--beat", 1.0)
    assert run["steps"][-1] == 20_000 and 0 < run["prob_beats_best"] < 1


def test_a_run_that_has_ended_keeps_its_last_value(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    path.write_text("step,done,going\n1,0.3,0.2\n2,0.4,0.3\n3,0.5,\n")
    assert main(["forecast", str(path), "--horizon", "3", "--best"]) == 0
    assert "has ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("step,a\n1,93.1\n2,94\n", [], "if these are percent"),
        ("step,val_loss\n1,0.6\n2,0.5\n", [], "lower is better: pass --metric loss"),
        ("step,a\n1,0.1\n", ["--beat", "80"], "give a number from 0 to 1"),
        ("step,a\n1,0.1\n", ["--beat", "nan"], "give a number"),
        ("step,a\n1,0.1\n", ["--weights", "no.safetensors"], "no weights at"),
        ("step,a\n1,0.1\n", ["--watch", "-1"], "seconds between two checks"),
        ("step,a\n1,0.1\n", ["--watch", "inf"], "--watch inf: give the seconds between two checks"),
    ],
)
def test_bad_input_is_one_sentence_with_status_2(tmp_path, complaint, text, options, words):
    path = tmp_path / "runs.csv"
    path.write_text(text)
    said = complaint("forecast", path, *options)
    assert words in said and said.startswith("curvecast: ") and list(tmp_path.iterdir()) == [path]


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two files of one name, seen from the folder above."""
    monkeypatch.chdir(tmp_path)
    for folder, values in (("x", "0.5,0.6,0.65"), ("y", "0.1,0.12,0.13")):
        (tmp_path / folder).mkdir()
        rows = [f"{i},{value}" for i, value in enumerate(values.split(","), 1)]
        (tmp_path / folder / "log.csv").write_text("\n".join(["step,a", *rows, ""]))
    return ["x/log.csv", "y/log.csv"]


def test_several_files_are_one_set_of_runs_that_carry_their_file(two, told, capsys):
    """With --best the one that will probably win comes first."""
    found = told(two[1], "--best", two[0])
    assert [run["name"] for run in found] == ["x/log.csv: a", "y/log.csv: a"]
    assert sum(run["prob_best"] for run in found) == pytest.approx(1)
    assert main(["forecast", *two, "--best"]) == 0
    assert "is best" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", [], "z.csv is empty"),
        ("step,a\n1,x\n", [], "z.csv, line 2"),
        ("step,val_loss\n1,0.5\n", [], "such as --value 'a'"),
        ("step,a\n1,0.5\n", ["-o", "z.csv"], "z.csv is one of the files that are read"),
        ("step,a\n1,0.5\n", ["no.csv"], "there is no file no.csv"),
        ("step,a\n1,0.5\n", ["no.csv", "--watch"], "there is no file no.csv to watch"),
    ],
)
def test_one_bad_file_among_several_is_one_sentence_and_nothing_is_printed(
    two, complaint, text, options, said
):
    with open("z.csv", "w") as file:
        file.write(text)
    assert said in complaint("forecast", *two, "z.csv", *(options or ["-o", "bands.csv"]))
    assert sorted(os.listdir()) == ["x", "y", "z.csv"]


def test_the_name_of_a_file_is_no_sign_of_a_loss(two, capsys):
    """Only what stands in a file says what was measured there."""
    os.rename("y/log.csv", "loss.csv")
    assert main(["forecast", "x/log.csv", "loss.csv"]) == 0
    assert "loss.csv: a" in capsys.readouterr().out


def test_bands_in_a_pipe_are_those_of_the_file_and_warnings_go_elsewhere(tmp_path):
    falls = "step,ä\n" + "".join(f"{i},{0.9 - i / 10}\n" for i in range(1, 7))
    ascii_ = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "curvecast", "forecast", "-o"]
    piped = subprocess.run(
        [*command, "-"], input=falls.encode(), capture_output=True, env=ascii_, timeout=120
    )
    filed = subprocess.run([*command, str(tmp_path / "bands.csv")], input=falls.encode(), timeout=120)
    assert piped.returncode == filed.returncode == 0
    assert piped.stdout == (tmp_path / "bands.csv").read_bytes() and piped.stdout.startswith(b"run,step,")
    assert b"it falls" in piped.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json"], "both write to standard output"),
        (["--watch"], "give -o a file"),
    ],
)
def test_standard_output_is_for_one_thing(runs, complaint, options, said):
    assert said in complaint("forecast", runs, "-o", "-", *options)


def test_a_name_cannot_move_the_cursor(tmp_path, capsys):
    """Control characters of a column's name do not reach the terminal; HTML is a name like any other."""
    path = tmp_path / "runs.csv"
    path.write_text("step,\x1b[31mred,<img src=x onerror=alert(1)>\n1,0.5,0.4\n2,0.6,0.5\n")
    assert main(["forecast", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "<img src=x onerror=alert(1)>" in out


def shell(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "curvecast", *arguments], capture_output=True, text=True, timeout=120, **more
    )


def test_standard_input_is_read():
    done = shell("forecast", input=CSV)
    assert done.returncode == 0 and done.stdout.startswith("run"), done.stderr
    assert shell("forecast", "--watch", input=CSV).returncode == 2


def test_help_imports_no_torch():
    """And says how each command is used, with examples."""
    program = (
        "import contextlib, sys, curvecast.__main__ as m\n"
        "with contextlib.suppress(SystemExit):\n    m.main(sys.argv[1:])\nprint('torch' in sys.modules)"
    )
    for arguments in (["--help"], ["forecast", "--help"], ["completion", "bash"], ["convert", "--list"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60
        )
        assert done.stdout.splitlines()[-1] == "False", arguments
    assert "examples:" in shell("forecast", "--help").stdout


def test_watch_prints_again_when_the_file_grows_and_ends_quietly(tmp_path):
    """A half-written line is no line yet, though 0.4 is a number."""
    path = tmp_path / "log.csv"
    path.write_text("step,a\n1,0.3\n2,0.4\n")
    arguments = [sys.executable, "-u", "-m", "curvecast", "forecast", str(path), "--watch", "0.1"]
    watch = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    os.set_blocking(watch.stdout.fileno(), False)
    seen = ""

    def until(words: str) -> None:
        nonlocal seen
        for _ in range(600):
            with contextlib.suppress(BlockingIOError):
                seen += os.read(watch.stdout.fileno(), 100_000).decode(errors="replace")
            if words in seen:
                return
            time.sleep(0.1)
        watch.kill()
        raise AssertionError(f"{words!r} did not come: {seen}")

    until("   2   0.4")
    with path.open("a") as file:
        file.write("3,0.4")
        file.flush()
        time.sleep(0.3)
        file.write("5\n")
    until("   3  0.45")
    assert "   3   0.4 " not in seen
    watch.send_signal(signal.SIGINT)
    assert watch.wait(30) == 0
    assert "Traceback" not in watch.communicate()[1]


def test_a_pipe_that_closes_early_is_no_mistake(runs):
    command = f"{sys.executable} -m curvecast forecast {runs} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith('{"runs"') and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "options", "said"),
    [
        ("runs.csv", "run,step,value\nfocal loss,1,0.5\nfocal loss,2,0.6\n", [], "pass --metric accuracy"),
        ("runs.csv", "run,step,loss\na,1,0.5\na,2,0.4\n", ["--value", "loss"], "pass --metric loss"),
        ("history.json", '{"val_losses": [0.5, 0.4]}', [], "pass --metric loss"),
        ("state.json", '[{"step": 1, "eval_loss": 0.5}]', ["--value", "eval_loss"], "pass --metric loss"),
        ("keras.csv", "epoch,acc,loss,val_acc\n0,0.1,0.9,0.1\n", [], "such as --value 'val_acc'"),
    ],
)
def test_a_loss_is_never_taken_for_an_accuracy(tmp_path, complaint, name, text, options, said):
    path = tmp_path / name
    path.write_text(text)
    assert said in complaint("forecast", path, *options)
