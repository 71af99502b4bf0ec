"""Guards curvecast/curves/laws/dice.py: the laws that are named are those that are drawn."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.laws.dice import Dice

N = 40_000
GENERATORS = {
    "torch": lambda: torch.Generator().manual_seed(0),
    "numpy": lambda: np.random.default_rng(0),
}


@pytest.fixture(params=GENERATORS)
def dice(request):
    return Dice(N, GENERATORS[request.param]())


def test_uniform_numbers_fill_their_range_evenly(dice):
    """As many in each quarter, none outside, for both kinds of generator (five standard errors)."""
    drawn = dice.uniform(-2, 6)
    assert drawn.shape == (N, 1) and drawn.min() >= -2 and drawn.max() < 6
    quarters = torch.histc(drawn.float(), 4, -2, 6) / N
    assert (quarters - 0.25).abs().max() < 5 * math.sqrt(0.25 * 0.75 / N)


def test_each_power_of_ten_is_as_likely(dice):
    """Log-uniform from 1 to 100: half lies below 10, nothing outside."""
    drawn = dice.log_uniform(1, 100)
    assert drawn.min() > 0.9999 and drawn.max() < 100.01
    assert abs((drawn < 10).double().mean() - 0.5) < 5 * 0.5 / math.sqrt(N)


def test_normal_numbers_have_their_mean_and_size(dice):
    """Mean and standard deviation within five standard errors, as many columns as were asked for."""
    drawn = dice.normal(3, 2, 4)
    error = 5 * 2 / math.sqrt(4 * N)
    assert drawn.shape == (N, 4) and abs(drawn.mean() - 3) < error and abs(drawn.std() - 2) < error


def test_chances_are_kept(dice):
    """What happens with a chance of 0.2 does so in that share; 0 is never and 1 is always."""
    error = 5 * math.sqrt(0.2 * 0.8 / N)
    assert abs(dice.happens(0.2).double().mean() - 0.2) < error
    assert not dice.happens(0.0).any() and dice.happens(1.0).all()
    assert abs(dice.one_of(0.2, torch.ones(N, 1), torch.zeros(N, 1)).mean() - 0.2) < error


@pytest.mark.parametrize("kind", GENERATORS)
def test_the_same_generator_gives_the_same_numbers(kind):
    """A second throw with it gives others."""
    one, two = (Dice(50, GENERATORS[kind]()) for _ in range(2))
    first = one.normal(0, 1, 3)
    assert torch.equal(first, two.normal(0, 1, 3))
    assert not torch.equal(first, one.normal(0, 1, 3))
