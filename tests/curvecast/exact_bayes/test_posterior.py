"""Guards exact_bayes: the density is the prior's, brute force gives the same, and chains stay in what they must find."""

import math

import pytest
import torch
from torch.distributions import Categorical, MixtureSameFamily, Normal

from curvecast.curves.prior import BASIS, Noise, PriorConfig, passes, sample
from curvecast.exact_bayes import exact, mcmc, moves, posterior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.exact_bayes.moves import Cloud, State, Target
from curvecast.exact_bayes.nearest import nearest
from tests.curvecast.generators import generator
from tests.curvecast.refusals import refuses

CONFIG = PriorConfig()
SIMPLE = PriorConfig(curves=("ilog2",), length=30)  # three parameters: brute force can do it
X = torch.arange(1.0, 101)
# one curve that keeps the rules: weights .8, .3, .1 of pow3, ilog2, Janoschek, and ln sigma
THETA = torch.tensor([0.8, 0.9, 0.4, -0.5, 0.3, 0.3, 0.2, 0.1, 0.6, 0.2, -2.0, 0.1, -4.2])


def test_log_prior_is_that_of_the_laws():
    other = THETA.clone()
    other[3], other[-1] = 2.0, -5.0
    expected = Normal(0.0, 2.0).log_prob(other[3]) - Normal(0.0, 2.0).log_prob(THETA[3])
    expected += Normal(-4.0, 1.0).log_prob(other[-1]) - Normal(-4.0, 1.0).log_prob(THETA[-1])
    gap = posterior.log_prior(CONFIG, other) - posterior.log_prior(CONFIG, THETA)
    assert gap.item() == pytest.approx(expected.item(), rel=1e-5)
    for place, value in ((0, 1.01), (1, -0.01), (2, 0.61), (9, 2.1)):
        outside = THETA.clone()
        outside[place] = value
        assert posterior.log_prior(CONFIG, outside) == -math.inf


def test_log_posterior_adds_the_likelihood_and_the_rules():
    other, high, falling = THETA.clone(), THETA.clone(), THETA.clone()
    other[0], other[-1] = 0.82, -3.9
    high[1] = 1.25
    high[4:6] = 1.0
    falling[2] = -0.5
    y = posterior.curves(CONFIG, THETA, X)[None, :12] + 0.01 * torch.randn(1, 12, generator=generator())
    found = posterior.log_posterior(CONFIG, torch.stack([THETA, other, high, falling])[None], y)[0]
    expected = []
    for theta in (THETA, other):
        likelihood = Normal(posterior.curves(CONFIG, theta, X)[:12], theta[-1].exp()).log_prob(y[0]).sum()
        expected.append(likelihood + posterior.log_prior(CONFIG, theta))
    assert (found[0] - found[1]).item() == pytest.approx((expected[0] - expected[1]).item(), rel=1e-4)
    assert found[2] == found[3] == -math.inf


def test_bounds_between_few_epochs_give_the_answer_of_all_epochs():
    """Some curves turn between the few, and break a rule there only."""
    ends = [(law.a, law.b) if law.kind == "uniform" else (law.a - 2 * law.b, law.a + 2 * law.b)
            for law in posterior.laws(CONFIG)]  # fmt: skip
    low, high = torch.tensor(ends).T
    theta = low + (high - low) * torch.rand(200_000, len(low), generator=generator())
    f = posterior.curves(CONFIG, theta, X)
    good = passes(f)
    least, most = f.aminmax(dim=1)
    edge = torch.minimum(least.abs(), (1 - most).abs()) < 1e-6
    assert torch.equal(posterior.allowed(CONFIG, theta) | edge, good | edge)
    turns = passes(f[:, [0, 1, 3, 8, 25, 99]]) & ~good
    assert turns.sum() >= 5  # looked at only there, these would have been let in


def test_the_bank_is_the_prior():
    bank, other = exact.bank(CONFIG, 40_000, generator(1)), sample(CONFIG, 40_000, generator(2)).clean
    for t in (0, 9, 99):
        a, b = bank.f[:, t], other[:, t]
        assert abs(a.mean() - b.mean()) < 5 * math.hypot(a.std(), b.std()) / 200
        assert abs(a.std() / b.std() - 1) < 0.03
    assert torch.allclose(moves.clean(CONFIG, bank.theta[:5], X), bank.f[:5], atol=1e-6)


def test_resampling_takes_each_as_often_as_its_weight():
    share = torch.tensor([[0.5, 0.2, 0.2, 0.1], [0.0, 1.0, 0.0, 0.0]])
    for seed in range(20):
        pick = exact.resample(share.log(), 7, generator(seed))
        counts = torch.stack([row.bincount(minlength=4) for row in pick])
        assert (counts - 7 * share).abs().max() < 1 and counts[1, 1] == 7


