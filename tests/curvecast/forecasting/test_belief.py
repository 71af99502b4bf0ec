"""Guards belief.py and doubts.py: what is odd scores low, what the prior itself draws does not, and doubts are told."""

import math

import numpy as np
import pytest

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting import belief, shipped
from curvecast.forecasting.doubts import RARE

X = np.arange(1.0, 101)


def share(y, network=None):
    told = shipped.load(network)
    (odd,) = belief.oddness(told.network, [(X[: len(y)], y)])
    return belief.in_prior(told.table, len(y), float(odd))


def test_normal_scores_that_are_normal_are_not_odd():
    """Of independent normal z few get a small chance, and about as few as it says; one value is enough."""
    chances = belief.chance(np.random.default_rng(0).normal(size=(2000, 20)))
    assert 0.005 < (chances < 0.05).mean() < 0.06
    assert belief.chance(np.zeros((1, 1))) == 1.0 and 0 < belief.chance(np.array([[9.0]])) < 1e-10


@pytest.mark.parametrize("z", [
    np.linspace(-3, 3, 30) * 2,  # too far out
    np.full(30, 0.9),  # all to one side
    np.sort([1.0, 1.0, 1.0, -1.0, -1.0, -1.0] * 8),  # one like the one before
    np.array([0.1, -0.2, 7.0, 0.3, -0.1]),  # one out of line
])  # fmt: skip
def test_each_of_the_four_ways_to_be_odd_is_seen(z):
    assert belief.chance(z[None]) < 0.01


def test_curves_of_the_prior_are_rarely_called_odd():
    """Others than those of the table."""
    found = np.array([share(row) for row in prior.test_set(100).noisy[:, :20].numpy()])
    assert (found < 0.01).sum() <= 6 and 0.3 < (found < 0.5).mean() < 0.7


def test_a_run_that_breaks_down_is_odd():
    """The laws of real runs hold single points far out, the paper's prior does not."""
    x = X[:30]
    curve = 0.2 + 0.6 * (1 - np.exp(-x / 8)) + 0.01 * np.sin(17 * x)
    assert share(curve) > 0.05 and share(np.where(x > 25, 0.1, curve)) < RARE
    assert share(np.where(x == 15, 0.1, curve), "paper-prior") < 0.01


def test_the_share_rises_with_the_score_and_stays_between_its_ends():
    """Between two levels by a line in the logarithm of the score, between two rows in that of the length."""
    table = belief.Table([2, 10], [0.01, 0.1, 1.0], [[1e-6, 1e-3, 1.0], [1e-9, 1e-4, 1.0]])
    found = [belief.in_prior(table, 2, score) for score in (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 0.1, 1.0)]
    assert found == sorted(found) and found[0] == 0.01 and found[-1] == 1.0
    assert belief.in_prior(table, 2, 1e-3) == belief.in_prior(table, 10, 1e-4) == pytest.approx(0.1)
    assert belief.in_prior(table, 2, math.sqrt(1e-9)) == pytest.approx(0.055)
    two, four, ten = (belief.in_prior(table, seen, 1e-4) for seen in (2, 4, 10))
    assert (four - ten) / (two - ten) == pytest.approx(1 - math.log(2) / math.log(5))


@pytest.mark.parametrize(("values", "how", "words"), [
    ([0.69, 0.6, 0.55], {}, "if lower is better, set"),
    ([0.5, 0.6, 0.7], {"metric": "error"}, "if higher is better, set"),
    ([0.5 + 0.001 * i for i in range(50)], {"steps": [100_000 + 10 * i for i in range(50)]}, "subtract the start"),
    ([0.4] * 12, {}, "has hardly moved yet"), ([0.4] * 12, {"metric": "loss"}, "has hardly moved yet"),
])  # fmt: skip
def test_what_speaks_against_a_forecast_is_told(values, how, words):
    """The other direction, steps that begin far away, a run that stands still."""
    assert any(words in text for text in forecast(values, check=False, **how).warnings)


@pytest.mark.parametrize("metric", ["accuracy", "loss"])
@pytest.mark.parametrize("noise", [0.003, 0.03])
def test_noise_around_a_constant_is_told_and_forecast(metric, noise):
    """Of forty such runs a few seem to rise."""
    runs = 0.4 + noise * np.random.default_rng(0).normal(size=(40, 12))
    found = forecast(runs.tolist(), metric=metric, check=False)
    assert all(np.isfinite(run.median).all() for run in found)
    assert sum(bool(run.warnings) for run in found) >= 32


def test_nothing_speaks_against_a_run_that_moves():
    """A usual one, a slow rise, one that has ended, and one in noise."""
    t, noise = np.arange(1, 21), 0.02 * np.random.default_rng(1).normal(size=20)
    for run in (0.6 - 0.3 / t[:5], 0.3 + 0.004 * t, 0.8 - 0.5 * np.exp(-t), 0.6 - 0.4 / t + noise):
        assert not forecast(run.tolist(), check=False).warnings
