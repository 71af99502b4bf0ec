"""Guards the codes of whole curves: what every one keeps to, and each against a closed form, scikit-learn or scipy."""

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import scipy.linalg
import torch
from sklearn.decomposition import PCA, sparse_encode
from torch.distributions import Laplace, MultivariateNormal, kl_divergence
from torch.distributions import Normal as TorchNormal
from torch.nn.functional import normalize

from curvecast.curves import prior
from curvecast.latent.autoencoder import AutoencoderConfig, Contractive, jacobians, spectrum, tangents
from curvecast.latent.fit import (
    OnCoordinates,
    Steps,
    fit,
    fit_at_once,
    largest_angle,
    of_gaussian,
    principal,
    score,
)
from curvecast.latent.prefix_code import PrefixCodeConfig
from curvecast.latent.sparse import SparseConfig, cost, ista, steps_needed
from curvecast.latent.variational import Normal, Variational, VariationalConfig, standard
from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.bars import Bars
from tests.curvecast.refusals import refuses

CURVES = prior.test_set(200).clean
FAMILIES = {  # every code, small enough to try: from curves (n, T) to a network before its training
    "linear": lambda x: AutoencoderConfig(3, width=0, start="random").network(principal(x, 8)),
    "deep": lambda x: AutoencoderConfig(3, width=32).network(principal(x, 8)),
    "contractive": lambda x: Contractive(x.mean(0), 64, weight=1e-4, scale=float(x.std())),
    "sparse": lambda x: SparseConfig(24, width=32).network(x.mean(0)),
    "variational": lambda x: VariationalConfig(3, width=32).network(principal(x, 8)),
}
EVERY = pytest.mark.parametrize("name", FAMILIES)


def code(name):
    torch.manual_seed(0)
    return FAMILIES[name](CURVES)


@EVERY
def test_a_code_is_a_row_of_numbers_for_each_curve_alone(name):
    net, x = code(name).double(), CURVES[:5].double()
    numbers = net.encode(x)
    assert numbers.ndim == 2 and net.decode(numbers).shape == (5, 100)
    assert torch.allclose(numbers, torch.cat([net.encode(one[None]) for one in x]), atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight(name):
    """After a first step: a bent part starts as zero, and what feeds it has no gradient before."""
    net = fit(code(name), lambda step: (CURVES, CURVES), Steps(1))
    net.loss(CURVES, CURVES).backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all() and weight.grad.any(), where


ATOMS = normalize(torch.randn(12, 20, generator=torch.Generator().manual_seed(0)).double(), dim=1)
X = torch.randn(6, 20, generator=torch.Generator().manual_seed(1)).double()


def test_a_training_that_diverges_is_told():
    wild = (CURVES, CURVES * torch.inf)
    refuses("the loss of Autoenc", lambda: fit(FAMILIES["deep"](CURVES), lambda step: wild, Steps(2)))


def test_components_are_those_of_scikit_learn():
    ours, theirs = principal(CURVES, 4), PCA(4).fit(CURVES.double().numpy())
    assert largest_angle(ours.directions, torch.from_numpy(theirs.components_)) < 0.01
    wanted = theirs.inverse_transform(theirs.transform(CURVES.double().numpy()))
    assert ours.decode(ours.encode(CURVES)).numpy() == pytest.approx(wanted, abs=1e-5)
    net = OnCoordinates(ours)  # which networks see and draw, not trained
    assert torch.equal(net.coordinates(CURVES), ours.encode(CURVES)) and not list(net.parameters())
    assert torch.allclose(net.curve(ours.encode(CURVES)), ours.decode(ours.encode(CURVES)), atol=1e-6)


def test_angles_are_those_of_scipy_and_exact_where_they_are_small():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 20))
    ours = largest_angle(torch.from_numpy(a), torch.from_numpy(b))
    assert ours.item() == pytest.approx(np.degrees(scipy.linalg.subspace_angles(a.T, b.T).max()))
    one, turned = torch.tensor([[1.0, 0, 0]]).double(), torch.tensor([[np.cos(1e-7), np.sin(1e-7), 0]])
    assert largest_angle(one, turned).item() == pytest.approx(np.degrees(1e-7), rel=1e-3)


