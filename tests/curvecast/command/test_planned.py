"""Guards curvecast/command/planned.py by the command: which runs calibrate the bands of the others, and to which horizon."""

import json

import numpy as np
import pytest

from curvecast import forecast
from curvecast.__main__ import main

ENDED = [np.round(0.3 + 0.05 * i + 0.3 * (1 - np.arange(1, 21) ** -0.7), 4) for i in range(4)]
GOING = np.round(0.4 + 0.3 * (1 - np.arange(1, 7) ** -0.7), 4)


@pytest.fixture
def runs(tmp_path):
    """Four that came to step 20, one at step 6, one that was stopped at step 15."""
    columns = [*ENDED, GOING, ENDED[0][:15]]
    rows = [[f"{c[s]}" if s < len(c) else "" for c in columns] for s in range(20)]
    path = tmp_path / "runs.csv"
    lines = ["step,a,b,c,d,going,stopped", *(f"{s + 1}," + ",".join(row) for s, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def by_name(told):
    return lambda *words: {run["name"]: run for run in told(*words)}


def state(path, steps, planned, last=0.6, epochs=None):
    history = [{"step": s, "epoch": s / 10, "eval_accuracy": last - 1 / s} for s in steps]
    path.write_text(json.dumps({"log_history": history, "max_steps": planned, "num_train_epochs": epochs}))
    return str(path)


def test_without_a_planned_end_nothing_has_finished(runs, by_name):
    found = by_name(runs)
    assert {run["finished_runs"] for run in found.values()} == {0} and found["a"]["steps"][-1] == 100


def test_runs_at_the_planned_end_calibrate_the_others_and_set_the_horizon(runs, by_name):
    """As the call does; one that was stopped early is no evidence, and one that finished not its own."""
    found = by_name(runs, "--ends-at", 20)
    assert {name: run["finished_runs"] for name, run in found.items()} == {
        "a": 0, "b": 0, "c": 0, "d": 0, "going": 4, "stopped": 4
    }  # fmt: skip
    assert found["a"]["steps"] == [] and found["going"]["steps"][-1] == 20
    alone = forecast(GOING, finished=ENDED, check=False)
    assert np.allclose(found["going"]["median"], alone.median, atol=1e-4)


def test_the_table_says_so_and_can_be_told_not_to(runs, capsys):
    assert main(["forecast", runs, "--ends-at", "20"]) == 0
    assert "Intervals calibrated on 4 finished runs." in capsys.readouterr().out
    assert main(["forecast", runs, "--ends-at", "20", "--no-finished"]) == 0
    text = capsys.readouterr().out
    assert "calibrated" not in text and "The horizon is step 20" in text


def test_an_end_that_no_run_has_reached_is_the_horizon_alone(runs, by_name):
    found = by_name(runs, "--ends-at", 40)
    assert found["a"]["steps"][-1] == 40 and found["a"]["finished_runs"] == 0


def test_the_log_of_a_trainer_tells_its_planned_end(tmp_path, by_name):
    """The last look may lie before it by less than the usual gap; of several the largest counts."""
    going = state(tmp_path / "going.json", range(10, 60, 10), 105)
    ended = state(tmp_path / "ended.json", range(10, 110, 10), 105)
    short = state(tmp_path / "short.json", range(10, 60, 10), 50)
    found = by_name(going, ended, short, "--value", "eval_accuracy", "--step", "step")
    assert [run["finished_runs"] for run in found.values()] == [1, 0, 1]
    assert found["going.json: going"]["steps"][-1] == 100
    by_epoch = state(tmp_path / "epochs.json", range(10, 60, 10), 105, epochs=8)
    assert by_name(by_epoch, "--value", "eval_accuracy", "--step", "epoch")["epochs"]["steps"][-1] == 8


def test_an_earlier_horizon_keeps_them_and_a_later_one_does_without(tmp_path, by_name):
    ended = state(tmp_path / "ended.json", range(10, 110, 10), 100)
    going = state(tmp_path / "going.json", range(10, 60, 10), 100)
    how = (ended, going, "--value", "eval_accuracy", "--step", "step", "--horizon")
    assert by_name(*how, 200)["going.json: going"]["finished_runs"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ends-at", "0"], "--ends-at 0: give the last planned step"),
        (["--ends-at", "nan"], "--ends-at nan: give the last planned step"),
        (["--ends-at", "10"], "run 'a' has reached step 20, after --ends-at 10"),
        (["--ends-at", "20", "--horizon", "30"], "--horizon 30 is after --ends-at 20"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(runs, options, words, complaint):
    assert words in complaint("forecast", runs, *options)
