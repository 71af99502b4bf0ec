"""Guards curvecast/curves/noise.py against quadrature."""

import pytest
import torch

from curvecast.curves.noise import Noise
from curvecast.curves.prior import PriorConfig

CONFIG = PriorConfig()


@pytest.mark.parametrize("n", [1, 10, 80])
def test_the_noise_is_integrated_out(n):
    """Against quadrature over ln sigma, for sums of squares from almost nothing to large; constants cancel."""
    S = torch.tensor([1e-8, 1e-4, 0.01, 1.0, 30.0]).double()
    s = torch.linspace(-14, 4, 20_001).double()
    joint = -((s + 4) ** 2) / 2 - n * s - S[:, None] / 2 * torch.exp(-2 * s)
    exactly = joint.logsumexp(1)
    log_likelihoods = Noise(CONFIG, n).log_likelihood(S.float())
    assert torch.allclose(
        (log_likelihoods - log_likelihoods[2]).double(), exactly - exactly[2], atol=0.01, rtol=1e-3
    )


def test_sigma_is_drawn_from_its_posterior():
    """Mean of ln sigma given S against quadrature, five standard errors."""
    s = torch.linspace(-14, 4, 20_001).double()
    S = 0.004
    weight = (-((s + 4) ** 2) / 2 - 10 * s - S / 2 * torch.exp(-2 * s)).softmax(0)
    mean = (weight * s).sum()
    sd = ((weight * (s - mean) ** 2).sum()) ** 0.5
    drawn = Noise(CONFIG, 10).draw(torch.full((20_000,), S), torch.Generator().manual_seed(0)).log().double()
    assert abs(drawn.mean() - mean) < 5 * sd / 20_000**0.5 + 0.02
