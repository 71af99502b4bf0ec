"""Guards curvecast/scores/sum_of_families.py: the sum of the prior's families, carried on, with honest bands."""

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.scores import baselines
from curvecast.scores.sum_of_families import sum_of_families

CONFIG = PriorConfig()
CURVES = prior.sample(CONFIG, 60, np.random.default_rng(0))


def test_it_carries_on_a_curve_of_the_prior():
    """From most of a curve without noise its rest follows, which a repeated value misses by ten times as much."""
    seen, later = CURVES.clean[:12, :60], CURVES.clean[:12, 60:].double()
    missed = (sum_of_families(CONFIG, seen, 40).mean - later).abs().mean(1).median()
    assert missed < 0.1 * (seen[:, -1:] - later).abs().mean(1).median()


@pytest.mark.parametrize("seen", [5, 20, 60])
def test_its_bands_hold_about_what_they_promise(seen):
    """On the prior's own curves; fewer points than parameters are no exception, since the laws are asked as well."""
    told, y = sum_of_families(CONFIG, CURVES.noisy[:, :seen], 100 - seen), CURVES.noisy[:, seen:].double()
    inside = ((told.quantile(0.05) < y) & (y < told.quantile(0.95))).double().mean()
    assert 0.8 < inside < 0.97


def test_early_it_is_more_open_than_late():
    """The spread at the last epoch falls as more is seen."""
    early, late = (sum_of_families(CONFIG, CURVES.noisy[:, :k], 100 - k).sd[:, -1].median() for k in (5, 60))
    assert early > 2 * late


def test_a_lone_point_gets_the_spread_of_the_laws():
    """Nothing is known of a run of one value but what the laws say: at least as open as its last value repeated."""
    told = sum_of_families(CONFIG, torch.tensor([[0.4]]), 30)
    assert torch.isfinite(told.mean).all() and (told.sd > 0.9 * baselines.LONE_POINT_SD).all()
