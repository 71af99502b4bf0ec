"""Guards curvecast/scores/quantile_scores.py: what quantiles tell agrees with what the density itself would."""

import numpy as np
import pytest
import scipy.stats
import torch

from curvecast.scores import quantile_scores as scored
from curvecast.scores.baselines import Gaussian


def normal(mean: np.ndarray, sd: float) -> np.ndarray:
    return mean + sd * scipy.stats.norm.ppf(scored.LEVELS)[:, None]


def test_the_pinball_loss_comes_near_the_crps_of_a_density():
    """Within a tenth of the closed form of a normal density, near its middle and far out."""
    mean, y = np.zeros(4), np.array([0.0, 0.3, -1.0, 4.0])
    exact = Gaussian(torch.zeros(1, 4), torch.ones(1, 4)).crps(torch.tensor(y)[None])[0]
    assert scored.crps(normal(mean, 1.0), y) == pytest.approx(exact.numpy(), rel=0.1)


def test_honest_quantiles_hold_what_they_promise():
    """Of 4,000 normal values the bands hold half and nine tenths, and each quantile has its share below."""
    y = np.random.default_rng(0).normal(2.0, 3.0, 4000)
    quantiles = normal(np.full(4000, 2.0), 3.0)
    assert scored.inside(quantiles, y, 0.5).mean() == pytest.approx(0.5, abs=0.03)
    assert scored.inside(quantiles, y, 0.9).mean() == pytest.approx(0.9, abs=0.02)
    assert scored.below(quantiles, y) == pytest.approx(scored.LEVELS, abs=0.03)


def test_a_value_on_the_edge_of_a_band_is_inside():
    """A band that ends at a bound holds the bound."""
    quantiles = np.minimum(normal(np.ones(1), 0.1), 1.0)
    assert scored.inside(quantiles, np.ones(1), 0.9).all()
    assert not scored.inside(quantiles, np.ones(1) + 1e-6, 0.9).any()
