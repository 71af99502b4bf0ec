"""Guards curvecast/scores/baselines.py."""

import math

import pytest
import torch

from curvecast.curves import prior
from curvecast.scores.baselines import LONE_POINT_SD, METHODS, SD_FLOOR, Gaussian, forecast
from curvecast.scores.fits import PARAMETERS

X = torch.arange(1.0, 101.0)


@pytest.mark.parametrize("method", METHODS)
def test_the_density_is_honest_on_the_prior(method: str) -> None:
    """At cutoff 40, between 80 and 97 percent of the later points lie within the 90 percent interval."""
    y = prior.test_set(1000).noisy.double()
    density = forecast(method, X[:40], y[:, :40], X[40:])
    inside = (y[:, 40:] > density.quantile(0.05)) & (y[:, 40:] < density.quantile(0.95))
    assert 0.80 < inside.double().mean() < 0.97


def test_least_squares_beats_the_last_value_from_twenty_points_on() -> None:
    """With 20 points or more every family has the higher likelihood."""
    y = prior.test_set(1000).noisy.double()
    for cutoff in (20, 70):
        score = {
            m: forecast(m, X[:cutoff], y[:, :cutoff], X[cutoff:]).log_density(y[:, cutoff:]).mean()
            for m in METHODS
        }
        assert min(score[name] for name in PARAMETERS) > score["last value"]


def test_last_value_is_the_last_value_with_the_size_of_a_step() -> None:
    """Mean 0.5, and the variance is the mean of the squared steps 0.1 and 0.2."""
    density = forecast("last value", X[:3], torch.tensor([[0.2, 0.3, 0.5]]), torch.tensor([4, 50]))
    assert density.mean.tolist() == [[0.5, 0.5]]
    assert density.sd[0, 0].item() == pytest.approx(math.sqrt((0.01 + 0.04) / 2))


@pytest.mark.parametrize("method", METHODS)
def test_a_curve_does_not_depend_on_its_neighbours(method: str) -> None:
    """Fitted alone or in a batch, a curve gets the same forecast."""
    y = prior.test_set(8).noisy[:, :30]
    together = forecast(method, X[:30], y, X[30:])
    for i in range(8):
        alone = forecast(method, X[:30], y[i : i + 1], X[30:])
        torch.testing.assert_close(together.mean[i], alone.mean[0], atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("name", PARAMETERS)
def test_too_few_points_fall_back_to_the_last_value(name: str) -> None:
    """Three points cannot carry as many parameters; seven points can."""
    y = prior.test_set(2).noisy
    for points, falls_back in ((3, True), (7, False)):
        density, plain = (forecast(m, X[:points], y[:, :points], X[7:]) for m in (name, "last value"))
        assert torch.equal(density.mean, plain.mean) == torch.equal(density.sd, plain.sd) == falls_back


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_single_points_give_finite_densities(method: str) -> None:
    """A constant curve goes on as it was with the smallest sd; a lone point has a wide one."""
    flat = forecast(method, X[:20], torch.full((1, 20), 0.7), X[20:])
    torch.testing.assert_close(flat.mean, torch.full((1, 80), 0.7, dtype=torch.float64), atol=1e-6, rtol=0)
    assert (flat.sd >= SD_FLOOR).all() and (flat.sd < 10 * SD_FLOOR).all()
    lone = forecast(method, X[:1], torch.tensor([[0.4]], dtype=torch.float64), X[1:])
    assert (lone.mean == 0.4).all() and (lone.sd == LONE_POINT_SD).all()


def test_the_gaussian_is_consistent() -> None:
    """cdf undoes quantile, exceeds is the rest, and the density is the slope of the cdf."""
    density = Gaussian(torch.zeros(1, 1).double(), torch.full((1, 1), 2.0).double())
    assert density.cdf(density.quantile(0.9)).item() == pytest.approx(0.9)
    assert density.exceeds(torch.tensor(0.0)).item() == pytest.approx(0.5)
    slope = (density.cdf(torch.tensor(1.001)) - density.cdf(torch.tensor(0.999))) / 0.002
    assert density.log_density(torch.tensor(1.0)).exp().item() == pytest.approx(slope.item(), rel=1e-4)


def test_crps_is_the_integral_of_the_squared_error_of_the_cdf() -> None:
    """The closed form agrees with a numerical integral."""
    density = Gaussian(torch.tensor([[0.3]]).double(), torch.tensor([[0.1]]).double())
    grid = torch.linspace(-1, 2, 30_001, dtype=torch.float64)
    wide = Gaussian(density.mean.expand(1, len(grid)), density.sd.expand(1, len(grid)))
    integral = torch.trapezoid((wide.cdf(grid) - (grid >= 0.45).double()).square(), grid)
    assert density.crps(torch.tensor([[0.45]])).item() == pytest.approx(integral.item(), rel=1e-3)
