"""Guards variational.py and prefix_code.py: samples, rates and bounds against closed forms."""

import math
from dataclasses import replace

import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence
from torch.distributions import Normal as TorchNormal

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.prefix_code import PrefixCodeConfig
from curvecast.latent.principal import principal
from curvecast.latent.variational import Normal, Variational, VariationalConfig, standard
from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.bars import Bars
from tests.curvecast.refusals import refuses

K, SD = 2, 0.3
X = prior.test_set(300).noisy.double()


def test_samples_have_the_variance_that_was_asked_for():
    """With the square root of sd in place of sd, as in some lecture notes, a variance of 0.25 becomes 0.5."""
    noise, law = torch.randn(100_000, 1), Normal(torch.ones(1), torch.full((1,), 0.5))
    assert law.at(noise).var().item() == pytest.approx(0.25, rel=0.02)
    assert (law.mean + law.sd.sqrt() * noise).var().item() == pytest.approx(0.5, rel=0.02)


def test_gradients_pass_through_a_sample():
    """d/dsd of the mean square of sd times noise is 2 sd times that of the noise."""
    noise, sd = torch.randn(1_000, 1).double(), torch.tensor([0.7], dtype=torch.double, requires_grad=True)
    Normal(torch.zeros(1).double(), sd).at(noise).square().mean().backward()
    assert sd.grad.item() == pytest.approx(2 * 0.7 * noise.square().mean().item())


def test_density_and_rate_are_those_of_torch():
    a, b = (Normal(torch.randn(5, 3), torch.rand(5, 3) + 0.1) for _ in range(2))
    x = torch.randn(5, 3)
    assert torch.allclose(a.log_density(x), TorchNormal(*a).log_prob(x).sum(1), atol=1e-5)
    assert torch.allclose(a.rate(b), kl_divergence(TorchNormal(*a), TorchNormal(*b)).sum(1), atol=1e-5)
    assert standard(x).rate().abs().max() == 0


class LinearGaussian(Variational):
    """h standard normal, x = m + h W + 0.3 noise; q(h|x) is any normal that is given."""

    def __init__(self, mean, sd):
        super().__init__(VariationalConfig(K, width=4), principal(X, 8))
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
    net, x = LinearGaussian([0.3, -0.2], [0.5, 0.8]), X[:1]
    precision = torch.eye(K).double() + net.weight @ net.weight.T / SD**2
    mean = torch.linalg.solve(precision, net.weight @ (x[0] - net.mean) / SD**2)
    q = MultivariateNormal(net.q.mean[0], torch.diag(net.q.sd[0] ** 2))
    gap = kl_divergence(q, MultivariateNormal(mean, precision_matrix=precision))
    axes = math.sqrt(K) * torch.eye(K).double()
    elbo = net.elbo(x, torch.cat([axes, -axes])[:, None]).mean()
    assert (elbo + gap).item() == pytest.approx(net.exact_evidence(x).item(), abs=1e-6) and gap > 0.1


def test_the_importance_weighted_bound_tightens_with_samples():
    net, x = LinearGaussian([0.0, 0.0], [1.0, 1.0]), X[:1]
    bounds = [[net.evidence(x, torch.randn(s, 1, K).double()) for _ in range(200)] for s in (1, 200)]
    one, many = (torch.stack(bound).mean() for bound in bounds)
    assert one < many < net.exact_evidence(x).item() + 0.05


@pytest.mark.slow
def test_a_dear_code_is_empty_and_a_cheap_one_is_not():
    rates = []
    for beta in (1e4, 1.0):
        net = VariationalConfig(2, width=16, beta=beta).network(principal(X, 8)).double()
        fit(net, lambda step: (X, X), Steps(150, 5e-3))
        rates.append(net.posterior(X).rate().mean().item())
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
