"""Guards prior, noise, outside_prior, counter and by_number: the right curves, everywhere and alone the same."""

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import ndtri

from curvecast.curves import by_number, counter, prior, run_prior
from curvecast.curves.counter import Counter, Draw
from curvecast.curves.laws import growth, rates, real_runs
from curvecast.curves.laws.growth import Dice
from curvecast.curves.laws.planned_runs import SHORTEST, Shares, planned_runs
from curvecast.curves.laws.real_runs import FEATURES
from curvecast.curves.outside_prior import KINDS
from curvecast.curves.prior import BASIS, Noise, PriorConfig
from curvecast.curves.run_prior import UNKNOWN, RunPrior
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
    mixed, laws = draw(n, real=real), real_runs.real_runs(k, 100, (), torch.Generator().manual_seed(0))
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


# -----------------------------------------------------------------------------------------------------------
# Guards curvecast/curves/laws and run_prior.py: each part of a run follows the law that is stated for it.

N = 6000
X = torch.arange(1.0, 101, dtype=torch.float64)[None]
PLAIN = ("tails", "memory", "falling noise")


def dice(n=N) -> Dice:
    return Dice(n, np.random.default_rng(0))


def share(of: torch.Tensor) -> float:
    return of.double().mean().item()


def memory(z: torch.Tensor, dim: int | None = None) -> torch.Tensor:
    """The correlation with the epoch before."""
    return (z[:, 1:] * z[:, :-1]).mean(dim) / z.square().mean(dim)