def test_the_sign_of_a_direction_does_not_hang_on_the_decomposition(monkeypatch):
    ours, svd = principal(CURVES, 6).directions, torch.linalg.svd
    monkeypatch.setattr(torch.linalg, "svd", lambda *how, **more: [-part for part in svd(*how, **more)])
    assert torch.equal(principal(CURVES, 6).directions, ours)


@pytest.mark.slow
def test_a_linear_autoencoder_learns_the_subspace_of_principal_components():
    x = CURVES[:80].double()

    def angle():
        return largest_angle(principal(x, 2).directions, net.back.weight.T @ net.directions)

    torch.manual_seed(0)
    net = AutoencoderConfig(2, width=0, start="random").network(principal(x, 10)).double()
    assert angle() > 10
    fit_at_once(net, x, 250)
    assert angle() < 0.5


@pytest.mark.parametrize("width", [0, 16])
def test_before_training_an_autoencoder_is_the_best_linear_code(width):
    x = CURVES.double()
    net, linear = AutoencoderConfig(3, width=width).network(principal(x, 10)).double(), principal(x, 3)
    assert torch.allclose(net.decode(net.encode(x)), linear.decode(linear.encode(x)), atol=1e-9)


def test_each_row_has_its_own_jacobian_and_where_nothing_moves_a_singular_value_of_zero():
    def squares(x):
        return torch.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], 3 * x[:, 1]], 1)

    at = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
    assert jacobians(squares, at)[0].tolist() == [[2, 0], [2, 1], [0, 3]]
    assert torch.equal(tangents(squares, at), jacobians(squares, at).mT)
    assert torch.allclose(spectrum(squares, at), torch.linalg.svdvals(jacobians(squares, at)))
    assert spectrum(lambda x: x.sum(1, keepdim=True).expand(-1, 2), at)[:, 1].abs().max() < 1e-6


@pytest.mark.slow
def test_the_contractive_penalty_is_the_squared_norm_of_the_jacobian_and_contracts():
    torch.manual_seed(0)
    net, after = Contractive(CURVES.mean(0), 8, 1.0, scale=0.2), []
    theirs = jacobians(net.encode, CURVES[:5]).square().sum((1, 2)) * 0.2**2
    assert torch.allclose(net.penalty(net.encode(CURVES[:5])), theirs, rtol=1e-4)
    for weight in (0.0, 1e-2):
        torch.manual_seed(0)
        net = fit(Contractive(CURVES.mean(0), 32, weight, 0.2), lambda _: (CURVES, CURVES), Steps(200, 1e-2))
        after.append(net.penalty(net.encode(CURVES)).mean().item())
    assert after[1] < after[0] / 2


def test_the_score_is_the_gradient_of_the_noisy_log_density():
    covariance, mean = torch.tensor([[2.0, 0.5], [0.5, 1.0]]), torch.tensor([1.0, -1.0])
    noisy = covariance + 0.25 * torch.eye(2)
    gain, x = covariance @ torch.linalg.inv(noisy), torch.randn(6, 2).requires_grad_()
    (gradient,) = torch.autograd.grad(MultivariateNormal(mean, noisy).log_prob(x).sum(), x)
    assert torch.allclose(of_gaussian(mean, covariance, x, 0.5), gradient, atol=1e-5)
    assert torch.allclose(score(lambda z: mean + (z - mean) @ gain.T, x, 0.5), gradient, atol=1e-4)


def after(steps, penalty):
    return next(islice(ista(X, ATOMS, penalty, torch.zeros(6, 12).double()), steps, None))


