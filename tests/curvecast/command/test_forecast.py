"""Guards `curvecast forecast`: what is printed, how bad input is told, and which runs calibrate the bands of others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from curvecast import forecast
from curvecast.__main__ import main
from curvecast.command import terminal
from curvecast.ground import progress
from tests.fuzz import events, scalar

CSV = "step,a,b\n1,0.31,0.2\n2,0.42,0.3\n3,0.48,\n4,0.52,0.4\n"
ENDED = [np.round(0.3 + 0.05 * i + 0.3 * (1 - np.arange(1, 21) ** -0.7), 4) for i in range(4)]
GOING = np.round(0.4 + 0.3 * (1 - np.arange(1, 7) ** -0.7), 4)


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(CSV)
    return str(path)


def test_json_has_the_promised_fields_and_the_numbers_of_the_python_call(runs, told):
    found = told(runs)
    fields = {*forecast([0.3, 0.4]).to_dict(), "prob_beats_best"}
    assert [set(run) for run in found] == [fields, fields]
    both = forecast([[0.31, 0.42, 0.48, 0.52], [0.2, 0.3, None, 0.4]])
    for run, expected in zip(found, both, strict=True):
        assert np.allclose(run["median"], expected.median, atol=1e-4)
        assert run["prob_beats_best"] == pytest.approx(expected.prob_beats(0.52), abs=1e-3)


@pytest.mark.parametrize(("options", "words", "text"), [
    *((*case, "step,a\n20,0.1\n") for case in (
        ("--beat 80", "give a number from 0 to 1"), ("--beat nan", "give a number"),
        ("--weights no.safetensors", "no weights at"), ("--watch -1", "seconds between two checks"),
        ("--watch inf", "--watch inf: give the seconds between two checks"),
        ("--bounds low 1", "'low' is neither a number nor the word none"),
        ("-o - --json", "both write to standard output"), ("--ends-at 0", "--ends-at 0: give the last planned step"),
        ("--ends-at nan", "--ends-at nan: give the last planned step"),
        ("--ends-at 10", "run 'a' has reached step 20, after --ends-at 10"),
        ("--ends-at 20 --horizon 30", "--horizon 30 is after --ends-at 20"))),
    ("", "if these are percent", "step,a\n1,93.1\n2,94\n"), ("", "pass --metric loss", "step,val_loss\n1,0.6\n2,0.5\n"),
    ("", "pass --metric accuracy", "run,step,value\nfocal loss,1,0.5\nfocal loss,2,0.6\n"),
    ("--value loss", "pass --metric loss", "run,step,loss\na,1,0.5\na,2,0.4\n"),
    ("--value eval_loss", "pass --metric loss", '[{"step": 1, "eval_loss": 0.5}]'),
    ("", "such as --value 'val_acc'", "epoch,acc,loss,val_acc\n0,0.1,0.9,0.1\n"),
])  # fmt: skip
def test_bad_input_is_one_sentence_with_status_2(tmp_path, complaint, options, words, text):
    path = tmp_path / "runs.csv"
    path.write_text(text)
    said = complaint("forecast", path, *options.split())
    assert words in said and said.startswith("curvecast") and list(tmp_path.iterdir()) == [path]


def test_bounds_and_separators_that_no_shell_passes_have_names_and_a_value_to_beat_is_told(tmp_path, told):
    path = tmp_path / "runs.txt"
    path.write_text("step\tscore, all\n1\t-400\n2\t200\n")
    (run,) = told(path, "--sep", "tab", "--bounds", "-1e3", "NONE", "--beat", 300)
    expected = forecast([-400, 200], bounds=(-1000, np.inf), check=False)
    assert run["name"] == "score, all" and np.allclose(run["median"], expected.median, atol=0.1)
    assert run["prob_beats_best"] == pytest.approx(expected.prob_beats(300), abs=1e-3)


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two files of one name, seen from the folder above."""
    monkeypatch.chdir(tmp_path)
    for folder, values in (("x", (0.5, 0.6, 0.65)), ("y", (0.1, 0.12, 0.13))):
        Path(folder).mkdir()
        Path(folder, "log.csv").write_text("step,a\n1,{}\n2,{}\n3,{}\n".format(*values))
    return ["x/log.csv", "y/log.csv"]


