"""Guards curvecast/latent/score.py: the best denoiser of a normal law knows its score."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.latent.score import of_gaussian, score

COVARIANCE = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
MEAN = torch.tensor([1.0, -1.0])


def best(x, sigma=0.5):
    """E[clean | noisy], in closed form."""
    gain = COVARIANCE @ torch.linalg.inv(COVARIANCE + sigma**2 * torch.eye(2))
    return MEAN + (x - MEAN) @ gain.T


def test_the_score_is_the_gradient_of_the_noisy_log_density():
    x = torch.randn(6, 2, generator=torch.Generator().manual_seed(0)).requires_grad_()
    law = torch.distributions.MultivariateNormal(MEAN, COVARIANCE + 0.25 * torch.eye(2))
    (gradient,) = torch.autograd.grad(law.log_prob(x).sum(), x)
    assert torch.allclose(of_gaussian(MEAN, COVARIANCE, x, 0.5), gradient, atol=1e-5)
    assert torch.allclose(score(best, x, 0.5), gradient, atol=1e-4)


def test_without_noise_there_is_no_score():
    with pytest.raises(UserError, match="above 0"):
        score(best, torch.zeros(1, 2), 0.0)