def test_many_steps_reach_the_codes_of_scikit_learn_and_a_better_start_needs_fewer():
    theirs = sparse_encode(X.numpy(), ATOMS.numpy(), algorithm="lasso_cd", alpha=0.3, max_iter=10_000)
    assert torch.allclose(after(5_000, 0.3), torch.from_numpy(theirs), atol=1e-4)
    best = cost(X, after(5_000, 0.3), ATOMS, 0.3)
    cold, warm = (steps_needed(X, ATOMS, 0.3, after(start, 0.3), best, 0.01, 500) for start in (0, 20))
    assert (warm < cold).all() and (cold < 500).all()
    assert steps_needed(X, ATOMS, 0.3, after(0, 0.3), 0 * best, 0.01, 7).tolist() == [7] * 6


def test_more_of_a_code_is_zero_with_a_larger_penalty_which_is_a_laplace_law():
    shares = [(after(500, penalty) == 0).double().mean().item() for penalty in (0.0, 0.1, 0.5, 5.0)]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1
    h = after(50, 0.3)
    law = -Laplace(*torch.tensor([0, 1 / 0.3], dtype=torch.double)).log_prob(h).sum(1)
    penalty = cost(X, h, ATOMS, 0.3) - cost(X, h, ATOMS, 0.0)
    assert (law - penalty).std().item() == pytest.approx(0, abs=1e-12)  # up to a constant


# -----------------------------------------------------------------------------------------------------------
# Guards variational.py and prefix_code.py: samples, rates and bounds against closed forms.

K, SD = 2, 0.3
NOISY = prior.test_set(300).noisy.double()


def test_samples_have_the_variance_that_was_asked_for():
    """With the square root of sd in place of sd, as in some lecture notes, a variance of 0.25 becomes 0.5."""
    noise, law = torch.randn(100_000, 1), Normal(torch.ones(1), torch.full((1,), 0.5))
    assert law.at(noise).var().item() == pytest.approx(0.25, rel=0.02)
    assert (law.mean + law.sd.sqrt() * noise).var().item() == pytest.approx(0.5, rel=0.02)


def test_density_and_rate_are_those_of_torch():
    a, b = (Normal(torch.randn(5, 3), torch.rand(5, 3) + 0.1) for _ in range(2))
    x = torch.randn(5, 3)
    assert torch.allclose(a.log_density(x), TorchNormal(*a).log_prob(x).sum(1), atol=1e-5)
    assert torch.allclose(a.rate(b), kl_divergence(TorchNormal(*a), TorchNormal(*b)).sum(1), atol=1e-5)
    assert standard(x).rate().abs().max() == 0


class LinearGaussian(Variational):
    """h standard normal, x = m + h W + 0.3 noise; q(h|x) is any normal that is given."""

    def __init__(self, mean, sd):
        super().__init__(VariationalConfig(K, width=4), principal(NOISY, 8))
        self.weight = torch.randn(K, 100, generator=torch.Generator().manual_seed(0)).double() / 10
        self.q = Normal(torch.tensor([mean]).double(), torch.tensor([sd]).double())

    def posterior(self, x):
        return Normal(self.q.mean.expand(len(x), -1), self.q.sd.expand(len(x), -1))

    def likelihood(self, code):
        mean = self.mean + code @ self.weight
        return Normal(mean, torch.full_like(mean[..., :1], SD))

    def exact_evidence(self, x):
        covariance = self.weight.T @ self.weight + SD**2 * torch.eye(100).double()
        return MultivariateNormal(self.mean, covariance).log_prob(x)


def test_elbo_and_kl_to_the_posterior_are_the_evidence():
    """With noise of mean 0 and covariance 1 exactly, the ELBO of a linear decoder is no estimate."""
    net, x = LinearGaussian([0.3, -0.2], [0.5, 0.8]), NOISY[:1]
    precision = torch.eye(K).double() + net.weight @ net.weight.T / SD**2
    mean = torch.linalg.solve(precision, net.weight @ (x[0] - net.mean) / SD**2)
    q = MultivariateNormal(net.q.mean[0], torch.diag(net.q.sd[0] ** 2))
    gap = kl_divergence(q, MultivariateNormal(mean, precision_matrix=precision))
    axes = math.sqrt(K) * torch.eye(K).double()
    elbo = net.elbo(x, torch.cat([axes, -axes])[:, None]).mean()
    assert (elbo + gap).item() == pytest.approx(net.exact_evidence(x).item(), abs=1e-6) and gap > 0.1


