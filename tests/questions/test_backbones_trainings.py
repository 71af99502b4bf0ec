"""Guards trainings of backbones: those that smoke scale leaves out, what a row costs, and one that breaks."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

from curvecast.networks.bars import BarsConfig
from reproduce.backbones import _rows, _trainings, memory, state_and_seconds, trial_to_ship
from reproduce.backbones._rows import PFN
from reproduce.backbones._trainings import Setting
from reproduce.backbones.small_tasks import answerer, question
from reproduce.backbones.small_tasks.tasks import ALL_TASKS, FAR

# ----------------------------------------------------------------------------- what no question measures at smoke scale


def test_an_lstm_with_forget_gates_half_open_is_measured_like_the_others():
    half_open, usual = (
        _rows.reader_of(one, 4_000).network(torch.linspace(0, 1, 9)).layers[0].forwards[0].new.bias
        for one in (memory.HalfOpenConfig(layers=2), _rows.FAMILIES["LSTM"])
    )
    forget = slice(len(usual) // 4, len(usual) // 2)
    assert half_open[forget].eq(0).all() and usual[forget].eq(1).all()
    small = replace(memory.SCALES["smoke"], beside=(memory.HALF_OPEN,))
    sweep = pd.DataFrame({"backbone": ["LSTM"], "setting": ["Muon"], "ll": [1.0]})
    found = memory.measure(small, memory.parts(small)[-1], {memory.SWEEP: sweep})
    assert set(found["backbone"]) == {memory.HALF_OPEN} and set(found["when"]) == {"first", "trained"}


@pytest.mark.parametrize("task", ["recall", FAR])
def test_a_longer_training_has_more_steps_and_a_rate_that_half_of_them_chose(monkeypatch, task):
    """Copying from afar tries its rates on copying from nearby."""
    taken = []

    def train(net, task, training, rate, seed):
        taken.append((task, training.steps, rate))
        net.rate = rate
        return 1.0

    monkeypatch.setattr(answerer, "train", train)
    monkeypatch.setattr(answerer, "right", lambda net, *_: 0.9 if net.rate == 1e-2 else 0.3)
    small = replace(question.SCALES["smoke"], longer=((task, "Elman"),), seeds=1)
    found = question.measure(small, question.parts(small)[-1])
    near, far = ALL_TASKS["copying" if task == FAR else task], ALL_TASKS[task]
    assert taken == [(near, 8, 3e-3), (near, 8, 1e-2), (far, 16, 1e-2)]
    assert set(found) == {"longer"} and set(found["longer"]["task"]) == {task}


# ------------------------------------------------------------------------------------------ costs, and what breaks


def test_a_network_beside_itself_costs_once_as_much(monkeypatch):
    """By a clock that counts the curves of a step; and one with three times the curves costs three times as much."""
    monkeypatch.setattr(trial_to_ship, "core_seconds", lambda step: step.func.__self__.config.batch)
    tiny = trial_to_ship.training(trial_to_ship.SCALES["smoke"], "", 0, "Muon")
    assert trial_to_ship.dearer(tiny, tiny) == 1
    assert trial_to_ship.dearer(tiny, replace(tiny, batch=3 * tiny.batch)) == 3


def test_later_rows_cost_what_they_do_beside_all_others_on_a_slower_day():
    first = {PFN: 0.1, "GRU": 0.2, "LSTM": 0.4}
    again = {PFN: 0.2, "GRU": 0.4, "LSTM": 9.0, "minGRU": 0.5, "Gaussian process": float("nan")}
    speeds, times = (
        pd.DataFrame([{name: row, "step": step, "forecast": step / 100} for row, step in day.items()])
        for name, day in (("backbone", first), ("name", again))
    )
    found = state_and_seconds.costs(speeds, times).set_index("backbone")
    assert found["step"]["minGRU"] == pytest.approx(0.25)  # that day took twice as long
    assert found["forecast"]["minGRU"] == pytest.approx(0.0025)
    assert found["step"][PFN] == 0.1 and found["state"][PFN] == state_and_seconds.state_size(PFN, 70)
    assert pd.isna(found["step"]["Gaussian process"]) and "Elman, two layers" not in found.index


def test_a_training_whose_loss_is_no_number_gives_nothing():
    """Not an end of the whole question: a row without a score is a finding."""
    config = _trainings.training(_rows.reader("Elman", 4_000), Setting("adam", 1e30, 0.0), 128, 3)
    config = replace(config, bars=BarsConfig(buckets=50, curves=300))
    assert _trainings.train(config) is None
    assert _trainings.train(replace(config, lr=1e-3)) is not None
