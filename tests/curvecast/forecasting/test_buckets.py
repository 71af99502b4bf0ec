"""Guards curvecast/forecasting/buckets.py: stairs that a wide Gaussian cannot tell apart. The rest in test_density.py."""

import math

import numpy as np
import pytest

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import normal_law
from curvecast.forecasting.buckets import Buckets
from curvecast.networks.bars import BarsConfig, make_borders

BORDERS = make_borders(BarsConfig(), PriorConfig()).double()
OURS = Buckets(BORDERS.numpy())


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
