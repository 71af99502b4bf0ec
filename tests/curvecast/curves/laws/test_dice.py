"""Guards curvecast/curves/laws/dice.py: the laws that are named are those that are drawn, a row for each curve."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.laws.dice import Dice

N = 40_000


@pytest.fixture
def dice():
    return Dice(N, np.random.default_rng(0))


def test_each_power_of_ten_is_as_likely(dice):
    """Log-uniform from 1 to 100: half lies below 10, nothing outside."""
    drawn = dice.log_uniform(1, 100)
    assert drawn.shape == (N, 1) and drawn.min() > 0.9999 and drawn.max() < 100.01
    assert abs((drawn < 10).double().mean() - 0.5) < 5 * 0.5 / math.sqrt(N)


def test_chances_are_kept(dice):
    """What happens with a chance of 0.2 does so in that share; 0 is never and 1 is always."""
    error = 5 * math.sqrt(0.2 * 0.8 / N)
    assert abs(dice.happens(0.2).double().mean() - 0.2) < error
    assert not dice.happens(0.0).any() and dice.happens(1.0).all()
    assert abs(dice.one_of(0.2, torch.ones(N, 1), torch.zeros(N, 1)).mean() - 0.2) < error
