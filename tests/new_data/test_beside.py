"""Guards reproduce/new_data/_beside.py: what is known beside a curve reaches its own forecast, and the scores are its own."""

import numpy as np
import pytest
import torch

from curvecast.scores.baselines import Gaussian
from reproduce.new_data import _beside
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import portions

LENGTHS = (20, 21, 30)
KNOWN = [np.stack([np.arange(n) + 100.0 * i, np.full(n, i)], 1) for i, n in enumerate(LENGTHS)]


@pytest.fixture(scope="module")
def trials():
    """Made-up curves."""
    return [trial(0.9 - 0.7 * np.arange(1.0, n + 1) ** -0.7, 0, 1, False) for n in LENGTHS]


def test_each_point_has_what_is_known_of_it(trials):
    """Whatever lengths are shown at once; behind an end the last is repeated."""
    for share in SHARES:
        for shown in portions(trials, share):
            seen, ahead = _beside.beside(KNOWN, shown)
            assert seen.shape[:2] == shown.y.shape and ahead.shape[:2] == shown.later.shape
            for place, number in enumerate(shown.numbers):
                every = torch.cat([seen, ahead], 1)[place].numpy()
                assert every[: LENGTHS[number]] == pytest.approx(KNOWN[number])
                assert (every[LENGTHS[number] :] == KNOWN[number][-1]).all()


def test_scores_are_those_of_the_forecast_that_a_curve_was_given(trials):
    """A forecaster that is told each curve's own values has no error on any, and one that is told others' has."""

    def knowing(known):
        def answer(shown):
            _, ahead = _beside.beside(known, shown)
            yield (
                torch.arange(len(ahead)),
                Gaussian(ahead.double(), torch.full_like(ahead, 0.01).double()),
            )

        return answer

    own = [one.seen for one in trials]
    rows = _beside.scores(trials, {"right": knowing(own), "turned over": knowing([1 - y for y in own])})
    assert len(rows) == 2 * len(trials) * len(SHARES)
    right, wrong = (rows[rows["method"] == name] for name in ("right", "turned over"))
    assert right["error"].max() < 1e-6 and (right["in90"] == 1).all()
    assert wrong["error"].min() > 0.1 and (wrong["in90"] == 0).any()


@pytest.mark.parametrize("minimise", [False, True])
def test_too_low_is_above_nothing_where_a_run_ends_better_than_the_median(minimise):
    """Better is higher for a score and lower for an error."""
    rising = np.linspace(0.2, 0.8, 20)
    one = trial(1 - rising if minimise else rising, 0, 1, minimise)
    assert _beside.too_low(one, np.full((19, 12), 0.5)) == pytest.approx(rising[-4:].mean() - 0.5)
