"""Guards curvecast/curves/laws and run_prior.py: each part of a run follows the law that is stated for it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast.curves import run_prior
from curvecast.curves.laws import growth, rates, real_runs
from curvecast.curves.laws.growth import Dice
from curvecast.curves.laws.planned_runs import SHORTEST, Shares, planned_runs
from curvecast.curves.laws.real_runs import FEATURES
from curvecast.curves.prior import PriorConfig
from curvecast.curves.run_prior import UNKNOWN, RunPrior

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


def test_a_generator_of_numpy_gives_curves_too():
    curves = RunPrior(length=20).sample(50, np.random.default_rng())
    assert curves.noisy.shape == (50, 20) and curves.sigma.shape == (50,)
