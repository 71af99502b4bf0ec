"""Guards curvecast/networks/mixture.py: the density of bars.py, computed more cheaply."""

import math

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.heads import MixtureHead
from curvecast.networks.mixture import _log_normal_mass, _log_phi, _normal_masses

BORDERS = make_borders(BarsConfig(), PriorConfig())


@pytest.fixture(scope="module", params=["narrow", "usual", "wide", "outside"])
def pair(request):
    """A random mixture and its bars, from the same head."""
    torch.manual_seed(0)
    head = MixtureHead(16, 10, BORDERS)
    shift = {"narrow": -3.0, "usual": 0.0, "wide": 2.0, "outside": 0.0}[request.param]
    with torch.no_grad():
        head.out.weight.mul_(3)
        head.out.bias[20:] += shift
    encoded = torch.randn(4, 7, 16)
    level = torch.linspace(-0.5, 1.5, 4)[:, None] * (3 if request.param == "outside" else 1)
    with torch.no_grad():
        mixture = head.density(encoded, level)
        return mixture, Bars(BORDERS, mixture.log_masses())


@pytest.mark.parametrize("level", [0.001, 0.05, 0.5, 0.95, 0.999])
def test_quantiles_are_those_of_the_bars(pair, level):
    """In both tails too."""
    mixture, bars = pair
    assert torch.allclose(mixture.quantile(level), bars.quantile(level), atol=2e-4)


def test_many_levels_at_once_are_each_alone(pair):
    """For both classes: three levels for all densities, and a separate level for each."""
    for density in pair:
        levels = torch.tensor([0.05, 0.5, 0.95])
        together = density.quantile(levels[:, None, None])
        assert together.shape == (3, 4, 7)
        for level, quantiles in zip(levels.tolist(), together, strict=True):
            assert torch.equal(quantiles, density.quantile(level))
        own = torch.linspace(0.1, 0.9, 28).reshape(4, 7)
        assert torch.equal(density.quantile(own)[2, 3], density.quantile(own[2, 3].item())[2, 3])


@pytest.mark.parametrize("y", [-3.0, -0.2, 0.0, 0.31, 0.5, 0.99, 1.4, 4.0])
def test_chances_are_those_of_the_bars(pair, y):
    """P(Y <= y) and P(Y > y), also far out; one value may be broadcast to all densities."""
    mixture, bars = pair
    at = torch.full((4, 7), y)
    assert torch.allclose(mixture.cdf(at), bars.cdf(at), atol=1e-5)
    assert torch.allclose(mixture.exceeds(at), bars.exceeds(at), atol=1e-5)
    assert torch.allclose(mixture.cdf(torch.tensor(y)), mixture.cdf(at))


@pytest.mark.parametrize("bounds", [(), (0.0, 1.0), (0.4, 0.6)])
def test_the_mean_is_that_of_the_bars(pair, bounds):
    """Without bounds and within them."""
    mixture, bars = pair
    assert torch.allclose(mixture.mean(*bounds), bars.mean(*bounds), atol=1e-4)


def test_likelihood_and_crps_are_those_of_the_bars(pair):
    """The methods that `metrics` uses; masses below 1e-7 lose digits when all K are computed."""
    mixture, bars = pair
    y = torch.linspace(-0.6, 1.6, 28).reshape(4, 7)
    sane = bars.log_density(y) > -12
    assert torch.allclose(mixture.log_density(y)[sane], bars.log_density(y)[sane], atol=2e-3)
    assert torch.allclose(mixture.crps(y), bars.crps(y))


def test_some_of_the_densities_are_what_they_were_among_all(pair):
    """A curve, several curves, some queries of one."""
    for density in pair:
        for rows in (2, slice(1, 3), (1, slice(2, 4))):
            assert torch.allclose(density[rows].quantile(0.3), density.quantile(0.3)[rows], atol=1e-6)


def test_normal_masses_agree_with_the_error_function():
    """Bucket masses of the standard normal against float64 differences of its cdf, relative to themselves."""
    z = torch.linspace(-6, 6, 49)
    exact = torch.special.ndtr(z.double()).diff()
    assert torch.allclose(
        _normal_masses(z)[1:-1].double(), torch.where(exact > 0, exact, 0.0), rtol=2e-3, atol=0
    )


def test_log_phi_and_its_gradient_hold_far_out():
    """log Phi and its slope down to -1e5 and up to 30: torch's own has slope 0 at -5e5."""
    z = torch.tensor([-1e5, -1e3, -50.0, -9.0, -8.0, -7.9, -1.0, 0.0, 3.0, 30.0], requires_grad=True)
    value = _log_phi(z)
    value.sum().backward()
    z64 = z.detach().double()
    exact = torch.where(
        z64 < -9.5, -(z64**2) / 2 - (-z64).log() - 0.5 * math.log(2 * math.pi), torch.special.log_ndtr(z64)
    )
    assert torch.allclose(value.double(), exact, rtol=1e-4, atol=1e-6)
    slope = torch.exp(-(z64**2) / 2 - exact) / math.sqrt(2 * math.pi)
    assert torch.allclose(z.grad.double()[2:], slope[2:], rtol=1e-3, atol=1e-6)
    assert torch.allclose(z.grad[:2], torch.tensor([1e5, 1e3]), rtol=1e-3)


def test_gradients_of_a_bucket_far_away_are_finite_and_point_home():
    """The gradient pulls a component towards the bucket even from a thousand scales away."""
    mean = torch.tensor(0.0, requires_grad=True)
    _log_normal_mass((torch.tensor(0.5) - mean) / 5e-4, (torch.tensor(0.501) - mean) / 5e-4).backward()
    assert torch.isfinite(mean.grad) and mean.grad > 0