def test_the_importance_weighted_bound_tightens_with_samples():
    net, x = LinearGaussian([0.0, 0.0], [1.0, 1.0]), NOISY[:1]
    bounds = [[net.evidence(x, torch.randn(s, 1, K).double()) for _ in range(200)] for s in (1, 200)]
    one, many = (torch.stack(bound).mean() for bound in bounds)
    assert one < many < net.exact_evidence(x).item() + 0.05


@pytest.mark.slow
def test_a_dear_code_is_empty_and_a_cheap_one_is_not():
    rates = []
    for beta in (1e4, 1.0):
        net = VariationalConfig(2, width=16, beta=beta).network(principal(NOISY, 8)).double()
        fit(net, lambda step: (NOISY, NOISY), Steps(150, 5e-3))
        rates.append(net.posterior(NOISY).rate().mean().item())
    assert rates[0] < 0.01 and rates[1] > 1


BORDERS = torch.linspace(0, 1, 21)
SMALL = PrefixCodeConfig(3, backbone=CausalCNNConfig(2, "pooled"), width=16, samples=8)


def network(config=SMALL):
    torch.manual_seed(0)
    return config.network(BORDERS)


@pytest.fixture
def beginning():
    x = torch.arange(1.0, 10).expand(4, 9)
    return x, torch.rand(4, 9), torch.tensor([12.0, 30, 99]).expand(4, 3)


def test_forward_and_log_density_are_one_forecast(beginning):
    net, y_query = network().eval(), torch.rand(4, 3)
    whole = Bars(BORDERS, net(*beginning)).log_density(y_query)
    assert torch.allclose(net.log_density(*beginning, y_query), whole, atol=1e-3)


def test_the_code_is_all_that_a_forecast_knows(beginning):
    x, y, x_query = beginning
    net = network().eval()
    seen = net.posterior(x, y.requires_grad_())
    seen.mean.sum().backward()
    assert (y.grad[:, [0, -1]].abs() > 0).all()
    mask = torch.ones(4, 9, dtype=torch.bool)
    mask[0, 3:] = False
    hidden = net.posterior(x, torch.where(mask, y, torch.nan), mask).mean
    assert torch.allclose(hidden[:1], net.posterior(x[:1, :3], y[:1, :3]).mean, atol=1e-5)
    net.posterior = lambda *_: Normal(seen.mean[:1].expand(4, -1), seen.sd[:1].expand(4, -1))
    logits = net(x, y, x_query)
    assert torch.allclose(logits[0], logits[1], atol=1e-5)


@pytest.mark.parametrize("aim", ["bottleneck", "elbo"])
def test_training_pays_for_the_rate_alone(aim, beginning):
    """The loss with a price minus the loss without one is beta times the KL, shared among the queries."""
    (x, y, x_query), y_query, losses = beginning, torch.rand(4, 3), []
    for beta in (0.0, 0.6):
        net = network(replace(SMALL, aim=aim, beta=beta)).train()
        torch.manual_seed(5)
        losses.append(net.log_density(x, y, x_query, y_query))
    seen, both = net.posterior(x, y), net.posterior(torch.cat([x, x_query], 1), torch.cat([y, y_query], 1))
    rate = seen.rate() if aim == "bottleneck" else both.rate(seen)
    assert torch.allclose(losses[0] - losses[1], 0.2 * rate[:, None].expand(4, 3), atol=1e-5)


def test_an_aim_that_is_unknown_is_refused():
    refuses("bottleneck or elbo", lambda: replace(SMALL, aim="none").network(BORDERS))
