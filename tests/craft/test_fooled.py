"""Guards reproduce/craft/fooled/: which way inputs move, how far, and what the claims count."""

import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import forecast
from reproduce.craft.fooled import changes, question
from reproduce.craft.fooled.changes import GRADIENT, RANDOM, STEPS, UP


def test_of_a_linear_score_no_change_of_the_size_raises_more():
    """It rises by the size times the sum of absolute weights, and a mean by the size."""
    weights, x = torch.tensor([0.5, -2.0, 0.25]), torch.zeros(4, 3)
    moved = x + 0.1 * changes.uphill(lambda x: x @ weights, x)
    assert (moved @ weights).tolist() == pytest.approx([0.275] * 4)
    assert (x + 0.1 * changes.uphill(lambda x: x.mean(1), x)).mean(1).tolist() == pytest.approx([0.1] * 4)


def test_several_steps_stay_within_the_size_and_raise_a_bent_score_more_than_one():
    def score(
        x,
    ):  # highest where the first number is moved by half of the size, which one step of the size passes
        return x[:, 1] - 20 * (x[:, 0] - 0.05).abs()

    x = torch.zeros(2, 2)
    there, once = changes.by_steps(score, x, 0.1, 15), x + 0.1 * changes.uphill(score, x)
    assert there.abs().max() <= 0.1 + 1e-6
    assert (score(there) > score(once) + 0.5).all()


def test_random_signs_are_both_and_nothing_else():
    assert set(changes.random_signs(torch.zeros(50, 2), 0).flatten().tolist()) == {-1.0, 1.0}


def test_the_median_is_the_one_that_the_package_forecasts():
    """So that the network attacked is the one in use."""
    y = prior.test_set(3).noisy[:, :20].clamp(0, 1)
    network = torch_network.load(shipped.path_of("paper-prior")).model
    runs = forecast(y.numpy(), weights="paper-prior", check=False)
    theirs = [float(run.quantile(0.5)[-1]) for run in runs]
    assert changes.quantile(network, y).tolist() == pytest.approx(theirs, abs=1e-3)


def test_claims_count_times_the_size_and_random_moves_to_either_side():
    moved = {STEPS: (0.03, 0.02), GRADIENT: (0.01, 0.02), RANDOM: (0.01, -0.01), UP: (0.01, 0.01)}
    forecasts = pd.DataFrame([
        {"change": change, "size": 0.01, "cutoff": 10, "curve": curve, "moved": far, "room": 0.025}
        for change, both in moved.items() for curve, far in enumerate(both)
    ])  # fmt: skip
    digits = pd.DataFrame([
        {"change": change, "size": 0.1, "seed": seed, "accuracy": accuracy + 0.01 * seed}
        for change, accuracy in ((GRADIENT, 0.4), (RANDOM, 0.9)) for seed in range(3)
    ])  # fmt: skip
    found = question.claims({"digits": digits, "forecasts": forecasts}, question.Config())
    assert [claim.value for claim in found] == pytest.approx([0.5, 2.5, 2.5, 0.5])
