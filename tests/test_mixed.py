"""Guards curvecast/mixed.py: the density of bars.py, by a shorter way."""

import pytest
import torch

from curvecast.bars import Bars, BarsConfig, make_borders
from curvecast.heads import MixtureHead
from curvecast.mixed import Mixed
from curvecast.prior import PriorConfig

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
    found = torch.randn(4, 7, 16)
    level = torch.linspace(-0.5, 1.5, 4)[:, None] * (3 if request.param == "outside" else 1)
    with torch.no_grad():
        return Mixed(BORDERS, *head.mixture(found, level)), Bars(BORDERS, head(found, level))


@pytest.mark.parametrize("level", [0.001, 0.05, 0.5, 0.95, 0.999])
def test_quantiles_are_those_of_the_bars(pair, level):
    mixed, bars = pair
    assert torch.allclose(mixed.quantile(level), bars.quantile(level), atol=2e-4)


def test_many_levels_at_once_are_each_alone(pair):
    mixed, _ = pair
    levels = [0.05, 0.5, 0.95]
    together = mixed.quantile(levels)
    assert together.shape == (3, 4, 7)
    for level, found in zip(levels, together, strict=True):
        assert torch.equal(found, mixed.quantile(level))


@pytest.mark.parametrize("y", [-3.0, -0.2, 0.0, 0.31, 0.5, 0.99, 1.4, 4.0])
def test_chances_are_those_of_the_bars(pair, y):
    mixed, bars = pair
    at = torch.full((4, 7), y)
    assert torch.allclose(mixed.cdf(at), bars.cdf(at), atol=1e-5)
    assert torch.allclose(mixed.exceeds(at), bars.exceeds(at), atol=1e-5)
    assert torch.allclose(mixed.cdf(torch.tensor(y)), mixed.cdf(at))


def test_the_cdf_of_a_quantile_is_its_level(pair):
    mixed, _ = pair
    level = torch.rand(3, 4, 7, generator=torch.Generator().manual_seed(1)) * 0.98 + 0.01
    assert torch.allclose(mixed.cdf(mixed.quantile(level)), level, atol=2e-4)


def test_the_mean_is_that_of_the_bars(pair):
    mixed, bars = pair
    assert torch.allclose(mixed.mean(), bars.mean(), atol=1e-4)


def test_rows_of_it_are_the_densities_of_those_rows(pair):
    mixed, _ = pair
    assert torch.equal(mixed[2].quantile(0.3), mixed.quantile(0.3)[2])
    assert torch.equal(mixed[1:3].quantile(0.3), mixed.quantile(0.3)[1:3])
