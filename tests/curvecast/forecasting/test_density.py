"""Guards curvecast/forecasting/density.py and buckets.py: the density of torch, in numpy, wherever the mixture lies."""

import numpy as np
import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting.buckets import Buckets
from curvecast.forecasting.density import Density
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.mixture import MixtureBars

BORDERS = make_borders(BarsConfig(), PriorConfig()).double()
Y = np.array([-2.0, -0.3, 0.0, 0.2, 0.5, 0.500001, 0.9, 1.0, 1.4, 3.0])


@pytest.fixture(scope="module", params=["narrow", "usual", "wide", "outside"])
def pair(request):
    """The same mixtures (4, 10) of 10 components, of numpy and of torch."""
    rng = np.random.default_rng(0)
    width, centre = {"narrow": (0.001, 0.5), "usual": (0.05, 0.5), "wide": (1.0, 0.5), "outside": (0.1, 1.5)}[
        request.param
    ]
    log_w = np.log(rng.dirichlet(np.ones(10), (4, 10)))
    means, scales = centre + width * rng.normal(size=(4, 10, 10)), width * rng.uniform(0.3, 3, (4, 10, 10))
    return Density(Buckets(BORDERS.numpy()), log_w, means, scales), MixtureBars(
        BORDERS, *map(torch.from_numpy, (log_w, means, scales))
    )


@pytest.mark.parametrize("level", [1e-6, 0.05, 0.5, 0.999999])
def test_quantiles(pair, level):
    ours, theirs = pair
    assert np.allclose(ours.quantile(level), theirs.quantile(level), atol=1e-9)
    assert np.allclose(ours.cdf(ours.quantile(level)), level, atol=1e-9)


def test_levels_for_each_and_several_at_once(pair):
    ours, _ = pair
    each = np.linspace(0.05, 0.95, 10)
    together = ours.quantile(np.array([0.1, 0.9])[:, None, None])
    assert together.shape == (2, 4, 10)
    assert np.allclose(together[1], ours.quantile(0.9), atol=1e-12)
    assert np.allclose(ours.quantile(each)[:, 3], ours.quantile(each[3])[:, 3], atol=1e-12)


@pytest.mark.parametrize("ask", ["cdf", "exceeds"])
def test_chances(pair, ask):
    ours, theirs = pair
    y = np.broadcast_to(Y, (4, 10)).copy()
    found, expected = getattr(ours, ask)(y), getattr(theirs, ask)(torch.from_numpy(y)).numpy()
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_log_densities(pair):
    """Where there is mass: what lies far beyond all components is left to the floor."""
    ours, theirs = pair
    y = ours.quantile(np.linspace(0.001, 0.999, 10))
    assert np.allclose(ours.log_density(y), theirs.log_density(torch.from_numpy(y)).numpy(), atol=1e-7)
    far = ours.log_density(np.full((4, 10), 50.0))
    assert np.isfinite(far).all() and (far < -60).all()


@pytest.mark.parametrize("bounds", [(), (0, 1), (0.4, 0.6)])
def test_means(pair, bounds):
    ours, theirs = pair
    assert np.allclose(ours.mean(*bounds), theirs.mean(*bounds).numpy(), atol=1e-8)


@pytest.mark.parametrize("bounds", [(), (0, 1), (0.4, 0.6)])
def test_means_in_float32(pair, bounds):
    """Which are summed over fewer places, where the components are wide enough."""
    ours, theirs = pair
    parts = (part.astype(np.float32) for part in (ours.log_w, ours.means, ours.scales))
    small = Density(Buckets(BORDERS.numpy().astype(np.float32)), *parts)
    assert np.allclose(small.mean(*bounds), theirs.mean(*bounds).numpy(), atol=1e-5)


def test_some_of_them(pair):
    ours, _ = pair
    assert np.array_equal(ours[1, 2:4].quantile(0.3), ours.quantile(0.3)[1, 2:4])
    assert np.array_equal(ours[np.array([2, 0])].means, ours.means[[2, 0]])
