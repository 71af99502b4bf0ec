"""Guards curvecast/curves/laws/real_runs.py: scores, losses, and that a feature left out leaves no trace."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.laws import real_runs
from curvecast.curves.laws.real_runs import FEATURES

FIRST_LOSS = 1 - (1 / (1 + math.exp(-1)) - 1 / (1 + math.e)) / (1 - 1 / (1 + math.e))  # as every loss is seen


def share(of: torch.Tensor) -> float:
    return of.double().mean().item()


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
    """Its statistic is 0 within error without it, and clearly above 0 with it; a new feature needs a line above."""
    trace = TRACES[feature]
    assert trace(only()) < 0.012 and trace(only(feature)) > 0.018


def test_without_all_features_there_is_growth_and_white_noise():
    sample = only()
    z = units(sample)
    assert falls(sample) == 0 and sample[0].min() >= 0 and sample[0].max() <= 1
    assert abs(z.mean()) < 0.01 and (z.std(0) - 1).abs().max() < 0.06 and abs(TRACES["memory"](sample)) < 0.01


def test_torch_and_numpy_give_the_same_law_and_no_value_is_missing():
    """Means and spreads of 20,000 runs at several epochs agree within five standard errors."""
    n, at = 20_000, [0, 1, 4, 19, 49, 99]
    ours, theirs = runs(n=n), real_runs.real_runs(n, 100, (), torch.Generator().manual_seed(0))
    assert all(part.dtype == torch.float32 and part.isfinite().all() for part in theirs)
    assert (theirs[2] > 0).all() and theirs[2].shape == (n,)
    mine, other = (part[1][:, at].double().clamp(-1, 2) for part in (ours, theirs))
    error = 5 * mine.std(0) * math.sqrt(2 / n)
    assert ((mine.mean(0) - other.mean(0)).abs() < error).all()
    assert ((mine.std(0) - other.std(0)).abs() < error).all()


def test_losses_start_where_every_loss_starts_and_come_in_their_share(monkeypatch):
    """They stay between 0 and 1, and higher is better."""
    assert TRACES["losses"](runs()) == pytest.approx(real_runs.LOSSES, abs=0.04)
    monkeypatch.setattr(real_runs, "LOSSES", 1.0)
    clean, noisy, _ = runs()
    assert (noisy[:, 0] - FIRST_LOSS).abs().max() < 1e-12
    assert noisy.min() >= 0 and noisy.max() <= 1 and clean.min() >= 0 and clean.max() <= 1
    assert share(noisy[:, -1] > noisy[:, 0]) > 0.7


@pytest.mark.parametrize("feature", ["clipped", "quantised"])
def test_scores_are_clipped_and_counted_in_the_stated_shares(feature, monkeypatch):
    """Compared with the same draw without the feature; where all are clipped none leaves 0 to 1."""
    others = ("losses", "clipped", "quantised")
    before, after = runs(others)[1], runs([name for name in others if name != feature])[1]
    could = ((before < 0) | (before > 1)).any(1) if feature == "clipped" else torch.ones(4000).bool()
    changed = (before != after).any(1)
    stated = getattr(real_runs, feature.upper())
    assert not changed[~could].any()
    assert share(changed[could]) == pytest.approx(stated, abs=2.5 / math.sqrt(could.sum()))
    monkeypatch.setattr(real_runs, "CLIPPED", 1.0)
    noisy = runs(["losses"])[1]
    assert noisy.min() == 0 and noisy.max() == 1


@pytest.mark.parametrize("length", [2, 20, 400])
def test_runs_are_as_long_as_is_asked(length):
    clean, noisy, size = real_runs.real_runs(200, length, (), np.random.default_rng(0))
    assert clean.shape == noisy.shape == (200, length) and size.shape == (200,)
    assert clean.isfinite().all() and noisy.isfinite().all()
