"""Guards reproduce/protocols/real_curve.py: what of a curve is shown, in which unit, and what a forecast of it is worth."""

import math

import numpy as np
import pytest

from curvecast.scores.quantile_scores import LEVELS
from reproduce.protocols import real_curve
from reproduce.protocols.real_curve import POINTS, SHARES, trial, worth


def accuracy(values):
    return trial(np.asarray(values, float), 0.0, 1.0, False)


def loss(values):
    return trial(np.asarray(values, float), 0.0, math.inf, True)


def test_a_long_curve_is_thinned_evenly_and_keeps_its_ends():
    """A hundred points at most; a short one is left as it is."""
    long = accuracy(np.linspace(0.1, 0.9, 351))
    assert len(long.values) == POINTS and long.values[[0, -1]].tolist() == [0.1, 0.9]
    assert np.diff(long.values).max() < 1.4 * np.diff(long.values).min()
    assert len(accuracy(np.linspace(0, 1, 27)).values) == 27


def test_something_is_shown_and_something_hidden_of_the_shortest_curve():
    """At every share of two points and of a hundred."""
    for n in (2, 3, 20, 100):
        cutoffs = [accuracy(np.linspace(0, 0.5, n)).cutoff(share) for share in SHARES]
        assert min(cutoffs) >= 1 and max(cutoffs) < n and cutoffs == sorted(cutoffs)
    assert cutoffs == [10, 20, 40, 70]


def test_more_is_better_for_the_network_and_nothing_of_the_future_enters():
    """An error is mirrored; the unit of a loss is its first value, whatever follows."""
    assert trial(np.array([0.4, 0.1]), 0, 1, True).seen == pytest.approx([0.6, 0.9])
    one, other = loss([2.0, 1.5, 0.5]), loss([2.0, 1.5, 19.0])
    assert one.seen[:2] == pytest.approx(other.seen[:2]) and (np.diff(one.seen) > 0).all()


def test_what_diverged_is_clipped_and_counted():
    """At ten times the first loss, which the map can still tell; an accuracy keeps its bound."""
    found = loss([0.7, 0.6, 2e19, 0.5])
    assert found.values.tolist() == pytest.approx([0.7, 0.6, 7.0, 0.5]) and found.clipped == 0.25
    assert found.scale.back(found.seen) == pytest.approx(found.values, rel=1e-6)
    assert accuracy([0.1, 0.9]).clipped == 0


def test_a_loss_that_begins_at_its_best_has_no_unit():
    """It cannot be put to anyone."""
    assert loss([0.0, 0.1, 0.1]) is None


def test_a_curve_learns_if_it_ends_clearly_better_than_it_began():
    """By a twentieth of the way that it had."""
    assert accuracy([0.1, *[0.2] * 9]).learns() and not accuracy([0.1, *[0.12] * 9]).learns()
    assert loss([0.7, *[0.6] * 9]).learns() and not loss([0.7, *[0.69] * 9]).learns()
    assert not loss([0.7, *[0.9] * 9]).learns()


@pytest.mark.parametrize("minimise", [False, True])
def test_a_forecast_that_knows_the_truth_has_no_error(minimise):
    """Narrow quantiles around what comes hold it, in either direction; those around something else do not."""
    one = trial(np.linspace(0.2, 0.8, 10), 0, 1, minimise)
    around = one.seen[4:] + 1e-4 * (LEVELS[:, None] - 0.5)
    good, bad = worth(one, 4, around), worth(one, 4, around - 0.1)
    assert good.error < 1e-6 and good.in50 == good.in90 == 1 and good.crps < 1e-4
    assert bad.error == pytest.approx(0.1, rel=0.01) and bad.in90 == 0
    assert bad.below == pytest.approx(np.full(19, 1.0 if minimise else 0.0))


def test_the_farthest_loss_lies_within_reach_of_the_map():
    """Else no band could hold a run that diverged."""
    scale = loss([1.0, 0.5]).scale
    assert float(scale.back(np.array(0.0))) > real_curve.FARTHEST
