"""Guards curvecast/curves/laws/real_runs.py: scores, losses, and that a feature left out leaves no trace."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.laws import real_runs as laws
from curvecast.curves.laws.real_runs import FEATURES, real_runs

N = 4000
SIGMOID = [1 / (1 + math.exp(-z)) for z in (-1, 1)]
FIRST_LOSS = 1 - (SIGMOID[1] - SIGMOID[0]) / (1 - SIGMOID[0])  # 0.368: the first value, as every loss is seen


def runs(without=(), n=N, seed=0):
    return real_runs(n, 100, tuple(without), np.random.default_rng(seed))


def only(*features):
    """Curves that have these features and no other."""
    return runs([name for name in FEATURES if name not in features])


def units(sample):
    """Noise in units of its first size.  (n, T)"""
    clean, noisy, size = sample
    return (noisy - clean) / size[:, None]


def falls(sample):
    return (sample[0].diff(dim=1) < -1e-12).any(1).double().mean()


def ends_calm(sample):
    """How much smaller the noise is at the end."""
    z = units(sample)
    return 1 - z[:, -20:].square().mean() / z[:, :5].square().mean()


def waits(sample):
    clean = sample[0]
    return ((clean[:, 1] == clean[:, 0]) & (clean[:, -1] > clean[:, 0] + 1e-3)).double().mean()


def ties(sample):
    """Runs of which many values are alike and none is 0 or 1."""
    alike = (sample[1].sort(1).values.diff(dim=1) == 0).sum(1)
    return (alike > 10).double().mean()


TRACES = {  # what a feature leaves in curves that have no other: about 0 without it
    "late": waits,
    "flat": lambda sample: (sample[0].diff(dim=1) == 0).all(1).double().mean(),
    "steps": ends_calm,
    "anneal": ends_calm,
    "turns": falls,
    "wiggles": falls,
    "falling noise": ends_calm,
    "memory": lambda sample: (units(sample)[:, 1:] * units(sample)[:, :-1]).mean(),
    "tails": lambda sample: (units(sample).abs() > 6).any(1).double().mean(),
    "collapse": lambda sample: ((sample[0] - sample[1]) > 20 * sample[2][:, None]).any(1).double().mean(),
    "quantised": ties,
    "clipped": lambda sample: ((sample[1] == 0) | (sample[1] == 1)).any(1).double().mean(),
    "losses": lambda sample: (sample[1][:, 0] - FIRST_LOSS).abs().lt(1e-9).double().mean(),
}


def test_every_feature_has_a_trace():
    """A new feature needs a line above."""
    assert set(TRACES) == set(FEATURES)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_left_out_leaves_no_trace(feature):
    """The statistic of a feature is 0 within error without it, and clearly above 0 with it."""
    trace = TRACES[feature]
    assert trace(only()) < 0.012 and trace(only(feature)) > 0.018


def test_without_all_features_there_is_growth_and_white_noise():
    """The clean curve never falls, and its noise has constant scale and no autocorrelation."""
    sample = only()
    z = units(sample)
    assert falls(sample) == 0 and sample[0].min() >= 0 and sample[0].max() <= 1
    assert abs(z.mean()) < 0.01 and (z.std(0) - 1).abs().max() < 0.06
    assert abs((z[:, 1:] * z[:, :-1]).mean()) < 0.01


def test_torch_and_numpy_give_the_same_law():
    """Means and spreads of 20,000 curves at several epochs agree within five standard errors."""
    n, at = 20_000, [0, 1, 4, 19, 49, 99]
    ours = runs(n=n)[1][:, at].clamp(-1, 2)
    theirs = real_runs(n, 100, (), torch.Generator().manual_seed(0))[1][:, at].double().clamp(-1, 2)
    error = 5 * ours.std(0) * math.sqrt(2 / n)
    assert ((ours.mean(0) - theirs.mean(0)).abs() < error).all()
    assert ((ours.std(0) - theirs.std(0)).abs() < error).all()


def test_no_value_is_missing_or_infinite():
    """In 20,000 runs of float32, clean or as logged; and no size is 0."""
    clean, noisy, size = real_runs(20_000, 100, (), torch.Generator().manual_seed(1))
    assert clean.dtype == noisy.dtype == size.dtype == torch.float32 and size.shape == (20_000,)
    assert torch.isfinite(clean).all() and torch.isfinite(noisy).all() and (size > 0).all()


def test_losses_start_where_every_loss_starts(monkeypatch):
    """Losses start at the normalised first value, stay between 0 and 1, and higher is better."""
    monkeypatch.setattr(laws, "LOSSES", 1.0)
    clean, noisy, _ = runs()
    assert (noisy[:, 0] - FIRST_LOSS).abs().max() < 1e-12
    assert noisy.min() >= 0 and noisy.max() <= 1 and clean.min() >= 0 and clean.max() <= 1
    assert (noisy[:, -1] > noisy[:, 0]).double().mean() > 0.7


def test_losses_come_in_their_share():
    """As often as LOSSES says."""
    share = TRACES["losses"](runs())
    assert abs(share - laws.LOSSES) < 5 * math.sqrt(0.25 / N)


@pytest.mark.parametrize(
    ("feature", "share"),
    [("clipped", laws.CLIPPED), ("quantised", laws.QUANTISED)],
)
def test_scores_are_clipped_and_counted_in_the_stated_shares(feature, share):
    """Compared with the same draw without the feature, in its stated share of the scores."""
    others = ("losses", "clipped", "quantised")
    before, after = runs(others)[1], runs([name for name in others if name != feature])[1]
    could = ((before < 0) | (before > 1)).any(1) if feature == "clipped" else torch.ones(N).bool()
    changed = (before != after).any(1)
    assert not changed[~could].any()
    assert abs(changed[could].double().mean() - share) < 5 * math.sqrt(0.25 / could.sum())


def test_a_clipped_score_is_kept_within_its_bounds(monkeypatch):
    """Where all are clipped none leaves 0 to 1."""
    monkeypatch.setattr(laws, "CLIPPED", 1.0)
    noisy = runs(["losses"])[1]
    assert noisy.min() == 0 and noisy.max() == 1


@pytest.mark.parametrize("length", [2, 20, 400])
def test_runs_are_as_long_as_is_asked(length):
    """Every epoch is there and finite."""
    clean, noisy, size = real_runs(200, length, (), np.random.default_rng(0))
    assert clean.shape == noisy.shape == (200, length) and size.shape == (200,)
    assert torch.isfinite(clean).all() and torch.isfinite(noisy).all()
