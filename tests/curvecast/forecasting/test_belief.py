"""Guards curvecast/forecasting/belief.py: what is odd scores low, what the prior itself draws does not."""

import math

import numpy as np
import pytest

from curvecast.curves import prior
from curvecast.forecasting import belief, shipped
from curvecast.forecasting.doubts import RARE

X = np.arange(1.0, 101)


@pytest.fixture(scope="module")
def network():
    return shipped.load()


def share(network, y):
    (odd,) = belief.oddness(network.network, [(X[: len(y)], y)])
    return belief.in_prior(network.table, len(y), float(odd))


def test_normal_scores_that_are_normal_are_not_odd():
    """Of independent normal z few get a small chance, and about as few as it says."""
    chances = belief.chance(np.random.default_rng(0).normal(size=(2000, 20)))
    assert 0.005 < (chances < 0.05).mean() < 0.06


@pytest.mark.parametrize(
    "z",
    [
        np.linspace(-3, 3, 30) * 2,  # too far out
        np.full(30, 0.9),  # all to one side
        np.sort([1.0, 1.0, 1.0, -1.0, -1.0, -1.0] * 8),  # one like the one before
        np.array([0.1, -0.2, 7.0, 0.3, -0.1]),  # one out of line
    ],
)
def test_each_of_the_four_ways_to_be_odd_is_seen(z):
    assert belief.chance(z[None]) < 0.01


def test_no_chance_is_more_than_one_and_one_value_is_enough():
    assert belief.chance(np.zeros((1, 1))) == 1.0
    assert 0 < belief.chance(np.array([[9.0]])) < 1e-10


def test_curves_of_the_prior_are_rarely_called_odd(network):
    """Others than those of the table."""
    y = prior.test_set(100).noisy[:, :20].numpy()
    found = [share(network, row) for row in y]
    assert sum(s < 0.01 for s in found) <= 6
    assert 0.3 < sum(s < 0.5 for s in found) / 100 < 0.7


def test_a_run_that_breaks_down_is_odd(network):
    curve = 0.2 + 0.6 * (1 - np.exp(-X[:30] / 8)) + 0.01 * np.sin(17 * X[:30])
    assert share(network, curve) > 0.05
    assert share(network, np.where(X[:30] > 25, 0.1, curve)) < RARE
    lone = np.where(
        X[:30] == 15, 0.1, curve
    )  # the laws of real runs hold such points, the paper's prior does not
    assert share(shipped.load("paper-prior"), lone) < 0.01


def test_the_share_rises_with_the_score_and_stays_between_its_ends():
    table = belief.Table([2, 10], [0.01, 0.1, 1.0], [[1e-6, 1e-3, 1.0], [1e-9, 1e-4, 1.0]])
    found = [belief.in_prior(table, 2, score) for score in (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 0.1, 1.0)]
    assert found == sorted(found) and found[0] == 0.01 and found[-1] == 1.0
    assert belief.in_prior(table, 2, 1e-3) == pytest.approx(0.1)
    assert belief.in_prior(table, 10, 1e-4) == pytest.approx(0.1)
    assert belief.in_prior(table, 2, math.sqrt(1e-9)) == pytest.approx(0.055)
    halfway = belief.in_prior(table, 4, 1e-4) - belief.in_prior(table, 10, 1e-4)
    whole = belief.in_prior(table, 2, 1e-4) - belief.in_prior(table, 10, 1e-4)
    assert halfway / whole == pytest.approx(1 - math.log(4 / 2) / math.log(10 / 2))