@pytest.mark.parametrize("shape", growth.SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_rises_from_0_and_stays_within_1(shape):
    drawn = dice()
    grown = shape(X - 1, drawn.log_uniform(*growth.HALF_TIME), drawn.normal(0, 0.6).exp())
    assert grown[:, 0].max() < 1e-7 and (grown[:, -1] > 0).all()
    assert (grown.diff(dim=1) >= 0).all() and grown.max() <= 1 + 1e-12


@pytest.mark.parametrize("shape", [growth.exponential, growth.janoschek, growth.hill, growth.logistic])
def test_half_of_it_is_there_at_the_half_time(shape):
    """Whatever the sharpness; the logistic curve starts at 0, and so it is there up to 2 % later."""
    half, sharp = torch.full((20, 1), 30.0), torch.linspace(0.5, 3, 20)[:, None]
    grown = shape(torch.tensor([[30.0]]), half, sharp)
    assert (grown - 0.5).abs().max() < (0.07 if shape is growth.logistic else 1e-6)


def noise_of(without=PLAIN, calm=1.0):
    """In units of its initial scale, and that scale."""
    e, size = growth.noise(X, torch.full((N, 100), calm, dtype=torch.float64), without, dice())
    return e / size, size


def test_what_is_no_quiet_run_has_the_noise_of_the_paper(monkeypatch):
    """ln size ~ N(-4, 1) as in PriorConfig, and the quiet ones lie below it, in the stated share."""
    config, sizes, stated = PriorConfig(), {}, growth.QUIET
    for quiet in (0.0, 1.0, stated):
        monkeypatch.setattr(growth, "QUIET", quiet)
        sizes[quiet] = noise_of()[1].log()
    paper, low, both = (one.mean() for one in sizes.values())
    assert abs(paper - config.log_sigma_mean) < 0.07 and abs(sizes[0.0].std() - config.log_sigma_sd) < 0.05
    assert low < paper and abs(both - stated * low - (1 - stated) * paper) < 0.1


def test_plain_noise_is_white_and_has_the_stated_size():
    z, _ = noise_of()
    assert abs(z.mean()) < 0.01 and abs(z.std() - 1) < 0.01 and abs((z**4).mean() - 3) < 0.1
    assert abs(memory(z)) < 0.01
    assert abs(noise_of(calm=0.3)[0].std() - 0.3) < 0.003


def test_some_runs_remember_and_their_noise_keeps_its_size():
    """The correlations of single runs lie around 0 for the stated share, and far above for many others."""
    z, _ = noise_of(("tails", "falling noise"))
    own = memory(z, 1)
    forgets = 2 * share(own < 0)  # of white noise half lies below 0
    assert abs(forgets - (1 - growth.REMEMBERS)) < 0.1 and share(own > 0.6) > 0.1
    assert torch.equal(z[:, 0], noise_of()[0][:, 0]) and (z.std(0) - 1).abs().max() < 0.06


FIRST_LOSS = 1 - (1 / (1 + math.exp(-1)) - 1 / (1 + math.e)) / (1 - 1 / (1 + math.e))  # as every loss is seen


def runs(without=(), n=4000, seed=0):
    return real_runs.real_runs(n, 100, tuple(without), np.random.default_rng(seed))


def only(*features):
    """Curves that have these features and no other."""
    return runs([name for name in FEATURES if name not in features])


def units(sample):
    """Noise in units of its first size.  (n, T)"""
    clean, noisy, size = sample
    return (noisy - clean) / size[:, None]


def falls(sample):
    return share((sample[0].diff(dim=1) < -1e-12).any(1))


def ends_calm(sample):
    """How much smaller the noise is at the end."""
    z = units(sample)
    return 1 - z[:, -20:].square().mean() / z[:, :5].square().mean()


TRACES = {  # what a feature leaves in curves that have no other: about 0 without it
    "late": lambda s: share((s[0][:, 1] == s[0][:, 0]) & (s[0][:, -1] > s[0][:, 0] + 1e-3)),
    "flat": lambda s: share((s[0].diff(dim=1) == 0).all(1)),
    "steps": ends_calm,
    "anneal": ends_calm,
    "turns": falls,
    "wiggles": falls,
    "quiet noise": lambda s: share(s[2].log() < -6.5),
    "falling noise": ends_calm,
    "memory": lambda s: (units(s)[:, 1:] * units(s)[:, :-1]).mean(),
    "tails": lambda s: share((units(s).abs() > 6).any(1)),
    "collapse": lambda s: share(((s[0] - s[1]) > 20 * s[2][:, None]).any(1)),
    "quantised": lambda s: share((s[1].sort(1).values.diff(dim=1) == 0).sum(1) > 10),
    "clipped": lambda s: share(((s[1] == 0) | (s[1] == 1)).any(1)),
    "losses": lambda s: share((s[1][:, 0] - FIRST_LOSS).abs() < 1e-9),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_left_out_leaves_no_trace(feature):
    trace = TRACES[feature]
    assert trace(only()) < 0.012 and trace(only(feature)) > 0.015


def test_torch_and_numpy_give_the_same_law_and_no_value_is_missing():
    n, at = 8000, [0, 1, 4, 19, 49, 99]
    ours, theirs = runs(n=n), real_runs.real_runs(n, 100, (), torch.Generator().manual_seed(0))
    assert all(part.dtype == torch.float32 and part.isfinite().all() for part in theirs)
    assert (theirs[2] > 0).all() and theirs[2].shape == (n,)
    mine, other = (part[1][:, at].double().clamp(-1, 2) for part in (ours, theirs))
    error = 5 * mine.std(0) * math.sqrt(2 / n)
    assert ((mine.mean(0) - other.mean(0)).abs() < error).all()
    assert ((mine.std(0) - other.std(0)).abs() < error).all()


RUNS, LENGTH = 4000, 100


def planned(seed=0, n=RUNS, **shares):
    return planned_runs(replace(Shares(), **shares), n, LENGTH, torch.Generator().manual_seed(seed))


def test_a_rate_begins_low_or_at_its_height_and_never_rises_after_it():
    made = planned()
    assert made.rate.min() >= rates.LEAST - 1e-9 and made.rate.amax(1).allclose(torch.ones(RUNS))
    height = made.rate.argmax(1, keepdim=True)
    assert (made.rate.diff(dim=1)[torch.arange(LENGTH - 1) >= height] <= 1e-6).all()
    whole = made.end == LENGTH  # of a run of eight epochs the last may come before the rate falls
    assert made.rate[whole & (made.shape == 0), -1].eq(1).all()
    assert made.rate[whole & (made.shape >= 2), -1].max() < 0.15
    falls = (made.rate.diff(dim=1) < -1e-6).sum(1)[whole & (made.shape == 1)]
    assert falls.min() == 1 and falls.max() == 3


def test_a_drop_lifts_runs_that_gain_by_it_and_quietens_them():
    """Against the same runs (same dice) that gain nothing, whose noise does not follow the rate."""
    flat = {
        "constant": 0.0, "drops": 1.0, "short": 0.0, "late": 0.0, "drift": 0.0, "settles": 0.0, "by_clock": 0.0,
    }  # fmt: skip
    gaining, indifferent = planned(leaps=1.0, calmer=1.5, **flat), planned(leaps=0.0, calmer=0.0, **flat)
    dropped = gaining.rate[:, -1] < 0.2
    lift = (gaining.clean - indifferent.clean)[dropped]
    before = gaining.rate[dropped] > 0.99
    assert lift[:, -1].mean() > 0.02 and lift[before].abs().median() < 1e-3
    noise = [(made.noisy - made.clean)[dropped][:, -5:].abs().median() for made in (gaining, indifferent)]
    assert noise[0] < 0.7 * noise[1]


def test_some_runs_end_early_and_all_numbers_are_finite():
    made = planned(short=0.5)
    assert made.end.min() >= SHORTEST and made.end.max() == LENGTH
    assert 0.45 < (made.end < LENGTH).double().mean() < 0.55
    assert all(part.isfinite().all() for part in made[:4]) and made.noisy.abs().max() < 50


def test_the_three_kinds_have_their_shares_and_plans_are_told_of_some():
    runs = run_prior.runs(RunPrior(paper=0.5, real=0.2), RUNS, torch.Generator().manual_seed(0))
    assert runs.of_paper.sum() == RUNS / 2
    assert (runs.end[runs.of_paper] == LENGTH).all()
    told = (runs.rate > UNKNOWN).all(1)
    assert ((runs.rate == UNKNOWN).all(1) | told).all()
    assert told[runs.of_paper].double().mean() == pytest.approx(0.75, abs=0.05)
    assert told[~runs.of_paper].double().mean() == pytest.approx(0.45, abs=0.05)  # of the laws of 0.2 none
    assert runs.rate[runs.of_paper & told, -1].eq(1).all()  # at a constant rate, perhaps after a warm-up
    first = runs.noisy[: RUNS // 4][runs.of_paper[: RUNS // 4]]
    assert 0.2 < len(first) / (RUNS // 4) < 0.8  # mixed, not one kind after the other
