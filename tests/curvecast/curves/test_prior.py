"""Guards curvecast/curves/prior.py: the right curves, everywhere the same."""

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.draw import Draw
from curvecast.curves.laws.real_runs import FEATURES, real_runs
from curvecast.curves.prior import BASIS, PriorConfig
from curvecast.ground.config import digest
from curvecast.ground.errors import UserError
from tests.curvecast.curves.fingerprint import fingerprint

TEST_SHA256 = "59adad2d63bb77cc9f50f0e16a2225a83b9d155be92a84362692601a92b9d27b"
SECOND_TEST_SHA256 = "fd97806d4785d98eabfc9e187ecf40411a83e49e93adaae788f9041d5aaa0805"


def draw(n=40_000, seed=0, **changes):
    return prior.sample(PriorConfig(**changes), n, torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def curves():
    return draw()


def test_every_curve_keeps_the_rules(curves):
    """0 <= f <= 1 at each epoch and the last value above the first."""
    assert curves.clean.min() >= 0 and curves.clean.max() <= 1
    assert (curves.clean[:, -1] > curves.clean[:, 0]).all()


def test_moments_are_those_of_the_paper_s_prior(curves):
    """Means, spread and shares of an independent simulation (40,000 curves: five standard errors are 0.006)."""
    at = [0, 1, 4, 9, 19, 49, 99]
    expected = torch.tensor([0.418, 0.513, 0.560, 0.581, 0.594, 0.605, 0.611])
    assert torch.allclose(curves.clean[:, at].mean(0), expected, atol=0.006)
    assert torch.allclose(curves.clean[:, [0, 99]].std(0), torch.tensor([0.226, 0.227]), atol=0.004)
    never_fall = (curves.clean.diff(dim=1) >= 0).all(1).float().mean()
    assert abs(never_fall - 0.515) < 0.0135


def test_the_noise_is_the_code_s(curves):
    """ln sigma ~ N(-4, 1), and the residuals have just that size."""
    log = curves.sigma.log()
    assert abs(log.mean() + 4) < 0.025 and abs(log.std() - 1) < 0.02
    z = (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(z.mean()) < 0.003 and abs(z.std() - 1) < 0.003


def test_noise_is_not_clipped(curves):
    """About one point in a hundred lies outside [0, 1]."""
    outside = ((curves.noisy < 0) | (curves.noisy > 1)).float().mean()
    assert 0.008 < outside < 0.014


def test_acceptance_is_the_paper_s():
    """0.2058 of all proposals pass."""
    passed, _ = prior.proposals(PriorConfig(), 100_000, Draw(torch.Generator().manual_seed(5)))
    assert abs(len(passed) / 100_000 - 0.2058) < 0.0065


def test_looking_at_a_few_epochs_first_changes_nothing():
    """Checking a few epochs first accepts the same curves as the full check alone."""
    config, n = PriorConfig(length=30), 5000
    quick, which = prior.proposals(config, n, Draw(np.random.default_rng(1)))
    same_draws = Draw(np.random.default_rng(1))
    weights = [same_draws.uniform(0, 1, n)[:, None] for _ in config.curves]
    parameters = [[law.draw(same_draws, n)[:, None] for law in BASIS[name].laws] for name in config.curves]
    x = torch.arange(1, 31, dtype=torch.float64)
    f = prior.weighted_sum(config, x, weights, parameters)
    assert torch.allclose(quick, f[prior.passes(f)], atol=1e-12)
    assert torch.equal(which, prior.passes(f).nonzero()[:, 0])


def test_basis_curves_are_the_paper_s_formulas():
    """pow3, ilog2 and Janoschek against their formulas, written out for one set of parameters."""
    x = torch.tensor([1.0, 2.0, 10.0, 100.0], dtype=torch.float64)

    def value(name, *p):
        parameters = [torch.tensor([[v]], dtype=torch.float64) for v in p]
        one = torch.ones_like(parameters[0])
        return prior.weighted_sum(PriorConfig(curves=(name,)), x, [one], [parameters])[0]

    assert torch.allclose(value("pow3", 0.84, 0.52, np.log(0.4)), 0.84 - 0.52 * x**-0.4)
    assert torch.allclose(value("ilog2", 0.78, 0.43), 0.78 - 0.43 / torch.log(x + 1))
    assert torch.allclose(
        value("janoschek", 0.73, 0.07, np.log(0.355), np.log(0.46)), 0.73 - 0.66 * torch.exp(-0.355 * x**0.46)
    )


def test_the_same_generator_gives_the_same_curves():
    """A seed names its curves; another seed names others."""
    assert torch.equal(draw(50).noisy, draw(50).noisy)
    assert not torch.equal(draw(50).noisy, draw(50, seed=1).noisy)


def test_the_test_set_is_the_same_everywhere():
    """THE test set has its committed fingerprint; a part of it is its beginning."""
    whole = prior.test_set()
    assert fingerprint(whole) == TEST_SHA256
    assert torch.equal(prior.test_set(7).noisy, whole.noisy[:7])
    whole.noisy.zero_()  # whoever writes into it writes into a copy
    assert fingerprint(prior.test_set()) == TEST_SHA256


def test_the_second_test_set_is_the_same_everywhere_and_another_one():
    """It has a fingerprint too, and shares no curve with the first."""
    second = prior.second_test_set()
    assert fingerprint(second) == SECOND_TEST_SHA256
    assert torch.equal(prior.second_test_set(7).noisy, second.noisy[:7])
    shared = {tuple(row) for row in prior.test_set().noisy[:, :3].tolist()} & {
        tuple(r) for r in second.noisy[:, :3].tolist()
    }
    assert not shared


@pytest.mark.parametrize(
    "bad",
    [
        {"curves": ("pow9",)}, {"curves": ()}, {"length": 1}, {"real": 1.0, "length": 1}, {"real": 0.5, "curves": ()},
        {"real": 2.0}, {"real": -0.1}, {"real": float("nan")}, {"real": 0.5, "without": ("flatt",)},
    ],
)  # fmt: skip
def test_a_prior_that_cannot_be_is_refused(bad):
    """Unknown curves, no curves, too few epochs, an invalid share, an unknown feature: a clear error."""
    with pytest.raises(UserError, match="cannot sample"):
        draw(5, **bad)


def test_no_more_test_curves_than_there_are():
    """The test set does not grow silently."""
    with pytest.raises(UserError, match="10000"):
        prior.test_set(10_001)


@pytest.mark.parametrize("name", BASIS)
def test_the_shape_of_every_family_never_rises(name):
    """The bounds of posterior.py rest on it."""
    draw = Draw(torch.Generator().manual_seed(0))
    parameters = [law.draw(draw, 5000)[:, None] for law in BASIS[name].laws]
    assert (BASIS[name].shape(torch.arange(1.0, 101), *parameters).diff(dim=1) <= 0).all()


def test_without_real_runs_the_prior_is_what_it_was():
    """The name of the config and its curves are those from before there were laws of real runs."""
    assert digest(PriorConfig()) == digest(PriorConfig(real=0.0, without=())) == "226cf338649d"
    assert digest(PriorConfig(real=0.5)) != digest(PriorConfig())
    assert digest(PriorConfig(real=0.5, without=("flat",))) != digest(PriorConfig(real=0.5))
    assert torch.equal(draw(50, real=0.0).noisy, draw(50).noisy)


@pytest.mark.parametrize("real", [0.25, 0.5, 1.0])
def test_real_runs_have_their_share(real):
    """So many curves are the laws' and the others are the paper's; both kinds lie anywhere."""
    n, k = 400, round(400 * real)
    mixed = draw(n, real=real)
    generator = torch.Generator().manual_seed(0)
    laws = real_runs(k, 100, (), generator)[1]
    own = (mixed.noisy[:, None] == laws).all(2).any(1)  # (n,)
    assert own.sum() == k and mixed.noisy.shape == (n, 100)
    others = mixed.clean[~own]
    assert (others >= 0).all() and (others <= 1).all() and (others[:, -1] > others[:, 0]).all()
    assert real == 1 or 0.7 * real < own[: n // 2].double().mean() < 1.3 * real


def test_rows_of_a_mixed_prior_stay_together():
    """Clean curve, noisy curve and size of one row are of one run."""
    mixed = draw(300, real=0.5, without=tuple(name for name in FEATURES if name not in ("flat", "late")))
    z = (mixed.noisy - mixed.clean) / mixed.sigma[:, None]
    assert (z.std(1) - 1).abs().max() < 0.4 and z.mean(1).abs().max() < 0.5


def test_one_curve_of_a_mixed_prior_can_be_drawn():
    """Then it is one of the laws."""
    assert draw(1, real=0.3).noisy.shape == (1, 100)
