"""Guards curvecast/forecasting/buckets.py: the buckets of torch, and stairs that a wide Gaussian cannot tell apart."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import normal_law
from curvecast.forecasting.buckets import Buckets
from curvecast.networks import buckets as in_torch
from curvecast.networks.bars import BarsConfig, make_borders

BORDERS = make_borders(BarsConfig(), PriorConfig()).double()
OURS, THEIRS = Buckets(BORDERS.numpy()), in_torch.Buckets(BORDERS)
Y = np.array([-2.0, -0.3, 0.0, 0.2, 0.5, 0.500001, 0.9, 1.0, 1.4, 3.0])


@pytest.mark.parametrize("ask", ["share_below", "share_above", "within"])
def test_the_same_as_in_torch(ask):
    k = OURS.bucket(Y)
    y = torch.from_numpy(Y)
    assert np.array_equal(k, THEIRS.bucket(y))
    expected = getattr(THEIRS, ask)(y, THEIRS.bucket(y)).numpy()
    assert np.allclose(getattr(OURS, ask)(Y, k), expected, rtol=1e-9, atol=1e-12)


def test_places_in_the_tails_are_those_of_torch():
    below, k = np.array([0.1, 0.9, 0.1, 0.9]), np.array([0, 0, len(OURS) - 1, len(OURS) - 1])
    expected = THEIRS.place(*map(torch.from_numpy, (below, 1 - below, k)))
    assert np.allclose(OURS.in_tail(below, 1 - below, k), expected, atol=1e-9)


@pytest.mark.parametrize("bounds", [(-math.inf, math.inf), (0, 1), (0.4, 0.6)])
def test_stairs_climb_from_the_first_mean_to_the_last(bounds):
    stairs = OURS.stairs(*bounds)
    centres = THEIRS.centres(*bounds).numpy()
    assert len(stairs.at) == len(OURS) - 1
    assert np.allclose(stairs.height, centres, atol=1e-12)


@pytest.mark.parametrize("bounds", [(-math.inf, math.inf), (0, 1), (0.4, 0.6)])
@pytest.mark.parametrize("scale", [0.01, 0.03, 0.2, 1.0])
def test_a_gaussian_four_times_as_wide_finds_no_difference(bounds, scale):
    """The mean of the buckets' means, over many stairs and over few, wherever the Gaussian lies."""
    many, few = OURS.stairs(*bounds), OURS.stairs(*bounds, wide=scale / 4)
    assert len(few.at) < len(many.at) / 1.1
    assert (np.diff(few.at) > 0).all()
    middle = np.linspace(-0.2, 1.3, 301)[:, None]

    def mean(stairs):
        return stairs.height[-1] - normal_law.below((stairs.at - middle) / scale) @ stairs.steps

    assert np.allclose(mean(few), mean(many), atol=1e-6)
    assert np.ptp(mean(many)) > 0.1


@pytest.mark.parametrize("bounds", [(0, 1), (5, 6)])
def test_where_nothing_is_to_be_gathered_nothing_is(bounds):
    many, few = OURS.stairs(*bounds), OURS.stairs(*bounds, wide=1e-9)
    assert np.array_equal(few.at, many.at[many.steps > 0])
    assert few.height[-1] == pytest.approx(many.height[-1])
