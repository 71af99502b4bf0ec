"""Guards curvecast/networks/buckets.py: all methods describe the same mass within a bucket."""

import torch

from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.buckets import HALF, Buckets

BUCKETS = Buckets(make_borders(BarsConfig(buckets=20, curves=500), PriorConfig()).double())
Y = torch.linspace(-0.9, 2.4, 100, dtype=torch.float64)  # in both tails too


def test_half_of_a_tail_lies_inside_its_bucket():
    """The paper's rule for the scale of a tail."""
    logits = torch.full((20,), -50.0)
    logits[0] = 0.0
    made = Bars(BUCKETS.borders.float(), logits)
    assert abs(made.cdf(made.borders[0]) - 0.5) < 1e-5
    assert torch.isclose(made.low * HALF, made.borders[1] - made.borders[0])


def test_what_is_not_below_is_above():
    """The two shares of a bucket's mass are all of it, and lie between 0 and 1."""
    k = BUCKETS.bucket(Y)
    below, above = BUCKETS.share_below(Y, k), BUCKETS.share_above(Y, k)
    assert torch.allclose(below + above, torch.ones_like(below))
    assert (below >= 0).all() and (above >= 0).all()


def test_a_far_share_keeps_its_digits():
    """Twenty scales out on the right, where 1 - share is 0 or noise."""
    far = BUCKETS.last + 20 * BUCKETS.high
    above = BUCKETS.share_above(far, torch.tensor(19))
    assert 0 < above < 1e-80


def test_the_place_of_a_share_is_where_it_came_from():
    """`place` undoes `share_below` and `share_above`."""
    k = BUCKETS.bucket(Y)
    assert torch.allclose(BUCKETS.place(BUCKETS.share_below(Y, k), BUCKETS.share_above(Y, k), k), Y)


def test_a_centre_is_the_mean_of_the_mass_of_its_bucket():
    """By a million equal shares of it; and bounds keep it."""
    share = ((torch.arange(1_000_000) + 0.5) / 1_000_000).double()
    for k in (0, 7, 19):
        mean = BUCKETS.place(share, 1 - share, torch.tensor(k)).mean()
        assert abs(BUCKETS.centres()[k] - mean) < 1e-5
    assert tuple(BUCKETS.centres(0.3, 0.7).aminmax()) == (0.3, 0.7)
