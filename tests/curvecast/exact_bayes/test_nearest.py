"""Guards curvecast/exact_bayes/nearest.py: the nearest curve of the prior is found, and it is one of the prior."""

import numpy as np
import torch

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes.nearest import nearest

CONFIG = PriorConfig()
CURVES = prior.sample(CONFIG, 12, np.random.default_rng(0))


def size(left: torch.Tensor) -> torch.Tensor:
    return left.square().mean(1).sqrt()


def test_a_curve_of_the_prior_is_its_own_nearest():
    """Most of them to a thousandth, as no search that is quick finds the valley of all."""
    off = size(nearest(CONFIG, CURVES.clean) - CURVES.clean)
    assert off.median() < 2e-4 and off.max() < 5e-3


def test_no_curve_that_made_the_data_lies_nearer():
    found, made = size(nearest(CONFIG, CURVES.noisy) - CURVES.noisy), size(CURVES.clean - CURVES.noisy)
    assert (found < 1.03 * made).all() and (found > 0.8 * made).all()


def test_the_nearest_curve_keeps_the_rules():
    """Data that fall, or lie beyond what a curve can be, have a nearest curve that does neither."""
    falling, beyond = torch.linspace(0.9, 0.3, 60)[None], torch.linspace(0.8, 1.4, 60)[None]
    f = nearest(CONFIG, torch.cat([falling, beyond]))
    assert f.min() > -1e-3 and f.max() < 1.01 and (f[:, -1] - f[:, 0]).min() > -1e-3
    flat = size(falling - falling.mean())
    assert size(f[:1] - falling) < flat  # it may still fall in between: the rule looks at both ends alone


def test_what_lies_behind_the_end_of_a_curve_does_not_count():
    """Beside a longer curve it gets what it gets alone."""
    short = CURVES.noisy[:1, :40]
    padded = torch.cat([short, torch.full((1, 60), torch.nan)], 1)
    both = nearest(CONFIG, torch.cat([padded, CURVES.noisy[1:2]]))
    assert torch.allclose(both[0, :40], nearest(CONFIG, short)[0], atol=1e-4) and torch.isfinite(both).all()
