"""Guards curvecast/latent/variational.py: the ELBO in a case whose evidence is known, and what beta does."""

import math

import pytest
import torch
from torch.distributions import MultivariateNormal

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.gaussian import Normal
from curvecast.latent.principal import principal
from curvecast.latent.variational import Variational, VariationalConfig

K, SD = 2, 0.3
X = prior.test_set(300).noisy.double()


class LinearGaussian(Variational):
    """h standard normal, x = m + h W + 0.3 noise; q(h|x) is any normal that is given."""

    def __init__(self, weight, q):
        super().__init__(VariationalConfig(K, width=4), principal(X, 8))
        self.weight, self.q = weight, q

    def posterior(self, x):
        return Normal(self.q.mean.expand(len(x), -1), self.q.sd.expand(len(x), -1))

    def likelihood(self, code):
        mean = self.mean + code @ self.weight
        return Normal(mean, torch.full_like(mean[..., :1], SD))


def made(q):
    generator = torch.Generator().manual_seed(0)
    net = LinearGaussian(torch.randn(K, 100, generator=generator).double() / 10, q)
    x = X[:1]
    precision = torch.eye(K).double() + net.weight @ net.weight.T / SD**2
    exact = MultivariateNormal(
        torch.linalg.solve(precision, net.weight @ (x[0] - net.mean) / SD**2), precision_matrix=precision
    )
    evidence = MultivariateNormal(
        net.mean, net.weight.T @ net.weight + SD**2 * torch.eye(100).double()
    ).log_prob(x)
    return net, x, exact, evidence


def ends():
    """Noise with mean 0 and covariance 1 exactly: the ELBO of a linear decoder is then no estimate."""
    axes = math.sqrt(K) * torch.eye(K).double()
    return torch.cat([axes, -axes])[:, None]


def test_elbo_and_kl_to_the_posterior_are_the_evidence():
    q = Normal(torch.tensor([[0.3, -0.2]]).double(), torch.tensor([[0.5, 0.8]]).double())
    net, x, exact, evidence = made(q)
    gap = torch.distributions.kl_divergence(MultivariateNormal(q.mean[0], torch.diag(q.sd[0] ** 2)), exact)
    elbo = net.elbo(x, ends()).mean()
    assert (elbo + gap).item() == pytest.approx(evidence.item(), abs=1e-6) and gap > 0.1


def test_the_importance_weighted_bound_tightens_with_samples():
    q = Normal(torch.zeros(1, K).double(), torch.ones(1, K).double())
    net, x, _, evidence = made(q)
    torch.manual_seed(0)
    one, many = (
        torch.stack([net.evidence(x, torch.randn(s, 1, K).double()) for _ in range(200)]).mean()
        for s in (1, 200)
    )
    assert one < many < evidence.item() + 0.05


def test_a_dear_code_is_empty_and_a_cheap_one_is_not():
    rates = {}
    for beta in (1e4, 1.0):
        torch.manual_seed(0)
        net = VariationalConfig(2, width=16, beta=beta).network(principal(X, 8)).double()
        fit(net, lambda step: (X, X), Steps(150, 5e-3))
        rates[beta] = net.posterior(X).rate().mean().item()
    assert rates[1e4] < 0.01 and rates[1.0] > 1
