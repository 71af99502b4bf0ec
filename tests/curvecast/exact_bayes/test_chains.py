"""Guards mcmc.py, moves.py, linear.py and start.py: chains begin where they may, and stay in what they must find."""

import math

import pytest
import torch

from curvecast.curves.noise import Noise
from curvecast.curves.prior import BASIS, PriorConfig, sample
from curvecast.exact_bayes import exact, linear, mcmc, moves, posterior, start
from curvecast.exact_bayes.moves import State, Target
from curvecast.ground.errors import UserError

CONFIG = PriorConfig()
D, W = 3, 20
MEAN = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])  # of two posteriors
ROOT = torch.tensor([[1.0, 0.0, 0.0], [0.8, 0.3, 0.0], [-0.5, 0.2, 2.0]])  # covariance = ROOT ROOT'


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# ---------------------------------------------------------------------------------------------------------- ensemble
def log_density(theta):
    z = torch.linalg.solve_triangular(ROOT, (theta - MEAN[: len(theta), None]).mT, upper=False)
    return -z.square().sum(1) / 2


def run(steps=6000, density=log_density):
    random = generator()
    return mcmc.ensemble(density, torch.randn(2, W, D, generator=random), steps, random, burn_in=300, thin=2)


def test_it_finds_a_correlated_normal():
    """Mean and covariance of two posteriors at once, within about five standard errors."""
    chain = run()
    assert chain.theta.shape == (3000, 2, W, D)
    for p in range(2):
        states = chain.theta[:, p].flatten(0, 1)
        sd = torch.linalg.norm(ROOT, dim=1)
        assert ((states.mean(0) - MEAN[p]).abs() < 0.12 * sd).all()
        assert ((torch.cov(states.T) - ROOT @ ROOT.T) / (sd[:, None] * sd)).abs().max() < 0.12
    assert ((chain.accepted > 0.3) & (chain.accepted < 0.9)).all()


def test_posteriors_do_not_see_each_other_and_each_walker_keeps_its_column():
    """Another second posterior leaves the first; most walkers stand still between states: columns that traded would not."""
    both = run(50).theta
    other = run(50, lambda theta: log_density(theta) * torch.tensor([[1.0], [3.0]])).theta
    assert torch.equal(both[:, 0], other[:, 0]) and not torch.equal(both[:, 1], other[:, 1])
    assert (both[1:] == both[:-1]).all(-1).float().mean() > 0.1


def test_thinning_keeps_every_kth_state():
    begin = torch.randn(1, W, D, generator=generator(3))
    whole, third = (mcmc.ensemble(log_density, begin, 12, generator(4), thin=thin).theta for thin in (1, 3))
    assert torch.equal(whole[2::3], third)


def test_a_rule_asked_late_gives_the_chain_of_a_rule_asked_first():
    """Density zero outside, or a rule that forbids the outside: the same states."""

    def rule(theta):
        return theta[..., 0] > 0.0

    def walls(theta):
        return torch.where(rule(theta), log_density(theta), -math.inf)

    begin, random = torch.rand(2, W, D, generator=generator(1)) + 0.5, generator(2)
    late = mcmc.ensemble(log_density, begin, 200, generator(2), rule=rule)
    assert torch.equal(late.theta, mcmc.ensemble(walls, begin, 200, random).theta) and rule(late.theta).all()
    assert not rule(mcmc.ensemble(log_density, begin, 200, random).theta).all()


def test_halves_are_dealt_anew():
    """400 small balls in six dimensions are as wide as the target after 150 steps; with fixed halves a tenth is missing."""
    ball = 1e-3 * torch.randn(400, 12, 6, generator=generator())
    chain = mcmc.ensemble(lambda theta: -theta.square().sum(2) / 2, ball, 150, generator(1), thin=150)
    assert 0.96 < chain.theta[-1].square().mean() < 1.06


@pytest.mark.parametrize(("walkers", "density", "says"), [
    (4, log_density, "walkers"), (21, log_density, "walkers"),
    (W, lambda theta: torch.full(theta.shape[:2], -math.inf), "density is zero"),
])  # fmt: skip
def test_what_cannot_run_is_refused(walkers, density, says):
    with pytest.raises(UserError, match=says):
        mcmc.ensemble(density, torch.zeros(1, walkers, D), 1, generator())


# ------------------------------------------------------------------------------------------------------------- moves
@pytest.fixture(scope="module")
def known():
    """One curve of which three points were seen: a bank alone knows its posterior well."""
    random = generator(3)
    y = torch.tensor([[0.50, 0.66, 0.60]])
    bank = exact.bank(CONFIG, 400_000, random)
    target = Target(CONFIG, y, Noise(CONFIG, 3))
    weight = target.noise.log_likelihood((bank.f[None, :, :3] - y[:, None]).square().sum(2)).softmax(1)
    assert 1 / weight.square().sum() > 1500  # effective number
    theta = bank.theta[exact.resample(weight.log(), 2000, random)]
    theta = theta[:, torch.randperm(2000, generator=random)]
    return target, State(theta, *target(theta)), random