@pytest.mark.parametrize(("row", "options", "said"), [
    ("step,a\n1,x", "", "z.csv, line 2"), ("step,val_loss\n1,0.5", "", "such as --value 'a'"),
    ("step,a\n1,1", "-o z.csv", "z.csv is one of the files that are read"),
    ("step,a\n1,1", "no.csv", "there is no file no.csv"),
    ("step,a\n1,1", "no.csv --watch", "there is no file no.csv to watch"),
])  # fmt: skip
def test_one_bad_file_of_several_is_one_sentence_and_nothing_is_printed(two, complaint, row, options, said):
    Path("z.csv").write_text(f"{row}\n")
    assert said in complaint("forecast", *two, "z.csv", *(options or "-o bands.csv").split())
    assert sorted(os.listdir()) == ["x", "y", "z.csv"]


def shell(*arguments, **more):
    command = [sys.executable, "-m", "curvecast", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=120, **more)


@pytest.mark.slow
def test_standard_input_is_read_and_bands_in_a_pipe_are_those_of_the_file(tmp_path):
    falls = ("step,ä\n" + "".join(f"{i},{0.9 - i / 10}\n" for i in range(1, 7))).encode()
    piped = shell("forecast", "-o", "-", input=falls, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    filed = shell("forecast", "-o", tmp_path / "bands.csv", input=falls)
    assert piped.returncode == filed.returncode == 0 and filed.stdout.startswith(b"run")
    assert piped.stdout == (tmp_path / "bands.csv").read_bytes() and piped.stdout.startswith(b"run,step,")
    assert b"it falls" in piped.stderr
    assert shell("forecast", "--watch", input=falls).returncode == 2


@pytest.mark.slow
def test_a_pipe_that_closes_early_is_no_mistake(runs):
    command = f"{sys.executable} -m curvecast forecast {runs} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith('{"runs"') and "Traceback" not in done.stderr


@pytest.fixture
def search(tmp_path):
    """Four runs that came to step 20, one at step 6, one that was stopped at step 15."""
    columns = [*ENDED, GOING, ENDED[0][:15]]
    rows = ([s + 1, *(c[s] if s < len(c) else "" for c in columns)] for s in range(20))
    lines = (",".join(map(str, row)) + "\n" for row in (["step", *"abcd", "going", "stopped"], *rows))
    (tmp_path / "runs.csv").write_text("".join(lines))
    return str(tmp_path / "runs.csv")


@pytest.fixture
def by_name(told):
    return lambda *words: {run["name"]: run for run in told(*words)}


def test_runs_at_the_planned_end_calibrate_the_others_and_set_the_horizon(search, by_name, said):
    found = by_name(search, "--ends-at", 20)
    counts = {"a": 0, "b": 0, "c": 0, "d": 0, "going": 4, "stopped": 4}
    assert {name: run["finished_runs"] for name, run in found.items()} == counts
    assert found["a"]["steps"] == [] and found["going"]["steps"][-1] == 20
    alone = forecast(GOING, finished=ENDED, check=False)
    assert np.allclose(found["going"]["median"], alone.median, atol=1e-4)
    out = said("forecast", search, "--ends-at", "20")
    assert "Intervals calibrated on 4 finished runs." in out and "has ended" in out
    text = said("forecast", search, "--ends-at", "20", "--no-finished")
    assert "calibrated" not in text and "The horizon is step 20" in text


def state(path, steps, planned, epochs=None):
    history = [{"step": s, "epoch": s / 10, "eval_accuracy": 0.6 - 1 / s} for s in steps]
    path.write_text(json.dumps({"log_history": history, "max_steps": planned, "num_train_epochs": epochs}))
    return str(path)


def test_the_log_of_a_trainer_tells_its_planned_end(tmp_path, by_name):
    """The last look may lie before it by less than the usual gap; of several the largest counts; a later horizon ends it."""
    going = state(tmp_path / "going.json", range(10, 60, 10), 105)
    ended = state(tmp_path / "ended.json", range(10, 110, 10), 105)
    short = state(tmp_path / "short.json", range(10, 60, 10), 50)
    how = (going, ended, short, "--value", "eval_accuracy", "--step", "step")
    found = by_name(*how)
    assert [run["finished_runs"] for run in found.values()] == [1, 0, 1]
    assert found["going.json: going"]["steps"][-1] == 100
    assert by_name(*how, "--horizon", 200)["going.json: going"]["finished_runs"] == 0
    by_epoch = state(tmp_path / "epochs.json", range(10, 60, 10), 105, epochs=8)
    assert by_name(by_epoch, "--value", "eval_accuracy", "--step", "epoch")["epochs"]["steps"][-1] == 8


def test_a_logged_rate_that_reaches_the_horizon_is_the_plan_of_all_runs(tmp_path, told, complaint):
    def written(name, **lasts):
        """Runs up to their last epochs; the rate drops at epoch 11, that of c at epoch 3."""
        epochs = [(run, e) for run, last in lasts.items() for e in range(1, last + 1)]
        drops = (0.1 if e < (3 if run == "c" else 11) else 0.01 for run, e in epochs)
        points = [(run, e, round(0.5 - 0.4 / e, 4), lr) for (run, e), lr in zip(epochs, drops, strict=True)]
        head = ("run", "step", "acc", "lr")
        rows = [",".join(map(str, row)) for row in (head, *points)]
        if name.endswith("jsonl"):
            rows = [json.dumps(dict(zip(head, point, strict=True))) for point in points]
        (tmp_path / name).write_text("\n".join([*rows, ""]))
        return tmp_path / name

    path, asked = written("log.csv", a=20, b=5), ("--value", "acc", "--horizon", 20)
    by_rate = told(path, *asked, "--rate", "lr")
    assert by_rate == told(path, *asked, "--schedule", "0:0.1,11:0.01")
    assert by_rate == told(written("log.jsonl", a=20, b=5), *asked, "--rate", "lr")
    assert by_rate[1]["median"] != told(path, *asked)[1]["median"]
    other, begun = written("other.csv", a=20, c=5), written("begun.csv", b=5)
    for log, words, sentence in (
        (path, "--value acc --rate lr --schedule cosine", "use one of them"),
        (path, "--value acc --rate rate", "pass --rate with one of"), (path, "--rate lr", "with --value"),
        (path, "--value acc --rate lr --horizon 30", "logged up to step 20, and the horizon is 30"),
        (path, "--value acc --rate lr --log-steps", "--log-steps knows no learning rate"),
        (path, "--value acc --log-steps --ends-at 30", "give --horizon in place of --ends-at"),
        (path, "--value acc --log-steps --best", "each curve has a horizon of its own"),
        (other, "--value acc --rate lr --horizon 20", "run 'c' had another rate than 'a'"),
        (begun, "--value acc --rate lr", "logged up to step 5, and the horizon is 100"),
    ):  # fmt: skip
        assert sentence in complaint("forecast", log, *words.split())


def test_each_of_many_runs_is_forecast_as_alone_and_it_says_how_far(tmp_path, monkeypatch, capsys):
    """Intervals agree to a millionth; in_prior multiplies what single precision leaves out."""
    for pause in ("SHORT", "BETWEEN"):
        monkeypatch.setattr(progress, pause, 0)
    monkeypatch.setattr(terminal, "AT_ONCE", 7)  # several groups, as of ten thousand
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    values = 0.9 - 0.8 * np.arange(1, 13) ** -np.linspace(0.3, 1.2, 20)[:, None]
    for i, run in enumerate(values):
        (tmp_path / f"run{i}").mkdir()
        logged = (scalar(step, y) for step, y in enumerate(run, 1))
        (tmp_path / f"run{i}" / "events.out.tfevents.1").write_bytes(events(*logged))
    assert main(["forecast", str(tmp_path), "--json", "--horizon", "100"]) == 0
    out, said = capsys.readouterr()
    assert "20 of 20 runs read, 0 s left" in said and "20 of 20 runs, 0 s left" in said
    for one in json.loads(out)["runs"]:
        known = values[int(one["name"].removeprefix("run"))]
        alone = forecast(known, horizon=100, check=False).to_dict()
        for name in ("steps", "median", "q05", "q95"):
            np.testing.assert_allclose(one[name], alone[name], atol=1e-6)
        assert one["in_prior"] == pytest.approx(alone["in_prior"], abs=1e-4)
