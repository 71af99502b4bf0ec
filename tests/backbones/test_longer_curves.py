"""Guards reproduce/backbones/longer_curves: what is shown and asked, in which epochs, and trainings on longer curves."""

from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.backbones.longer_curves import question as longer_curves
from reproduce.backbones.longer_curves.question import ASKED, ON_IT, SCALES, SEEN
from reproduce.backbones.longer_curves.rescaled import on_curves_of


@pytest.mark.parametrize("T", [100, 200, 3200])
def test_a_fifth_is_shown_and_the_last_epoch_is_asked(T):
    shown, asked = longer_curves.places(T, thin=False)
    assert shown.tolist() == list(range(T // 5))
    assert len(asked.unique()) == ASKED and asked.min() >= T // 5 and asked.max() == T - 1
    thin, same = longer_curves.places(T, thin=True)
    assert len(thin) == SEEN and thin.max() == T // 5 - 1 and same.equal(asked)


def told(way: str, T: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The epochs that a forecaster is told."""
    calls = []
    forecaster = SimpleNamespace(
        log_density=lambda x, y, x_query, y_query: calls.append((x, x_query)) or y_query
    )
    longer_curves.likelihood(forecaster, torch.rand(3, T), way)
    return calls[0][0][0], calls[0][1][0]


def test_thinned_and_rescaled_a_long_curve_looks_as_one_of_the_training():
    x, asked = told("thinned", 400)
    assert x.tolist() == list(range(1, SEEN + 1)) and asked.max() == 100


def test_rescaled_points_lie_denser_and_as_they_are_they_lie_beyond():
    x, asked = told("rescaled", 400)
    assert len(x) == 80 and x.max() == 20 and asked.max() == 100
    x, asked = told("as it is", 400)
    assert x.max() == 80 and asked.max() == 400


def test_at_the_length_of_the_training_all_ways_are_one():
    ways = [told(way, 100) for way in longer_curves.WAYS]
    assert all(x.equal(ways[0][0]) and asked.equal(ways[0][1]) for x, asked in ways)


def test_claims_compare_ways_of_reading():
    rows = pd.DataFrame([
        {"backbone": "LSTM", "seed": seed, "length": 400, "way": way, "ll": ll + seed}
        for seed in range(3) for way, ll in (("as it is", 1.0), ("rescaled", 1.4), ("thinned", 1.5 + 0.01 * seed))
    ])  # fmt: skip
    stated = {one.name: one for one in longer_curves.claims(rows, SCALES["paper"])}
    assert stated["lstm_breaks_at_four_times"].value == pytest.approx(0.51)
    assert stated["lstm_breaks_at_four_times"].holds() is False
    assert stated["encoder_breaks_at_four_times"].value is None


def test_a_training_on_longer_curves_reads_as_many_points_in_as_many_steps():
    short = _trainings.training(_rows.reader("LSTM", 2_000), SETTINGS["Muon"], 12_032, 3)
    long = on_curves_of(400, short)
    assert (
        long.curves * 400 == short.curves * 100 and long.curves // long.batch == short.curves // short.batch
    )
    assert long.seed == 3 and long.lr == short.lr


def test_its_epochs_end_at_a_hundred():
    long = on_curves_of(1_600, _trainings.training(_rows.reader("LSTM", 2_000), SETTINGS["Muon"], 64, 0))
    groups = list(long.batches(0, "cpu"))
    assert sum(len(group.x) for group in groups) == 4
    assert max(float(group.x_query.max()) for group in groups) <= 100
    assert all(torch.allclose(group.x[0], torch.arange(1, group.x.shape[1] + 1) / 16) for group in groups)


def test_a_training_on_the_length_is_compared_with_twenty_points():
    rows = pd.DataFrame([
        {"backbone": "LSTM", "seed": seed, "length": 1_600, "way": way, "ll": ll + 0.01 * seed * (way == ON_IT)}
        for seed in range(3) for way, ll in (("thinned", 1.0), (ON_IT, 1.2))
    ])  # fmt: skip
    stated = {one.name: one for one in longer_curves.claims(rows, SCALES["paper"])}
    assert stated["lstm_gains_by_training_on_1600"].value == pytest.approx(0.21)
