"""Guards curvecast/exact_bayes/cloud.py against torch's own mixtures."""

import pytest
import torch
from torch.distributions import Categorical, MixtureSameFamily, Normal

from curvecast.exact_bayes.cloud import Cloud

GENERATOR = torch.Generator().manual_seed(0)
F = torch.rand(2, 30, 5, generator=GENERATOR)
SIGMA = 0.01 + 0.1 * torch.rand(2, 30, generator=GENERATOR)
LOG_W = torch.randn(2, 30, generator=GENERATOR)


def test_it_is_a_mixture_of_normals():
    """Log density, cdf and mean against torch.distributions, weights unnormalised."""
    cloud = Cloud(F, SIGMA, LOG_W)
    y = torch.rand(2, 5, generator=GENERATOR) * 1.4 - 0.2
    members = Normal(F.transpose(1, 2), SIGMA[:, None].expand(-1, 5, -1))
    theirs = MixtureSameFamily(Categorical(logits=LOG_W[:, None].expand(-1, 5, -1)), members)
    assert torch.allclose(cloud.log_density(y), theirs.log_prob(y), atol=1e-4)
    assert torch.allclose(cloud.cdf(y), theirs.cdf(y), atol=1e-5)
    assert torch.allclose(cloud.mean(), theirs.mean, atol=1e-6)


@pytest.mark.parametrize("level", [0.001, 0.25, 0.5, 0.95])
def test_quantile_inverts_the_cdf(level):
    """cdf(quantile(p)) = p, with equal weights as well."""
    for weights in (LOG_W, None):
        cloud = Cloud(F, SIGMA, weights)
        assert torch.allclose(cloud.cdf(cloud.quantile(level)), torch.tensor(level), atol=1e-4)


def test_later_forgets_the_first_epochs_and_nothing_else():
    """The density at an epoch is the same, whether or not earlier ones are still there."""
    whole, y = Cloud(F, SIGMA, LOG_W), torch.rand(2, 5, generator=torch.Generator().manual_seed(1))
    # a log density near 0 has no relative precision
    assert torch.allclose(whole.later(3).log_density(y[:, 3:]), whole.log_density(y)[:, 3:], atol=1e-5)