@pytest.mark.slow
def test_the_judge_agrees_with_brute_force():
    """Three parameters: a bank of 400,000 needs no chains; a small one that is tempered and moved gives the same forecast."""
    seen = sample(SIMPLE, 4, generator(5)).noisy[:, :8]
    large, noise = exact.bank(SIMPLE, 400_000, generator(6)), Noise(SIMPLE, 8)
    S = (large.f[None, :, :8] - seen[:, None]).square().sum(2)
    weight = noise.log_likelihood(S).softmax(1)
    assert (1 / weight.square().sum(1)).min() > 300
    pick = exact.resample(weight.log(), 4000, generator(7))
    brute = Cloud(large.f[pick], noise.draw(S.gather(1, pick), generator(7)))
    how = PosteriorConfig(islands=4, population=50, moves=10, steps=150, keep=20)
    found = exact.exact_posterior(SIMPLE, seen, exact.bank(SIMPLE, 2000, generator(8)), generator(9), how)
    assert found.rises.max() > 0 and found.ess.min() > 400
    wanted, ours = (
        torch.stack([cloud.quantile(level) for level in (0.16, 0.5, 0.84)]) for cloud in (brute, found.cloud)
    )
    assert ((ours - wanted) / (wanted[2] - wanted[0])).abs().max() < 0.1


@pytest.mark.parametrize("y", [[0.5] * 4, [1.5] * 4, [0.5]], ids=["constant", "outside", "one point"])
def test_beginnings_that_the_prior_hardly_knows_still_get_a_forecast(y):
    how = PosteriorConfig(islands=2, population=32, steps=20, keep=5)
    bank = exact.bank(CONFIG, 4000, generator(1))
    both = (torch.tensor([y], dtype=kind) for kind in (torch.float32, torch.float64))
    one, other = (exact.exact_posterior(CONFIG, y, bank, generator(2), how).cloud for y in both)
    assert torch.isfinite(one.log_density(torch.full((1, 100), 0.5))).all()
    assert (one.quantile(0.05) < one.quantile(0.95)).all() and torch.equal(one.f, other.f)


def test_a_cloud_is_a_mixture_of_normals():
    random = generator()
    f, sigma = torch.rand(2, 30, 5, generator=random), 0.01 + 0.1 * torch.rand(2, 30, generator=random)
    y, log_w = torch.rand(2, 5, generator=random) * 1.4 - 0.2, torch.randn(2, 30, generator=random)
    for weights in (log_w, None):
        cloud = Cloud(f, sigma, weights)
        shares = Categorical(logits=(0 * log_w if weights is None else log_w)[:, None].expand(-1, 5, -1))
        theirs = MixtureSameFamily(shares, Normal(f.transpose(1, 2), sigma[:, None].expand(-1, 5, -1)))
        assert torch.allclose(cloud.log_density(y), theirs.log_prob(y), atol=1e-4)
        assert torch.allclose(cloud.cdf(y), theirs.cdf(y), atol=1e-5)
        assert torch.allclose(cloud.mean(), theirs.mean, atol=1e-6)
        for level in (0.001, 0.25, 0.95):
            assert torch.allclose(cloud.cdf(cloud.quantile(level)), torch.tensor(level), atol=1e-4)
        assert torch.allclose(cloud.later(3).log_density(y[:, 3:]), cloud.log_density(y)[:, 3:], atol=1e-5)


def size(left: torch.Tensor) -> torch.Tensor:
    return left.square().mean(1).sqrt()


@pytest.mark.slow
def test_a_curve_of_the_prior_is_its_own_nearest_and_none_that_made_the_data_lies_nearer():
    """Most to a thousandth, as no quick search finds all valleys; what lies behind the end of a curve does not count."""
    curves = sample(CONFIG, 8, generator())
    off = size(nearest(CONFIG, curves.clean) - curves.clean)
    assert off.median() < 2e-4 and off.max() < 5e-3
    f, made = nearest(CONFIG, curves.noisy), size(curves.clean - curves.noisy)
    assert (size(f - curves.noisy) < 1.03 * made).all() and (size(f - curves.noisy) > 0.8 * made).all()
    short = curves.noisy[:1].clone()
    short[:, 40:] = math.nan
    padded = nearest(CONFIG, torch.cat([short, curves.noisy[1:2]]))
    assert torch.allclose(padded[0, :40], nearest(CONFIG, short[:, :40])[0], atol=1e-4)
    assert padded.isfinite().all()


def test_the_nearest_curve_keeps_the_rules():
    falling, beyond = torch.linspace(0.9, 0.3, 60)[None], torch.linspace(0.8, 1.4, 60)[None]
    f = nearest(CONFIG, torch.cat([falling, beyond]))
    assert f.min() > -1e-3 and f.max() < 1.01 and (f[:, -1] - f[:, 0]).min() > -1e-3
    # it may fall in between: the rule looks at both ends
    assert size(f[:1] - falling) < size(falling - falling.mean())


D, W = 3, 20
MEAN = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])  # of two posteriors
ROOT = torch.tensor([[1.0, 0.0, 0.0], [0.8, 0.3, 0.0], [-0.5, 0.2, 2.0]])  # covariance = ROOT ROOT'


