"""Guards prior.py, noise.py and outside_prior.py: the right curves, everywhere the same, and what lies outside of them."""

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.counter import Draw
from curvecast.curves.laws.real_runs import FEATURES, real_runs
from curvecast.curves.noise import Noise
from curvecast.curves.outside_prior import KINDS
from curvecast.curves.prior import BASIS, PriorConfig
from curvecast.ground.config import digest
from curvecast.ground.errors import UserError
from tests.curvecast.curves.fingerprint import fingerprint

TEST_SETS = {
    prior.test_set: "59adad2d63bb77cc9f50f0e16a2225a83b9d155be92a84362692601a92b9d27b",
    prior.second_test_set: "fd97806d4785d98eabfc9e187ecf40411a83e49e93adaae788f9041d5aaa0805",
}


def draw(n=40_000, seed=0, **changes):
    return prior.sample(PriorConfig(**changes), n, torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def curves():
    return draw()


def test_moments_are_those_of_the_paper_s_prior(curves):
    """Means, spread and shares of an independent simulation (40,000 curves: five standard errors are 0.006)."""
    assert curves.clean.min() >= 0 and curves.clean.max() <= 1
    assert (curves.clean[:, -1] > curves.clean[:, 0]).all()
    at = [0, 1, 4, 9, 19, 49, 99]
    expected = torch.tensor([0.418, 0.513, 0.560, 0.581, 0.594, 0.605, 0.611])
    assert torch.allclose(curves.clean[:, at].mean(0), expected, atol=0.006)
    assert torch.allclose(curves.clean[:, [0, 99]].std(0), torch.tensor([0.226, 0.227]), atol=0.004)
    never_fall = (curves.clean.diff(dim=1) >= 0).all(1).float().mean()
    assert abs(never_fall - 0.515) < 0.0135


def test_the_noise_is_the_code_s_and_is_not_clipped(curves):
    """ln sigma ~ N(-4, 1), residuals have just that size, and about one point in a hundred lies outside [0, 1]."""
    log, z = curves.sigma.log(), (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(log.mean() + 4) < 0.025 and abs(log.std() - 1) < 0.02
    assert abs(z.mean()) < 0.003 and abs(z.std() - 1) < 0.003
    oracle = torch.distributions.Normal(curves.clean, curves.sigma[:, None]).log_prob(curves.noisy)
    assert abs(oracle.mean() - prior.ORACLE_LL) < 0.025
    assert 0.008 < ((curves.noisy < 0) | (curves.noisy > 1)).float().mean() < 0.014


def test_acceptance_is_the_paper_s_and_looking_at_a_few_epochs_first_changes_nothing():
    """0.2058 of all proposals pass: the same as with the full check alone."""
    config, n = PriorConfig(length=30), 5000
    quick, which = prior.proposals(config, n, Draw(np.random.default_rng(1)))
    same_draws = Draw(np.random.default_rng(1))
    weights = [same_draws.uniform(0, 1, n)[:, None] for _ in config.curves]
    parameters = [[law.draw(same_draws, n)[:, None] for law in BASIS[name].laws] for name in config.curves]
    f = prior.weighted_sum(config, torch.arange(1, 31).double(), weights, parameters)
    assert torch.allclose(quick, f[prior.passes(f)], atol=1e-12)
    assert torch.equal(which, prior.passes(f).nonzero()[:, 0])
    passed, _ = prior.proposals(PriorConfig(), 100_000, Draw(torch.Generator().manual_seed(5)))
    assert abs(len(passed) / 100_000 - 0.2058) < 0.0065


def test_basis_curves_are_the_paper_s_formulas():
    x = torch.tensor([1.0, 2.0, 10.0, 100.0], dtype=torch.float64)
    formulas = {
        ("pow3", 0.84, 0.52, np.log(0.4)): 0.84 - 0.52 * x**-0.4, ("ilog2", 0.78, 0.43): 0.78 - 0.43 / torch.log(x + 1),
        ("janoschek", 0.73, 0.07, np.log(0.355), np.log(0.46)): 0.73 - 0.66 * torch.exp(-0.355 * x**0.46),
    }  # fmt: skip
    for (name, *values), expected in formulas.items():
        parameters = [torch.full((1, 1), value, dtype=torch.float64) for value in values]
        one = torch.ones(1, 1, dtype=torch.float64)
        found = prior.weighted_sum(PriorConfig(curves=(name,)), x, [one], [parameters])
        assert torch.allclose(found[0], expected), name


@pytest.mark.parametrize("name", BASIS)
def test_the_shape_of_every_family_never_rises(name):
    """The bounds of posterior.py rest on it."""
    dice = Draw(torch.Generator().manual_seed(0))
    parameters = [law.draw(dice, 5000)[:, None] for law in BASIS[name].laws]
    assert (BASIS[name].shape(torch.arange(1.0, 101), *parameters).diff(dim=1) <= 0).all()


@pytest.mark.parametrize("test_set", TEST_SETS, ids=lambda made: made.__name__)
def test_a_test_set_is_the_same_everywhere(test_set):
    """It has its committed fingerprint, a part of it is its beginning, and who writes into it writes into a copy."""
    whole = test_set()
    assert fingerprint(whole) == TEST_SETS[test_set]
    assert torch.equal(test_set(7).noisy, whole.noisy[:7])
    whole.noisy.zero_()
    assert fingerprint(test_set()) == TEST_SETS[test_set]


@pytest.mark.parametrize("bad", [
    {"curves": ("pow9",)}, {"curves": ()}, {"length": 1}, {"real": 1.0, "length": 1}, {"real": 0.5, "curves": ()},
    {"real": 2.0}, {"real": -0.1}, {"real": float("nan")}, {"real": 0.5, "without": ("flatt",)},
])  # fmt: skip
def test_a_prior_that_cannot_be_is_refused(bad):
    with pytest.raises(UserError, match="cannot sample"):
        draw(5, **bad)


def test_a_test_set_does_not_grow_silently():
    with pytest.raises(UserError, match="10000"):
        prior.test_set(10_001)


def test_without_real_runs_the_prior_is_what_it_was():
    """The name of the config and its curves are those from before there were laws of real runs."""
    assert digest(PriorConfig()) == digest(PriorConfig(real=0.0, without=())) == "226cf338649d"
    others = [PriorConfig(), PriorConfig(real=0.5), PriorConfig(real=0.5, without=("flat",))]
    assert len({digest(config) for config in others}) == 3
    assert torch.equal(draw(50, real=0.0).noisy, draw(50).noisy)


@pytest.mark.parametrize("real", [0.001, 0.25, 0.5, 1.0])
def test_real_runs_have_their_share(real):
    """So many curves are the laws', one at least, and the others are the paper's; both kinds lie anywhere."""
    n, k = 400, max(1, round(400 * real))
    mixed = draw(n, real=real)
    laws = real_runs(k, 100, (), torch.Generator().manual_seed(0))[1]
    own = (mixed.noisy[:, None] == laws).all(2).any(1)  # (n,)
    assert own.sum() == k and mixed.noisy.shape == (n, 100)
    assert k == n or prior.passes(mixed.clean[~own]).all()
    assert not 0.1 < real < 1 or 0.7 * real < own[: n // 2].double().mean() < 1.3 * real


def test_rows_of_a_mixed_prior_stay_together():
    mixed = draw(300, real=0.5, without=tuple(name for name in FEATURES if name not in ("flat", "late")))
    z = (mixed.noisy - mixed.clean) / mixed.sigma[:, None]
    assert (z.std(1) - 1).abs().max() < 0.4 and z.mean(1).abs().max() < 0.5


@pytest.mark.parametrize("n", [1, 10, 80])
def test_the_noise_is_integrated_out_and_drawn_from_its_posterior(n):
    """Against quadrature over ln sigma, for sums of squares from almost nothing to large; constants cancel."""
    S = torch.tensor([1e-8, 1e-4, 0.004, 0.01, 1.0, 30.0]).double()
    s = torch.linspace(-14, 4, 20_001).double()
    joint = -((s + 4) ** 2) / 2 - n * s - S[:, None] / 2 * torch.exp(-2 * s)
    exactly, found = joint.logsumexp(1), Noise(PriorConfig(), n).log_likelihood(S.float()).double()
    assert torch.allclose(found - found[2], exactly - exactly[2], atol=0.01, rtol=1e-3)
    weight = joint[2].softmax(0)
    mean = (weight * s).sum()
    error = (weight * (s - mean) ** 2).sum() ** 0.5 / 20_000**0.5
    generator = torch.Generator().manual_seed(0)
    drawn = Noise(PriorConfig(), n).draw(torch.full((20_000,), 0.004), generator).log().double()
    assert abs(drawn.mean() - mean) < 5 * error + 0.02


GIVEN, EPOCH = prior.test_set(200), torch.arange(1, 101)


def outside(name: str) -> torch.Tensor:
    return KINDS[name].make(GIVEN, torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("name", "last"), [("learning rate drops", 50), ("overfits", 30), ("diverges", 55)])
def test_a_late_change_leaves_what_came_before_as_it_was(name, last):
    differs = (outside(name) != GIVEN.noisy).any(0)
    assert not differs[:last].any() and differs[last:].all()


def test_what_is_changed_has_the_stated_size_and_place():
    """A drop gains a third of what is missing; spikes at 5, 15, 25, …; a tooth is as much above as below."""
    clean = outside("learning rate drops") - (GIVEN.noisy - GIVEN.clean)
    assert torch.allclose(1 - clean[:, 50:], (1 - GIVEN.clean[:, 50:]) * 2 / 3, atol=1e-5)
    low = (outside("spikes") - GIVEN.noisy).mean(0)
    assert ((low < -0.1) == (EPOCH % 10 == 5)).all()
    tooth = (outside("sawtooth") - GIVEN.noisy).mean(0).reshape(10, 10)
    assert torch.allclose(tooth, tooth[0].expand(10, 10), atol=1e-5) and abs(tooth.sum()) < 1e-4
    z = (outside("heavy-tailed noise") - GIVEN.clean) / GIVEN.sigma[:, None]
    assert z.square().mean() == pytest.approx(1, abs=0.2)  # that of the normal noise
    assert (z.abs() > 4).float().mean() > 0.003 and (z.abs() < 0.5).float().mean() > 0.5
