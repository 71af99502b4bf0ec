"""Guards curvecast/networks/heads.py: both heads write one density, and the fast way agrees with the long one."""

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.heads import BarsHead, MixtureHead

BORDERS = make_borders(BarsConfig(buckets=60, curves=500), PriorConfig())


def make(kind):
    torch.manual_seed(0)
    head = MixtureHead(16, 5, BORDERS) if kind == "mixture" else BarsHead(16, BORDERS)
    for parameter in head.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return head.eval()


@pytest.mark.parametrize("kind", ["mixture", "bars"])
@torch.no_grad()
def test_the_fast_log_density_is_that_of_the_bars(kind):
    """Asking for one y gives what the density over all buckets says, in both tails as well."""
    head, found, level = make(kind), torch.randn(7, 40, 16), torch.rand(7, 1)
    y = torch.rand(7, 40) * 2.4 - 0.7
    slow = Bars(BORDERS, head(found, level)).log_density(y)
    fast = head.log_density(found, level, y)
    sane = slow > -12  # smaller masses lose digits in the long way
    assert sane.float().mean() > 0.5
    assert torch.allclose(slow[sane], fast[sane], atol=2e-3, rtol=1e-4)


@torch.no_grad()
def test_both_ways_end_at_the_same_floor():
    """Where a sharp forecast leaves nothing, both ways say the floor; only in training is there none, for its slope."""
    head, found, level = make("mixture"), torch.zeros(1, 1, 16), torch.full((1, 1), 0.5)
    head.out.bias[10:] = -9.0  # all components as narrow as they get
    y = torch.tensor([[0.95]])
    slow, fast = Bars(BORDERS, head(found, level)).log_density(y), head.log_density(found, level, y)
    assert torch.allclose(slow, fast, atol=1e-4) and -70 < fast.item() < -50
    assert head.train().log_density(found, level, y).item() < -100


@torch.no_grad()
def test_masses_of_the_mixture_sum_to_one():
    """No mass is lost between the buckets or beyond them."""
    head = make("mixture")
    total = head(torch.randn(3, 50, 16), torch.rand(3, 1)).exp().sum(-1)
    assert torch.allclose(total, torch.ones_like(total), atol=1e-5)
