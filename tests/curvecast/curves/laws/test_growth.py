"""Guards curvecast/curves/laws/growth.py: every shape starts at 0, never falls and does not pass 1."""

import pytest
import torch

from curvecast.curves.laws import growth
from tests.curvecast.curves.laws.some_runs import N, X, dice


@pytest.mark.parametrize("shape", growth.SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_rises_from_0_and_stays_within_1(shape):
    """For the half-times and the sharpness that are drawn."""
    drawn = dice()
    grown = shape(X - 1, drawn.log_uniform(*growth.HALF_TIME), drawn.normal(0, 0.6).exp())
    assert grown[:, 0].max() < 1e-7
    assert (grown.diff(dim=1) >= 0).all() and grown.max() <= 1 + 1e-12
    assert (grown[:, -1] > 0).all()


@pytest.mark.parametrize("shape", [growth.exponential, growth.janoschek, growth.hill, growth.logistic])
def test_half_of_it_is_there_at_the_half_time(shape):
    """Whatever the sharpness; the logistic curve starts at 0, and so it is there up to 2 % later."""
    half, sharp = torch.full((20, 1), 30.0), torch.linspace(0.5, 3, 20)[:, None]
    grown = shape(torch.tensor([[30.0]]), half, sharp)
    assert (grown - 0.5).abs().max() < (0.07 if shape is growth.logistic else 1e-6)


def test_no_end_is_in_sight_where_it_still_goes_on():
    """A power of time is 1 at the hundredth epoch, and the logarithm at the two-hundredth."""
    drawn = dice()
    half, sharp = drawn.log_uniform(*growth.HALF_TIME), drawn.normal(0, 0.6).exp()
    assert torch.allclose(growth.still_going(X[:, -1:] - 1, half, sharp), torch.ones_like(half))
    assert torch.allclose(growth.logarithm(torch.tensor([[growth.SOFT]]), half, sharp), torch.ones_like(half))


def test_some_runs_have_a_second_phase():
    """A single shape is steepest at the first epoch or has one hump; some mixtures have two."""
    fall = torch.cat([torch.zeros(N, 1), growth.growth(X, dice()).diff(dim=1)], 1).diff(dim=1) < -1e-6
    humps = (fall[:, 1:] & ~fall[:, :-1]).sum(1)
    hump = torch.cat([torch.zeros(N, 1), growth._single_shape(X, dice()).diff(dim=1)], 1).diff(dim=1) < -1e-6
    assert ((hump[:, 1:] & ~hump[:, :-1]).sum(1) <= 1).all()
    assert 0.05 < (humps > 1).double().mean() < 0.5


def test_what_is_late_is_exactly_0_until_it_takes_off():
    """Nothing at the first two epochs, then it rises to 1, in no two runs at the same time."""
    grown = growth.late(X, dice())
    waits = (grown == 0).sum(1)
    assert waits.min() >= 2 and len(waits.unique()) > 50
    assert (grown.diff(dim=1) >= 0).all() and grown.max() <= 1
    assert torch.equal(grown == 0, waits[:, None] >= X)