def log_density(theta):
    z = torch.linalg.solve_triangular(ROOT, (theta - MEAN[: len(theta), None]).mT, upper=False)
    return -z.square().sum(1) / 2


def run(steps=3000, density=log_density):
    random = generator()
    return mcmc.ensemble(density, torch.randn(2, W, D, generator=random), steps, random, burn_in=300, thin=2)


@pytest.mark.slow
def test_it_finds_a_correlated_normal():
    chain = run()
    assert chain.theta.shape == (1500, 2, W, D)
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


def test_a_rule_asked_late_gives_the_chain_of_a_rule_asked_first():

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


@pytest.fixture(scope="module")
def known():
    """One curve of which three points were seen: a bank alone knows its posterior well."""
    random = generator(3)
    y = torch.tensor([[0.50, 0.66, 0.60]])
    bank = exact.bank(CONFIG, 200_000, random)
    target = Target(CONFIG, y, Noise(CONFIG, 3))
    weight = target.noise.log_likelihood((bank.f[None, :, :3] - y[:, None]).square().sum(2)).softmax(1)
    assert 1 / weight.square().sum() > 750  # effective number
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


STATES = exact.bank(CONFIG, 12, generator()).theta.view(3, 4, -1)


@pytest.mark.parametrize("make", [moves.levels, moves.weights])
def test_values_times_columns_are_the_curve(make):
    block = make(CONFIG, STATES, X)
    assert torch.allclose(block.curve(STATES), moves.clean(CONFIG, STATES, X), atol=1e-5)
    inside = STATES[..., block.places]
    assert (inside >= block.low).all() and (inside <= block.low + block.width).all()


def test_what_the_points_say_is_least_squares_where_they_are_many():
    block = moves.weights(CONFIG, STATES[:, :1], X)
    y, columns = block.curve(STATES[:, :1])[:, 0], block.columns.double()
    root, mean = block.conditional_normal(y, torch.full((3, 1, 1), 1e-4))
    assert torch.allclose((columns.mT @ mean[..., None])[:, 0, :, 0], y.double(), atol=1e-3)
    assert torch.allclose(root @ root.mT, columns @ columns.mT / 1e-8 + 12 * torch.eye(3), rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("pow3", (0.9, 0.4, -0.5)), ("ilog2", (0.7, 0.2)), ("janoschek", (0.8, 0.2, -2.0, 0.3))],
)
def test_a_family_finds_its_own_curve(name, parameters):
    p = torch.tensor(parameters)[:, None, None]
    level, amplitude = BASIS[name].level_amplitude(*p)
    alone = PriorConfig(curves=(name,))
    found = mcmc.point(alone, level - amplitude * BASIS[name].shape(X[:40], *p))[0]
    assert torch.allclose(found[:-1], torch.tensor([1.0, *parameters]), atol=0.02)


def test_every_start_is_allowed_and_carries_the_noise_of_its_residuals():
    curves = sample(CONFIG, 60, generator(1))
    y = curves.noisy[:, :30]
    theta = mcmc.point(CONFIG, y)
    assert torch.isfinite(posterior.log_posterior(CONFIG, theta[:, None], y)).all()
    assert ((theta[:, 1] - mcmc.DEFAULT["pow3"][0]).abs() > 1e-6).float().mean() > 0.8  # fitted
    assert abs((theta[:, -1] - curves.sigma.log()).median()) < 0.8
    walkers = mcmc.ball(CONFIG, y[:5], 40, generator(3), radius=1e-3)
    assert torch.isfinite(posterior.log_posterior(CONFIG, walkers, y[:5])).all()
    assert (walkers - theta[:5, None]).abs().max() < 1e-2 and (walkers.std(1) > 1e-5).all()


def test_a_chain_begins_at_the_defaults_where_least_squares_knows_nothing_better():
    default = torch.tensor(mcmc.DEFAULT["pow3"])
    assert torch.allclose(mcmc.point(CONFIG, torch.linspace(0.9, 0.1, 20)[None])[0, 1:4], default)
    for seen in (1, 2, 3):  # every shape meets these
        theta = mcmc.point(CONFIG, sample(CONFIG, 3, generator(4)).noisy[:, :seen])
        assert torch.allclose(theta[:, 3], default[2])


BANK = exact.bank(SIMPLE, 1000, generator())


def judge(y):
    return exact.exact_posterior(SIMPLE, y, BANK, generator())


def chain(walkers, density):
    return mcmc.ensemble(density, torch.zeros(1, walkers, D), 1, generator())


@pytest.mark.parametrize(("ask", "says"), [
    (lambda: judge(torch.full((2, 5), math.nan)), "observed"),
    (lambda: judge(torch.full((2, 10), 50.0)), "so far outside"),
    (lambda: judge(torch.tensor([[0.5] * 4, [3.0] * 4])), "curve 1 .* so far outside"),
    (lambda: chain(W, lambda theta: torch.full(theta.shape[:2], -math.inf)), "density is zero"),
])  # fmt: skip
def test_what_says_nothing_cannot_move_or_has_no_mass_is_refused(ask, says):
    refuses(says, ask)
