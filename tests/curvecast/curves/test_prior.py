"""Guards prior, noise, outside_prior, counter and by_number: the right curves, everywhere and alone the same."""

import hashlib

import numpy as np
import pytest
import torch
from scipy.special import ndtri

from curvecast.curves import by_number, counter, prior
from curvecast.curves.counter import Counter, Draw
from curvecast.curves.laws.real_runs import real_runs
from curvecast.curves.outside_prior import KINDS
from curvecast.curves.prior import BASIS, Noise, PriorConfig
from tests.curvecast.refusals import refuses

TEST_SETS = {
    prior.test_set: "59adad2d63bb77cc9f50f0e16a2225a83b9d155be92a84362692601a92b9d27b",
    prior.second_test_set: "fd97806d4785d98eabfc9e187ecf40411a83e49e93adaae788f9041d5aaa0805",
}


def fingerprint(curves):
    """sha256 over the curves in millionths: the same on every machine."""
    parts = b"".join((array.double() * 1e6).round().int().numpy().tobytes() for array in curves)
    return hashlib.sha256(parts).hexdigest()


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
    log, z = curves.sigma.log(), (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(log.mean() + 4) < 0.025 and abs(log.std() - 1) < 0.02
    assert abs(z.mean()) < 0.003 and abs(z.std() - 1) < 0.003
    oracle = torch.distributions.Normal(curves.clean, curves.sigma[:, None]).log_prob(curves.noisy)
    assert abs(oracle.mean() - prior.ORACLE_LL) < 0.025
    assert 0.008 < ((curves.noisy < 0) | (curves.noisy > 1)).float().mean() < 0.014


def test_acceptance_is_the_paper_s_and_looking_at_a_few_epochs_first_changes_nothing():
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
    whole = test_set()
    assert fingerprint(whole) == TEST_SETS[test_set]
    assert torch.equal(test_set(7).noisy, whole.noisy[:7])
    whole.noisy.zero_()
    assert fingerprint(test_set()) == TEST_SETS[test_set]
    refuses("10000", test_set, 10_001)


@pytest.mark.parametrize("bad", [
    {"curves": ("pow9",)}, {"curves": ()}, {"length": 1}, {"real": 1.0, "length": 1}, {"real": 0.5, "curves": ()},
    {"real": 2.0}, {"real": -0.1}, {"real": float("nan")}, {"real": 0.5, "without": ("flatt",)},
])  # fmt: skip
def test_a_prior_that_cannot_be_is_refused(bad):
    refuses("cannot sample", draw, 5, **bad)


@pytest.mark.parametrize("real", [0.001, 0.25, 0.5, 1.0])
def test_real_runs_have_their_share_with_their_noise_and_scale(real):
    n, k = 400, max(1, round(400 * real))
    mixed, laws = draw(n, real=real), real_runs(k, 100, (), torch.Generator().manual_seed(0))
    found = (mixed.noisy[:, None] == laws[1]).all(2)  # (n, k)
    own = found.any(1)
    assert own.sum() == k and mixed.noisy.shape == (n, 100)
    assert all(torch.equal(a[own], b[found.int().argmax(1)[own]]) for a, b in zip(mixed, laws, strict=True))
    assert k == n or prior.passes(mixed.clean[~own]).all()
    assert not 0.1 < real < 1 or 0.7 * real < own[: n // 2].double().mean() < 1.3 * real


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
    clean = outside("learning rate drops") - (GIVEN.noisy - GIVEN.clean)
    assert torch.allclose(1 - clean[:, 50:], (1 - GIVEN.clean[:, 50:]) * 2 / 3, atol=1e-5)
    low = (outside("spikes") - GIVEN.noisy).mean(0)
    assert ((low < -0.1) == (EPOCH % 10 == 5)).all()
    tooth = (outside("sawtooth") - GIVEN.noisy).mean(0).reshape(10, 10)
    assert torch.allclose(tooth, tooth[0].expand(10, 10), atol=1e-5) and abs(tooth.sum()) < 1e-4
    z = (outside("heavy-tailed noise") - GIVEN.clean) / GIVEN.sigma[:, None]
    assert z.square().mean() == pytest.approx(1, abs=0.2)  # that of the normal noise
    assert (z.abs() > 4).float().mean() > 0.003 and (z.abs() < 0.5).float().mean() > 0.5


PAPER, MIXED = PriorConfig(), PriorConfig(real=0.5)
ONES = 0xFFFFFFFF
PI = ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0))
KNOWN_ANSWERS = {  # words and key: random words
    ((0,) * 4, (0,) * 2): (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ((ONES,) * 4, (ONES,) * 2): (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    PI: (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
}
on_a_second_device = pytest.mark.skipif(not torch.cuda.is_available(), reason="asks a second device")


@pytest.mark.parametrize(("given", "expected"), KNOWN_ANSWERS.items(), ids=["zeros", "ones", "pi"])
def test_words_are_those_that_random123_publishes(given, expected):
    words, key = given
    for size in (1, 33):
        found = counter.philox(tuple(torch.full((size,), word) for word in words), key)
        assert [w.tolist() for w in found] == [[word] * size for word in expected]


def test_each_curve_seed_attempt_and_place_has_its_own_numbers():
    numbers = torch.tensor([0, 1, 2**32, 2**40 + 1])
    seen = [Counter(seed, numbers, attempt).uniform(9) for seed in (0, 1, 2**32, -1) for attempt in (0, 1, 2)]
    assert len(torch.stack(seen).unique()) == 4 * 3 * 4 * 9


def test_uniform_numbers_lie_inside_and_normal_ones_are_their_quantiles():
    edge = Counter(0, torch.zeros(1, dtype=torch.long))
    edge.unused = torch.tensor([[0, ONES]])
    low, high = edge.uniform(2)[0].tolist()
    assert 0 < low < 1e-9 and 1 - 1e-9 < high < 1
    uniform, normal = (getattr(Counter(1, torch.arange(40_000)), law)(1) for law in ("uniform", "normal"))
    assert (torch.histc(uniform, 4, 0, 1) / 40_000 - 0.25).abs().max() < 5 * (0.25 * 0.75 / 40_000) ** 0.5
    assert (normal - torch.from_numpy(ndtri(uniform.numpy()))).abs().max() < 1e-12


def numbered(config, numbers, seed=0):
    return by_number.sample(config, seed, torch.as_tensor(numbers))


def farthest(some, others):
    return max((a - b).abs().max().item() for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize("config", [PAPER, MIXED, PriorConfig(real=1.0)], ids=["paper", "mixed", "laws"])
def test_a_curve_alone_is_the_curve_among_ten_thousand(config):
    whole = numbered(config, range(10_000), seed=3)
    for numbers in ([5000], [5000, 12, 9999], [5001, 5002, 5003]):
        assert farthest(numbered(config, numbers, seed=3), [part[numbers] for part in whole]) < 1e-12
    assert (numbered(config, [2, 3]).noisy - whole.noisy[[2, 3]]).abs().amax(1).min() > 1e-3


@pytest.mark.parametrize(("config", "sha256"), [
    (PAPER, "a877e9b145e724aa2b760bde177b6b85581f2b715b08bc029ce8cb5dbab48246"),
    (MIXED, "610260ace47b057cdeb787de52d6db4d75b4c9726d0854da6ad044c8679b6a41"),
], ids=["paper", "mixed"])  # fmt: skip
def test_the_first_thousand_are_the_same_everywhere(config, sha256):
    """Like THE test set they have a fingerprint, in millionths. Other curves on purpose: raise BEHAVIOUR."""
    assert fingerprint(numbered(config, range(1000))) == sha256


@pytest.mark.parametrize(("config", "n"), [(PAPER, 20_000), (MIXED, 5000)], ids=["paper", "mixed"])
def test_another_arithmetic_keeps_the_same_curves(config, n, monkeypatch):
    """Changing every random number in its 14th digit, more than devices differ, replaces no curve by another."""
    exact = numbered(config, range(n), seed=1)
    chance = torch.Generator().manual_seed(0)

    def moved(method):
        def other(*args):
            value = method(*args)
            return value * (1 + 1e-14 * torch.randn(value.shape, generator=chance, dtype=torch.float64))

        return other

    monkeypatch.setattr(Draw, "uniform", moved(Draw.uniform))
    monkeypatch.setattr(Draw, "normal", moved(Draw.normal))
    assert 0 < farthest(numbered(config, range(n), seed=1), exact) < 1e-6


def test_none_at_all_and_a_prior_that_no_curve_keeps_are_refused(monkeypatch):
    refuses("cannot sample 0", numbered, PAPER, torch.arange(0))
    monkeypatch.setattr(prior, "passes", lambda f: torch.zeros(len(f), dtype=torch.bool))
    monkeypatch.setattr(by_number, "HOPELESS", 20_000)
    for numbers in ([3], range(50)):
        refuses("stays in", numbered, PAPER, numbers)


@on_a_second_device
@pytest.mark.parametrize("config", [PAPER, MIXED], ids=["paper", "mixed"])
def test_another_device_gives_the_same_curves(config):
    for numbers in torch.arange(200_000).split(20_000):
        there = numbered(config, numbers.cuda())
        assert farthest(numbered(config, numbers), [part.cpu() for part in there]) < 1e-6
    words = [Counter(5, torch.arange(40_000, device=device)).uniform(5).cpu() for device in ("cpu", "cuda")]
    assert torch.equal(*words)
