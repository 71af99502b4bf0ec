"""Guards curvecast/exact_bayes/start.py: chains begin at least squares, where the prior has mass."""

import pytest
import torch

from curvecast.curves.prior import BASIS, PriorConfig, sample
from curvecast.exact_bayes import posterior, start

CONFIG = PriorConfig()
X = torch.arange(1.0, 41)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("pow3", (0.9, 0.4, -0.5)), ("ilog2", (0.7, 0.2)), ("janoschek", (0.8, 0.2, -2.0, 0.3))],
)
def test_a_family_finds_its_own_curve(name, parameters):
    """Without noise, least squares returns the parameters that made the curve."""
    p = torch.tensor(parameters)[:, None, None]
    level, amplitude = BASIS[name].level_amplitude(*p)
    y = level - amplitude * BASIS[name].shape(X, *p)
    found = start._least_squares(CONFIG, name, y)[0]
    assert found[0] == pytest.approx(1 / 3)
    assert torch.allclose(found[1:], torch.tensor(parameters), atol=0.02)


def test_every_start_is_allowed_and_carries_the_noise_of_its_residuals():
    """On the prior's own curves: finite density everywhere, and a sigma that is not far from the truth on average."""
    curves = sample(CONFIG, 60, generator(1))
    theta = start.point(CONFIG, curves.noisy[:, :30])
    assert torch.isfinite(posterior.log_posterior(CONFIG, theta[:, None], curves.noisy[:, :30])).all()
    fitted = (theta[:, 1] - start.DEFAULT["pow3"][0]).abs() > 1e-6
    assert fitted.float().mean() > 0.8
    assert abs((theta[:, -1] - curves.sigma.log()).median()) < 0.8


def test_where_least_squares_breaks_a_rule_the_default_takes_its_place():
    """A falling curve cannot be the prior's: the chain begins at Domhan's defaults."""
    theta = start.point(CONFIG, torch.linspace(0.9, 0.1, 20)[None])[0]
    assert torch.allclose(theta[1:4], torch.tensor(start.DEFAULT["pow3"]))


def test_the_ball_lies_around_the_point_and_inside_the_prior():
    """Many walkers, all different, all near, all allowed."""
    y = sample(CONFIG, 5, generator(2)).noisy[:, :10]
    theta = start.ball(CONFIG, y, 40, generator(3), radius=1e-3)
    assert theta.shape == (5, 40, 13) and torch.isfinite(posterior.log_posterior(CONFIG, theta, y)).all()
    off = (theta - start.point(CONFIG, y)[:, None]).abs()
    assert off.max() < 1e-2 and (theta.std(1) > 1e-5).all()


@pytest.mark.parametrize("seen", [1, 2, 3])
def test_a_few_points_say_nothing_of_exponents(seen):
    """Every shape meets them, so that the chain begins at the defaults and not at the edge of a grid."""
    theta = start.point(CONFIG, sample(CONFIG, 3, generator(4)).noisy[:, :seen])
    assert torch.allclose(theta[:, 3], torch.tensor(start.DEFAULT["pow3"][2]))
