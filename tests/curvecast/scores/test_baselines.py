"""Guards curvecast/scores/baselines.py."""

import math

import pytest
import torch

from curvecast.curves import prior
from curvecast.ground.errors import UserError
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
    assert not density.fallback.any()


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
    density = forecast("last value", [1, 2, 3], [[0.2, 0.3, 0.5]], [4, 50])
    assert density.mean.tolist() == [[0.5, 0.5]]
    assert density.sd[0, 0].item() == pytest.approx(math.sqrt((0.01 + 0.04) / 2))


@pytest.mark.parametrize("method", METHODS)
def test_unobserved_points_count_for_nothing(method: str) -> None:
    """A mask over a tail of NaN gives the forecast of the shorter curve; the order of points is free."""
    y = prior.test_set(10).noisy.double()
    short = forecast(method, X[:15], y[:, :15], X[60:])
    padded = y.clone()
    padded[:, 15:] = math.nan
    masked = forecast(method, X, padded, X[60:], mask=(X <= 15).expand(10, -1))
    torch.testing.assert_close(masked.mean, short.mean)
    torch.testing.assert_close(masked.sd, short.sd)
    order = torch.randperm(15, generator=torch.Generator().manual_seed(0))
    shuffled = forecast(method, X[:15][order].expand(10, -1), y[:, :15][:, order], X[60:])
    torch.testing.assert_close(shuffled.mean, short.mean, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_curve_does_not_depend_on_its_neighbours(method: str) -> None:
    """Fitted alone or in a batch with its own cutoff each, a curve gets the same forecast."""
    y = prior.test_set(8).noisy.double()
    mask = X[:50] <= torch.arange(10, 50, 5)[:, None]
    together = forecast(method, X[:50], y[:, :50], X[50:], mask)
    for i in range(8):
        alone = forecast(method, X[:50][mask[i]], y[i : i + 1, :50][:, mask[i]], X[50:])
        torch.testing.assert_close(together.mean[i], alone.mean[0], atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("name", PARAMETERS)
def test_too_few_points_fall_back_to_the_last_value_and_say_so(name: str) -> None:
    """Three or four points cannot carry as many parameters: last value, fallback = True; seven points can."""
    y = prior.test_set(2).noisy.double()
    mask = torch.tensor([[True] * 3 + [False] * 4, [True] * 7])
    density = forecast(name, X[:7], y[:, :7], X[7:], mask)
    plain = forecast("last value", X[:7], y[:, :7], X[7:], mask)
    assert density.fallback.tolist() == [True, False]
    assert torch.equal(density.mean[0], plain.mean[0]) and torch.equal(density.sd[0], plain.sd[0])


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_single_points_give_finite_densities(method: str) -> None:
    """A constant curve goes on as it was with the smallest sd; a lone point has a wide one."""
    flat = forecast(method, X[:20], torch.full((1, 20), 0.7), X[20:])
    torch.testing.assert_close(flat.mean, torch.full((1, 80), 0.7, dtype=torch.float64), atol=1e-6, rtol=0)
    assert (flat.sd >= SD_FLOOR).all() and (flat.sd < 10 * SD_FLOOR).all()
    lone = forecast(method, X[:1], [[0.4]], X[1:])
    assert (lone.mean == 0.4).all() and (lone.sd == LONE_POINT_SD).all()


def test_the_gaussian_is_consistent() -> None:
    """cdf undoes quantile, exceeds is the rest, and the density is the slope of the cdf."""
    density = Gaussian(
        torch.zeros(1, 1).double(), torch.full((1, 1), 2.0).double(), torch.zeros(1, dtype=torch.bool)
    )
    assert density.cdf(density.quantile(0.9)).item() == pytest.approx(0.9)
    assert density.exceeds(torch.tensor(0.0)).item() == pytest.approx(0.5)
    slope = (density.cdf(torch.tensor(1.001)) - density.cdf(torch.tensor(0.999))) / 0.002
    assert density.log_density(torch.tensor(1.0)).exp().item() == pytest.approx(slope.item(), rel=1e-4)


def test_crps_is_the_integral_of_the_squared_error_of_the_cdf() -> None:
    """The closed form agrees with a numerical integral."""
    density = Gaussian(torch.tensor([[0.3]]).double(), torch.tensor([[0.1]]).double(), torch.zeros(1).bool())
    grid = torch.linspace(-1, 2, 30_001, dtype=torch.float64)
    wide = Gaussian(density.mean.expand(1, len(grid)), density.sd.expand(1, len(grid)), density.fallback)
    integral = torch.trapezoid((wide.cdf(grid) - (grid >= 0.45).double()).square(), grid)
    assert density.crps(torch.tensor([[0.45]])).item() == pytest.approx(integral.item(), rel=1e-3)


BAD = {
    "there is no baseline": ("spline", [1, 2], [[0.1, 0.2]], [3], None),
    "not a number": ("pow3", [1, 2], [[0.1, math.nan]], [3], None),
    "no observed point": ("last value", [1, 2], [[0.1, 0.2]], [3], [[False, False]]),
    "curve 0 .* not positive": ("mmf4", [0, 1], [[0.1, 0.2]], [3], None),
    "x_query has an epoch": ("mmf4", [1, 2], [[0.1, 0.2]], [0], None),
    "curve 0 .* an epoch twice": ("pow3", [1, 1, 2], [[0.1, 0.2, 0.3]], [3], None),
    "do not fit": ("pow4", [1, 2, 3], [[0.1, 0.2]], [3], None),
    "mask has shape": ("pow4", [1, 2], [[0.1, 0.2]], [3], [[True]]),
    "x_query has shape": ("pow4", [1, 2], [[0.1, 0.2]], [[[3]]], None),
}


@pytest.mark.parametrize("complaint", BAD)
def test_bad_input_gets_one_sentence(complaint: str) -> None:
    """What is wrong and where, as a UserError."""
    with pytest.raises(UserError, match=complaint):
        forecast(*BAD[complaint])
