"""Guards the priors whose predictive is known: by enumeration, torch's own Gaussians, and the rule of conditional density."""

import math

import pytest
import torch
from torch.distributions import MultivariateNormal, Normal, kl_divergence

from curvecast.curves.other_priors.exact_predictive import Finite, Predictive, divergence, known
from curvecast.curves.other_priors.gaussian_process import GaussianProcess, kernel, mean
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError

FINITE = Finite(5, 0.1, PriorConfig(length=20))
SMOOTH = GaussianProcess(20, log_sigma_mean=-3.0)
ROUGH = GaussianProcess(20, smooth=0.1, log_sigma_mean=-2.5)
MIXTURE = Mixture((FINITE, SMOOTH, ROUGH), (0.2, 0.5, 0.3))
SEEN, ASKED = torch.tensor([1.0, 2.0, 4.0, 7.0]), torch.tensor([9.0, 20.0])


def curves(prior, n=6):
    y = prior.sample(n, torch.Generator().manual_seed(1)).noisy
    return y[:, SEEN.long() - 1], y[:, ASKED.long() - 1]


def test_the_density_of_points_under_a_finite_prior_is_a_mean_over_its_curves():
    y, _ = curves(FINITE)
    each = [Normal(f[SEEN.long() - 1], 0.1).log_prob(y).sum(1).exp() for f in known(FINITE)]
    assert torch.allclose(FINITE.log_marginal(SEEN, y).exp(), sum(each) / 5)


def test_known_curves_are_drawn_equally_often():
    clean = FINITE.sample(2000, torch.Generator().manual_seed(0)).clean
    shares = torch.isclose(clean[:, None], known(FINITE).float()).all(2).float().mean(0)
    assert torch.allclose(shares, torch.full((5,), 0.2), atol=0.045)  # five standard errors


def test_mean_and_covariance_of_a_gaussian_process_are_the_written_ones():
    """In log time the tenth epoch of a hundred lies half way, here one length scale before the last one."""
    prior = GaussianProcess(100, first=0.3, last=0.7, level=0.2, rise=0.1, smooth=0.5)
    x = torch.tensor([10.0, 100.0])
    assert mean(prior, x).tolist() == pytest.approx([0.5, 0.7])
    near = 0.04 + 0.01 * math.exp(-1 / 2)
    assert torch.allclose(kernel(prior, x, x), torch.tensor([[0.05, near], [near, 0.05]]).double())
    noisier = GaussianProcess(log_sigma_sd=1.0).sample(4000, torch.Generator().manual_seed(0))
    assert noisier.sigma.log().std() == pytest.approx(1, abs=0.06)  # five standard errors


def test_a_gaussian_process_agrees_with_torch_s_joint_gaussian():
    y, _ = curves(SMOOTH)
    noise = math.exp(2 * SMOOTH.log_sigma_mean) * torch.eye(len(SEEN))
    joint = MultivariateNormal(mean(SMOOTH, SEEN), kernel(SMOOTH, SEEN, SEEN) + noise)
    assert torch.allclose(SMOOTH.log_marginal(SEEN, y), joint.log_prob(y.double()))


@pytest.mark.parametrize("prior", [FINITE, SMOOTH, MIXTURE])
def test_a_predictive_is_a_joint_density_divided_by_that_of_the_beginning(prior):
    """For every kind of prior, whose densities of points are checked above."""
    y, later = curves(prior)
    found = prior.predictive(SEEN, y, ASKED)
    for q in range(len(ASKED)):
        x, together = torch.cat([SEEN, ASKED[[q]]]), torch.cat([y, later[:, [q]]], 1)
        ratio = prior.log_marginal(x, together) - prior.log_marginal(SEEN, y)
        assert torch.allclose(found.log_density(later)[:, q], ratio)


def test_the_posterior_over_priors_is_weight_times_likelihood():
    """By Bayes' rule, with likelihoods that are checked above."""
    y, _ = curves(MIXTURE)
    weighed = MIXTURE.log_likelihoods(SEEN, y).exp() * torch.tensor(MIXTURE.weights)
    assert torch.allclose(MIXTURE.log_posterior(SEEN, y).exp(), weighed / weighed.sum(1, keepdim=True))


@pytest.mark.parametrize("prior", [FINITE, SMOOTH, ROUGH])
def test_samples_have_the_law_that_the_predictive_assumes(prior):
    """Under the exact law of 20,000 curves' last points, given no more than the first, quantiles are uniform."""
    y = prior.sample(20_000, torch.Generator().manual_seed(2)).noisy.double()
    exact = prior.predictive(SEEN[:1], y[:, :1], ASKED[1:]).whole()
    below = Normal(exact.means, exact.scales).cdf(y[:, -1:, None]) * exact.log_weights.exp()
    deciles = torch.histc(below.sum(-1), 10, 0, 1) / len(y)
    assert (deciles - 0.1).abs().max() < 0.011  # five standard errors


def test_the_divergence_is_nothing_from_itself_and_known_between_gaussians():
    """The trapezoidal rule is exact to many digits; so is the mass that the grid holds."""
    y, _ = curves(MIXTURE)
    exact = MIXTURE.predictive(SEEN, y, ASKED)
    log_p = exact.log_density(grid := exact.grid(300))
    assert divergence(log_p, log_p, grid).abs().max() == 0
    assert torch.allclose(log_p.exp().sum(-1) * (grid[..., 1] - grid[..., 0]), torch.ones(()).double())
    alone = Predictive(*(torch.tensor([[[value]]]).double() for value in (0.0, 0.3, 0.1)))
    other, grid = Normal(0.4, 0.2), alone.grid(300)
    found = divergence(alone.log_density(grid), other.log_prob(grid), grid)
    assert torch.allclose(found, kl_divergence(Normal(0.3, 0.1), other).double())


@pytest.mark.parametrize(("kind", "fields", "told"), [
    (Finite, (0,), "without curves"), (Finite, (5, 0.0), "above 0"), (GaussianProcess, (1,), "at least 2 epochs"),
    (GaussianProcess, (9, 0.3, 0.7, 0.1, 0.1, 0.5, -4.0, -1.0), "or more"), (Mixture, ((), ()), "give each its own"),
    (Mixture, ((SMOOTH, ROUGH), (0.5, 0.4)), "must sum to 1"),
    (Mixture, ((SMOOTH, ROUGH), (1.5, -0.5)), "none is negative"),
    (Mixture, ((SMOOTH, GaussianProcess(30)), (0.5, 0.5)), "take one length"),
])  # fmt: skip
def test_what_is_no_prior_is_refused(kind, fields, told):
    """In one sentence that says what to do."""
    with pytest.raises(UserError, match=told):
        kind(*fields)


def test_a_predictive_with_noise_of_an_unknown_size_is_refused():
    with pytest.raises(UserError, match="only with log_sigma_sd = 0"):
        GaussianProcess(20, log_sigma_sd=1.0).log_marginal(SEEN, curves(SMOOTH)[0])
