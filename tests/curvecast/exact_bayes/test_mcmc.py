"""Guards curvecast/exact_bayes/mcmc.py against a posterior in closed form."""

import math

import pytest
import torch

from curvecast.exact_bayes import mcmc
from curvecast.ground.errors import UserError

D, W = 3, 20
MEAN = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])  # of two posteriors
ROOT = torch.tensor([[1.0, 0.0, 0.0], [0.8, 0.3, 0.0], [-0.5, 0.2, 2.0]])  # covariance = ROOT ROOT'


def log_density(theta):
    z = torch.linalg.solve_triangular(ROOT, (theta - MEAN[: len(theta), None]).mT, upper=False)
    return -z.square().sum(1) / 2


def run(seed=0, steps=6000, P=2, density=log_density):
    generator = torch.Generator().manual_seed(seed)
    start = torch.randn(P, W, D, generator=generator)
    return mcmc.ensemble(density, start, steps, generator, burn_in=300, thin=2)


def test_it_finds_a_correlated_normal():
    """Mean and covariance of two posteriors at once, within about five standard errors."""
    chain = run()
    assert chain.theta.shape == (3000, 2, W, D)
    for p in range(2):
        states = chain.theta[:, p].flatten(0, 1)
        sd = torch.linalg.norm(ROOT, dim=1)
        assert ((states.mean(0) - MEAN[p]).abs() < 0.12 * sd).all()
        off = (torch.cov(states.T) - ROOT @ ROOT.T) / (sd[:, None] * sd)
        assert off.abs().max() < 0.12
    assert ((chain.accepted > 0.3) & (chain.accepted < 0.9)).all()


def test_posteriors_do_not_see_each_other():
    """Changing the second leaves every state of the first."""
    both = run(steps=50)
    other = run(steps=50, density=lambda theta: log_density(theta) * torch.tensor([[1.0], [3.0]]))
    assert torch.equal(both.theta[:, 0], other.theta[:, 0]) and not torch.equal(
        both.theta[:, 1], other.theta[:, 1]
    )


def test_thinning_keeps_every_kth_state():
    """The same chain, fewer of its states."""
    generator = torch.Generator().manual_seed(3)
    start = torch.randn(1, W, D, generator=generator)
    chains = [
        mcmc.ensemble(log_density, start, 12, torch.Generator().manual_seed(4), thin=thin) for thin in (1, 3)
    ]
    assert torch.equal(chains[0].theta[2::3], chains[1].theta)


def test_what_cannot_run_is_refused():
    """Too few walkers, an odd number, and a start where the density is zero."""
    generator = torch.Generator()
    for walkers in (4, 21):
        with pytest.raises(UserError, match="walkers"):
            mcmc.ensemble(log_density, torch.zeros(1, walkers, D), 1, generator)
    with pytest.raises(UserError, match="density is zero"):
        mcmc.ensemble(
            lambda theta: torch.full(theta.shape[:2], -math.inf), torch.zeros(1, W, D), 1, generator
        )


def test_a_rule_asked_late_gives_the_chain_of_a_rule_asked_first():
    """Density zero outside, or a rule that forbids the outside: the same states."""
    rule = lambda theta: theta[..., 0] > 0.0  # noqa: E731  # one line, used twice
    walls = lambda theta: torch.where(rule(theta), log_density(theta), -math.inf)  # noqa: E731  # as above
    start = torch.rand(2, W, D, generator=torch.Generator().manual_seed(1)) + 0.5
    generators = [torch.Generator().manual_seed(2) for _ in "ab"]
    late = mcmc.ensemble(log_density, start, 200, generators[0], rule=rule)
    first = mcmc.ensemble(walls, start, 200, generators[1])
    assert torch.equal(late.theta, first.theta) and (late.theta[..., 0] > 0).all()
    assert (mcmc.ensemble(log_density, start, 200, generators[1]).theta[..., 0] <= 0).any()


def test_halves_are_dealt_anew():
    """400 small balls in six dimensions are as wide as the target after 150 steps; with fixed halves a tenth is missing."""
    generator = torch.Generator().manual_seed(0)
    ball = 1e-3 * torch.randn(400, 12, 6, generator=generator)
    chain = mcmc.ensemble(lambda theta: -theta.square().sum(2) / 2, ball, 150, generator, thin=150)
    assert 0.96 < chain.theta[-1].square().mean() < 1.06


def test_each_walker_keeps_its_column():
    """Between two states most walkers stand still or move along one line; columns that traded places would not."""
    chain = run(steps=200)
    still = (chain.theta[1:] == chain.theta[:-1]).all(-1).float().mean()
    assert still > 0.1
