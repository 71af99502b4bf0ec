"""Guards curvecast/scores/fits.py."""

import numpy as np
import pytest
import torch
from scipy.optimize import least_squares

from curvecast.curves import prior
from curvecast.scores.baselines import forecast
from curvecast.scores.fits import Fit, fit

X = torch.arange(1.0, 101.0, dtype=torch.float64)
TRUTH = {  # the paper's formulas, written out
    "pow3": lambda x: 0.8 - 0.5 * x**-0.7,
    "pow4": lambda x: 0.9 - (0.4 * x + 1.5) ** -1.2,
    "mmf4": lambda x: 0.85 - (0.85 - 0.2) / (1 + (0.15 * x) ** 1.4),
}
SCIPY = {  # the same with free parameters, and bounds no wider than the box
    "pow3": (lambda x, t: t[0] - t[1] * x ** -np.exp(t[2]), [-3.0], [2.5]),
    "pow4": (
        lambda x, t: t[0] - t[1] * ((x + np.exp(t[3])) / (1 + np.exp(t[3]))) ** -np.exp(t[2]),
        [-3, -5],
        [3, None],
    ),
    "mmf4": (lambda x, t: t[0] - t[1] / (1 + np.exp(np.exp(t[3]) * (np.log(x) - t[2]))), [-5, -2], [None, 2]),
}


def fitted(name: str, y: torch.Tensor) -> Fit:
    return fit(name, X[: y.shape[1]].expand_as(y), y)


@pytest.mark.parametrize("name", TRUTH)
def test_a_curve_of_the_family_is_recovered_and_extrapolated(name: str) -> None:
    """Without noise the fit returns the curve itself, and the queries lie on it."""
    y = TRUTH[name](X)[None]
    found = fitted(name, y[:, :40])
    assert found.residual.item() < 1e-10
    torch.testing.assert_close(found.curve(X[None, 40:])[0], y[:, 40:], atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", TRUTH)
def test_falling_curves_are_fitted_as_well(name: str) -> None:
    """Turned upside down, a curve has the same residual and the mirrored forecast."""
    y = prior.test_set(20).noisy.double()
    up, down = (forecast(name, X[:30], z[:, :30], X[30:]) for z in (y, 1 - y))
    torch.testing.assert_close(down.mean, 1 - up.mean, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("cutoff", [6, 30])
def test_the_cost_is_within_one_percent_of_scipy_from_many_starts(name: str, cutoff: int) -> None:
    """On noisy curves of the prior, at least 19 of 20 residuals are as small as scipy's best of eight."""
    y = prior.test_set(20).noisy.double()[:, :cutoff]
    ours = fitted(name, y).residual.numpy()
    best = np.array([_scipy(name, X[:cutoff].numpy(), curve.numpy()) for curve in y])
    assert (ours <= 1.01 * best + 1e-12).sum() >= 19


def _scipy(name: str, x: np.ndarray, y: np.ndarray, starts: int = 8) -> float:
    curve, low, high = SCIPY[name]
    low = np.array([-np.inf, -np.inf, *low])
    high = np.array([np.inf, np.inf, *(np.log(x[-1]) if bound is None else bound for bound in high)])
    generator = np.random.default_rng(0)
    cost = []
    for _ in range(starts):
        shape = generator.uniform(low[2:], high[2:])
        phi = -curve(x, [0.0, 1.0, *shape])
        linear = np.linalg.lstsq(np.stack([np.ones_like(x), -phi], 1), y, rcond=None)[0]
        start = np.array([*linear, *shape])
        cost.append(
            2 * least_squares(lambda t: curve(x, t) - y, start, bounds=(low, high), x_scale="jac").cost
        )
    return min(cost)


@pytest.mark.parametrize("name", TRUTH)
def test_the_unit_of_the_epochs_does_not_matter(name: str) -> None:
    """Epochs counted in steps of 500 give the same forecast."""
    y = prior.test_set(10).noisy.double()
    ours, scaled = (forecast(name, X[:25] * k, y[:, :25], X[25:] * k) for k in (1, 500))
    torch.testing.assert_close(ours.mean, scaled.mean, atol=1e-6, rtol=1e-5)
