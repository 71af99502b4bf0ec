"""Guards curvecast/scores/metrics.py, with densities whose scores are known in closed form."""

import math

import pytest
import torch

from curvecast.scores import metrics
from curvecast.scores.baselines import Gaussian

N, Q, SD = 4000, 25, 0.1


@pytest.fixture(scope="module")
def truth():
    generator = torch.Generator().manual_seed(0)
    clean = torch.rand(N, 1, generator=generator).double().expand(N, Q)
    noisy = clean + SD * torch.randn(N, Q, generator=generator).double()
    return clean, noisy, Gaussian(clean, torch.full_like(clean, SD))


def test_scores_of_the_right_density(truth):
    """Likelihood, CRPS, squared error and coverage of the true Gaussian are those of the books."""
    clean, noisy, density = truth
    found = {name: metrics.estimate(v) for name, v in metrics.scores(density, noisy, clean).items()}
    expected = {
        "ll": -0.5 * math.log(2 * math.pi * math.e) - math.log(SD), "crps": SD / math.sqrt(math.pi),
        "mse_noisy": SD**2, "mse_clean": 0.0, "cover50": 0.5, "cover90": 0.9,
    }  # fmt: skip
    for name, value in expected.items():
        assert abs(found[name].value - value) <= 5 * found[name].se + 1e-12, name


def test_standard_errors_are_over_curves():
    """Points of one curve that move together count once: a hundred copies of a point are not a hundred points."""
    one = torch.randn(400, 1, generator=torch.Generator().manual_seed(1)).double()
    copies = one.expand(400, 100)
    assert metrics.estimate(copies.mean(1)).se == pytest.approx(one.std().item() / 20, rel=1e-6)


def test_pairing_removes_what_both_share():
    """The error of a paired difference knows only of the difference."""
    shared = 10 * torch.randn(500)
    gap = metrics.paired(shared + 1 + 0.1 * torch.randn(500), shared)
    assert abs(gap.value - 1) < 5 * gap.se and gap.se < 0.01


def test_the_control_variate_is_unbiased_and_sharper():
    """Over many test sets the corrected mean hits the same value with a smaller spread."""
    generator = torch.Generator().manual_seed(2)
    plain, corrected = [], []
    for _ in range(300):
        oracle = 2.5 + torch.randn(200, generator=generator)
        ll = oracle - 0.4 + 0.3 * torch.randn(200, generator=generator)
        plain.append(ll.mean().item())
        corrected.append(metrics.against_oracle(ll, oracle, 2.5).value)
    plain, corrected = torch.tensor(plain), torch.tensor(corrected)
    assert abs(corrected.mean() - 2.1) < 0.01 and corrected.std() < 0.5 * plain.std()


def test_without_the_clean_curve_its_error_is_left_out(truth):
    """Real curves have no noise-free version."""
    assert "mse_clean" not in metrics.scores(truth[2], truth[1])


def test_one_curve_has_no_standard_error():
    """NaN and not zero."""
    assert math.isnan(metrics.estimate(torch.ones(1)).se)
