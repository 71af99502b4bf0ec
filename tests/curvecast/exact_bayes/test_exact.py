"""Guards curvecast/exact_bayes/exact.py: the noise is integrated, the weights are right, brute force gives the same."""

import math

import pytest
import torch

from curvecast.curves.noise import Noise
from curvecast.curves.prior import PriorConfig, sample
from curvecast.exact_bayes import exact, moves
from curvecast.exact_bayes.cloud import Cloud
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.errors import UserError

CONFIG = PriorConfig()
SIMPLE = PriorConfig(curves=("ilog2",), length=30)  # three parameters: brute force can do it


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_bank_is_the_prior():
    """Moments of the bank's curves are those of the sampler's (five standard errors at n = 40,000)."""
    bank = exact.bank(CONFIG, 40_000, generator(1))
    other = sample(CONFIG, 40_000, generator(2)).clean
    for t in (0, 9, 99):
        a, b = bank.f[:, t], other[:, t]
        assert abs(a.mean() - b.mean()) < 5 * math.hypot(a.std(), b.std()) / 200
        assert abs(a.std() / b.std() - 1) < 0.03
    assert torch.allclose(moves.clean(CONFIG, bank.theta[:5], torch.arange(1.0, 101)), bank.f[:5], atol=1e-6)


def test_resampling_takes_each_as_often_as_its_weight():
    """n w times, rounded up or down."""
    log_w = torch.tensor([[0.5, 0.2, 0.2, 0.1], [0.0, 1.0, 0.0, 0.0]]).log()
    pick = exact.resample(log_w, 10, generator())
    counts = torch.stack([row.bincount(minlength=4) for row in pick])
    assert (counts - torch.tensor([[5, 2, 2, 1], [0, 10, 0, 0]])).abs().max() <= 1 and counts[1, 1] == 10


def test_a_temperature_keeps_the_wanted_number_effective():
    """The exponent is 1 where the weights allow it, else just so large that the effective size is as wanted."""
    log_like = torch.stack([torch.zeros(1000), 30 * torch.randn(1000, generator=generator())])
    beta = exact._raise(log_like, torch.zeros(2), 100.0)
    assert beta[0] == 1 and 0 < beta[1] < 1
    assert exact._ess(beta[1] * log_like[1]).item() == pytest.approx(100, rel=0.02)


def test_the_judge_agrees_with_brute_force():
    """Three parameters: a bank of 400,000 needs no chains; a small one that is tempered and moved gives the same forecast."""
    seen = sample(SIMPLE, 4, generator(5)).noisy[:, :8]
    large = exact.bank(SIMPLE, 400_000, generator(6))
    noise = Noise(SIMPLE, 8)
    S = (large.f[None, :, :8] - seen[:, None]).square().sum(2)
    log_w = noise.log_likelihood(S)
    assert exact._ess(log_w).min() > 300
    pick = exact.resample(log_w, 20_000, generator(7))
    brute = Cloud(large.f[pick], noise.draw(S.gather(1, pick), generator(7)))
    small = exact.bank(SIMPLE, 2000, generator(8))
    how = PosteriorConfig(islands=4, population=50, moves=10, steps=400, keep=20)
    posterior = exact.exact_posterior(SIMPLE, seen, small, generator(9), how)
    assert posterior.rises.max() > 0 and posterior.ess.min() > 400
    spread = brute.quantile(0.84) - brute.quantile(0.16)
    for level in (0.16, 0.5, 0.84):
        off = (posterior.cloud.quantile(level) - brute.quantile(level)) / spread
        assert off.abs().max() < 0.1


def test_islands_that_differ_lower_the_effective_size():
    """Independent curves count in full; islands that each repeat one curve count as many as there are islands."""
    S, R, P, N, T = 20, 8, 40, 30, 10
    independent = torch.rand(S, R, P, N, 1, generator=generator(1)).expand(-1, -1, -1, -1, T)
    found = exact._island_ess(independent, 5)
    assert 0.6 * S * R * N < found.median() <= S * R * N
    one_each = torch.rand(1, R, P, 1, 1, generator=generator(2)).expand(S, -1, -1, N, T)
    assert 2 < exact._island_ess(one_each, 5).median() < 20


@pytest.mark.parametrize(
    "how", [PosteriorConfig(islands=1), PosteriorConfig(population=5), PosteriorConfig(population=2)]
)
def test_a_judge_that_could_not_move_or_compare_is_refused(how):
    """One island has nothing to differ from; half of the population moves by the other half."""
    seen, small, large = (
        torch.full((1, 5), 0.5),
        exact.bank(SIMPLE, 100, generator()),
        exact.bank(SIMPLE, 1000, generator()),
    )
    with pytest.raises(UserError, match="the exact posterior needs"):
        exact.exact_posterior(SIMPLE, seen, large, generator(), how)
    with pytest.raises(UserError, match="too small for 8 islands"):
        exact.exact_posterior(SIMPLE, seen, small, generator())


@pytest.mark.parametrize(
    "y", [[0.5, 0.5, 0.5, 0.5], [1.5, 1.5, 1.5, 1.5], [0.5]], ids=["constant", "outside", "one point"]
)
def test_beginnings_that_the_prior_hardly_knows_still_get_a_forecast(y):
    """A constant, one outside [0, 1], a lone point: finite densities and bands, no endless rise."""
    how = PosteriorConfig(islands=2, population=32, steps=20, keep=5)
    posterior = exact.exact_posterior(
        CONFIG, torch.tensor([y]), exact.bank(CONFIG, 4000, generator(1)), generator(2), how
    )
    assert torch.isfinite(posterior.cloud.log_density(torch.full((1, 100), 0.5))).all()
    assert (posterior.cloud.quantile(0.05) < posterior.cloud.quantile(0.95)).all()


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (torch.full((2, 10), 50.0), "so far outside"),
        (torch.tensor([[0.5] * 4, [3.0] * 4]), "curve 1 .* so far outside"),
        (torch.ones(1, 10, dtype=torch.long), "floating-point"),
        (torch.zeros(0, 10), "observed"),
    ],
    ids=["percent", "one of two", "integers", "no curve"],
)
def test_beginnings_without_mass_under_the_prior_are_refused(y, said):
    """Values in percent or far outside, integers, no curve at all: one sentence, no forecast."""
    with pytest.raises(UserError, match=said):
        exact.exact_posterior(CONFIG, y, exact.bank(CONFIG, 600, generator()), generator())


def test_double_precision_is_taken():
    """numpy gives doubles: the same forecast as from floats."""
    how, bank = (
        PosteriorConfig(islands=2, population=16, steps=4, keep=2),
        exact.bank(CONFIG, 600, generator()),
    )
    y = torch.linspace(0.3, 0.5, 6)[None]
    one, other = (exact.exact_posterior(CONFIG, some, bank, generator(3), how) for some in (y, y.double()))
    assert torch.equal(one.cloud.f, other.cloud.f)
