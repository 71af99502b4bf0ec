"""Guards reproduce/backbones/_trainings.py: same curves for every row, and a training that breaks."""

import math
from dataclasses import replace

import pandas as pd
import torch

from curvecast.networks.bars import BarsConfig
from reproduce.backbones import _rows, _sweep, _trainings
from reproduce.backbones._trainings import SETTINGS, Setting


def small(name: str, setting: Setting) -> _trainings.TrainConfig:
    config = _trainings.training(_rows.reader(name, 4_000), setting, 128, 3)
    return replace(config, bars=BarsConfig(buckets=50, curves=300))


def test_every_row_sees_the_same_curves_in_the_same_order():
    a, b = (small(name, SETTINGS["Muon"]) for name in ("Elman", "transformer, encoder"))
    for one, other in zip(a.batches(1, "cpu"), b.batches(1, "cpu"), strict=True):
        assert torch.equal(one.y, other.y) and torch.equal(one.x_query, other.x_query)


def test_a_training_whose_loss_is_no_number_gives_nothing():
    """Not an end of the whole question: a row without a score is a finding."""
    assert _trainings.train(small("Elman", Setting("adam", 1e30, 0.0))) is None


def test_threads_are_as_before():
    before = torch.get_num_threads()
    done = _trainings.train(small("Elman", SETTINGS["Adam, 1e-3"]))
    assert done is not None and done.seconds > 0
    assert torch.get_num_threads() == before


def test_the_best_setting_is_that_of_the_highest_likelihood():
    """Never one whose loss was no number."""
    found = pd.DataFrame(
        {"backbone": "LSTM", "setting": ["Adam, 1e-3", "Muon", "Muon, twice"], "ll": [1.0, 1.2, math.nan]}
    )
    assert _sweep.best(found, "LSTM") == "Muon"