@pytest.mark.parametrize("kind", ["differ", "along_lines", "bend"])
def test_a_move_leaves_the_posterior_as_it_is(kind, known):
    """Mean and spread of three epochs before and after 25 moves, in units of the spread (about four standard errors)."""
    target, before, random = known
    after = before
    for _ in range(25):
        if kind == "differ":
            after, _ = moves.differ(after, target, torch.ones(1), random)
        elif kind == "bend":
            after, _ = moves.bend(after, target, random)
        else:
            after = moves.along_lines(after, target, random)
    assert (after.theta != before.theta).any(-1).float().mean() > 0.3
    for place in (4, 30, 99):
        a, b = (moves.clean(CONFIG, state.theta, target.x)[0, :, place] for state in (before, after))
        assert abs(a.mean() - b.mean()) < 0.15 * a.std() and abs(a.std() / b.std() - 1) < 0.15
    assert torch.isfinite(after.log_prior).all()


def test_a_beginning_that_is_believed_by_a_share_is_explored_more_widely(known):
    """At a tenth of the likelihood the sums of squares are larger than at the whole."""
    target, state, random = known
    for _ in range(20):
        state, _ = moves.differ(state, target, torch.full((1,), 0.1), random)
    assert state.squares.mean() > 2 * known[1].squares.mean()


X = torch.arange(1.0, 101)
THETA = exact.bank(CONFIG, 12, generator()).theta.view(3, 4, -1)


@pytest.mark.parametrize("make", [linear.levels, linear.weights])
def test_values_times_columns_are_the_curve(make):
    """Both blocks, for the paper's three families, against the curves of the posterior."""
    block = make(CONFIG, THETA, X)
    assert torch.allclose(block.curve(THETA), moves.clean(CONFIG, THETA, X), atol=1e-5)
    inside = THETA[..., block.places]
    assert (inside >= block.low).all() and (inside <= block.low + block.width).all()


def test_what_the_points_say_is_least_squares_where_they_are_many():
    """With almost no noise the mean of the weights is theirs, and its precision that of a regression."""
    block = linear.weights(CONFIG, THETA[:, :1], X)
    y, columns = block.curve(THETA[:, :1])[:, 0], block.columns.double()
    root, mean = block.conditional_normal(y, torch.full((3, 1, 1), 1e-4))
    assert torch.allclose((columns.mT @ mean[..., None])[:, 0, :, 0], y.double(), atol=1e-3)
    assert torch.allclose(root @ root.mT, columns @ columns.mT / 1e-8 + 12 * torch.eye(3), rtol=1e-3)


# ------------------------------------------------------------------------------------------------------------- start
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("pow3", (0.9, 0.4, -0.5)), ("ilog2", (0.7, 0.2)), ("janoschek", (0.8, 0.2, -2.0, 0.3))],
)
def test_a_family_finds_its_own_curve(name, parameters):
    """Without noise, least squares returns the parameters that made the curve."""
    p = torch.tensor(parameters)[:, None, None]
    level, amplitude = BASIS[name].level_amplitude(*p)
    alone = PriorConfig(curves=(name,))
    found = start.point(alone, level - amplitude * BASIS[name].shape(X[:40], *p))[0]
    assert torch.allclose(found[:-1], torch.tensor([1.0, *parameters]), atol=0.02)


def test_every_start_is_allowed_and_carries_the_noise_of_its_residuals():
    """On the prior's own curves: a sigma that is not far from the truth on average, and a ball of walkers around."""
    curves = sample(CONFIG, 60, generator(1))
    y = curves.noisy[:, :30]
    theta = start.point(CONFIG, y)
    assert torch.isfinite(posterior.log_posterior(CONFIG, theta[:, None], y)).all()
    assert ((theta[:, 1] - start.DEFAULT["pow3"][0]).abs() > 1e-6).float().mean() > 0.8  # fitted
    assert abs((theta[:, -1] - curves.sigma.log()).median()) < 0.8
    walkers = start.ball(CONFIG, y[:5], 40, generator(3), radius=1e-3)
    assert torch.isfinite(posterior.log_posterior(CONFIG, walkers, y[:5])).all()
    assert (walkers - theta[:5, None]).abs().max() < 1e-2 and (walkers.std(1) > 1e-5).all()


def test_a_chain_begins_at_the_defaults_where_least_squares_knows_nothing_better():
    """A falling curve cannot be the prior's; every shape meets one, two or three points."""
    default = torch.tensor(start.DEFAULT["pow3"])
    assert torch.allclose(start.point(CONFIG, torch.linspace(0.9, 0.1, 20)[None])[0, 1:4], default)
    for seen in (1, 2, 3):
        theta = start.point(CONFIG, sample(CONFIG, 3, generator(4)).noisy[:, :seen])
        assert torch.allclose(theta[:, 3], default[2])
