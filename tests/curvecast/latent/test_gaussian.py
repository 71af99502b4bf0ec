"""Guards curvecast/latent/gaussian.py: samples, rates and bounds against closed forms."""

import pytest
import torch
from torch.distributions import Normal as TorchNormal
from torch.distributions import kl_divergence

from curvecast.latent.gaussian import Normal, standard


def test_samples_have_the_variance_that_was_asked_for():
    """With the square root of sd in place of sd, as in some lecture notes, a variance of 0.25 becomes 0.5."""
    torch.manual_seed(0)
    noise, law = torch.randn(100_000, 1), Normal(torch.ones(1), torch.full((1,), 0.5))
    assert law.at(noise).var().item() == pytest.approx(0.25, rel=0.02)
    assert (law.mean + law.sd.sqrt() * noise).var().item() == pytest.approx(0.5, rel=0.02)


def test_gradients_pass_through_a_sample():
    """d/dsd of the mean square is 2 sd: a finite difference and the gradient agree."""
    torch.manual_seed(0)
    noise, sd = torch.randn(1_000, 1).double(), torch.tensor([0.7], dtype=torch.double, requires_grad=True)

    def square(sd):
        return Normal(torch.zeros(1).double(), sd).at(noise).square().mean()

    square(sd).backward()
    with torch.no_grad():
        assert sd.grad.item() == pytest.approx(
            ((square(sd + 1e-4) - square(sd - 1e-4)) / 2e-4).item(), rel=1e-6
        )


def test_density_and_rate_are_those_of_torch():
    torch.manual_seed(0)
    a, b = (Normal(torch.randn(5, 3), torch.rand(5, 3) + 0.1) for _ in range(2))
    x = torch.randn(5, 3)
    assert torch.allclose(a.log_density(x), TorchNormal(*a).log_prob(x).sum(1), atol=1e-5)
    assert torch.allclose(a.rate(b), kl_divergence(TorchNormal(*a), TorchNormal(*b)).sum(1), atol=1e-5)
    assert standard(x).rate().abs().max() == 0
