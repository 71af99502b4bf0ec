"""Guards curvecast/forecasting/kept_promises.py: scores of finished runs in, the network's levels for promised ones out."""

import numpy as np
import pytest
import torch

from curvecast.forecasting.kept_promises import DISTANCES, LEVEL, Draw, levels, score

AHEAD = np.array([0.05, 0.3, 0.55, 1.0])
PROMISED = np.array([0.05, 0.25, 0.5, 0.9, 0.99])[:, None] * np.ones(len(AHEAD))


def runs(n, mean=0.0, spread=1.0, seed=0):
    """Scores that are the same at all distances, as those of one run nearly are."""
    return mean + spread * np.random.default_rng(seed).normal(size=(n, 1)) * np.ones(len(DISTANCES))


def normal(z):
    return torch.special.ndtr(torch.tensor(z)).numpy()


def test_many_runs_that_fell_as_promised_change_nothing():
    assert np.allclose(levels(runs(4000), AHEAD).asked(PROMISED), PROMISED, atol=0.02)


def test_many_runs_move_and_stretch_the_bands_as_they_fell():
    asked = levels(runs(4000, mean=0.5, spread=2.0), AHEAD).asked(PROMISED)
    wanted = normal(0.5 + 2 * score(PROMISED, 1 - PROMISED))
    assert np.allclose(asked, wanted, atol=0.02)


def test_few_runs_are_drawn_to_the_network():
    """One run at 2: the middle moves by a quarter of that, where the draw is as strong as three runs."""
    median = levels(np.full((1, len(DISTANCES)), 2.0), AHEAD, Draw(3.0)).asked(np.full((1, len(AHEAD)), 0.5))
    assert np.allclose(median, normal(0.5))


def test_a_stronger_draw_stays_nearer_to_the_network():
    fell, far = runs(5, mean=1.0, spread=2.0), []
    for strength in (1, 3, 30, 1e6):
        asked = levels(fell, AHEAD, Draw(strength, strength)).asked(PROMISED)
        far.append(np.abs(asked - PROMISED).max())
    assert far == sorted(far, reverse=True) and far[-1] < 1e-4


def test_the_band_of_exchangeable_runs_keeps_its_promise():
    """Heavy tails, which mean and spread alone do not know: nineteen runs foretell the twentieth."""
    rng = np.random.default_rng(0)
    t = rng.standard_t(3, size=(600, 20, 1)) * np.ones(len(DISTANCES))
    band = np.array([0.05, 0.95])[:, None] * np.ones(len(AHEAD))
    held = []
    for own in t:
        low, high = levels(own[:19], AHEAD).asked(band)[:, 1]
        held.append(low <= normal(own[19, 0]) <= high)
    assert np.mean(held) == pytest.approx(0.9, abs=0.035)  # three standard errors


def test_the_shape_is_the_runs_own_from_nine_on():
    """Runs of two kinds, far below and far above: half of them within the half band, whatever a normal law says."""
    two = np.repeat([[-1.0], [1.0]], 30, 0) * np.ones(len(DISTANCES))
    normal_shape = levels(two, AHEAD, Draw(0, 0.01, least=1000)).asked(PROMISED)
    own_shape = levels(two, AHEAD, Draw(0, 0.01, shape=0.01)).asked(PROMISED)
    assert normal_shape[1, 0] == pytest.approx(0.25, abs=0.01)
    assert own_shape[1, 0] == pytest.approx(normal(-1.0), abs=0.02)


def test_chances_are_the_levels_read_the_other_way():
    for fell in (runs(4, 1.0, 2.0), runs(30, -0.5, 0.5)):
        own = levels(fell, AHEAD)
        asked = own.asked(PROMISED)
        assert np.allclose(1 - own.above(asked, 1 - asked), PROMISED, atol=1e-6)


def test_levels_rise_with_what_is_promised():
    promised = np.linspace(LEVEL, 1 - LEVEL, 999)[:, None] * np.ones(len(AHEAD))
    for n in (1, 8, 9, 50):
        assert (np.diff(levels(runs(n, 2.0, 3.0), AHEAD).asked(promised), axis=0) >= 0).all()


def test_a_score_keeps_its_digits_on_both_sides():
    z = np.array([-5.5, -1.0, 0.0, 1.0, 5.5])
    assert np.allclose(score(normal(z).astype(np.float32), normal(-z).astype(np.float32)), z, atol=1e-4)


def test_a_run_that_broke_counts_no_more_than_a_score_of_six():
    assert score(np.array([0.0, 1.0]), np.array([1.0, 0.0])).tolist() == [-6.0, 6.0]
