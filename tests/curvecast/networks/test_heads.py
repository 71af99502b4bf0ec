"""Guards curvecast/networks/heads.py: both heads give one density, and the fast computation agrees with the full one."""

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.heads import BarsHead, MixtureHead, SpreadHead

BORDERS = make_borders(BarsConfig(buckets=60, curves=500), PriorConfig())


def make(kind):
    torch.manual_seed(0)
    heads = {
        "mixture": lambda: MixtureHead(16, 5, BORDERS),
        "spread": lambda: SpreadHead(16, 5, BORDERS),
        "bars": lambda: BarsHead(16, BORDERS),
    }
    head = heads[kind]()
    for parameter in head.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return head.eval()


@pytest.mark.parametrize("kind", ["mixture", "spread", "bars"])
@torch.no_grad()
def test_the_fast_log_density_is_that_of_the_bars(kind):
    """The log density of one y equals that of the density over all buckets, also in both tails."""
    head, encoded, level = make(kind), torch.randn(7, 40, 16), torch.rand(7, 2 if kind == "spread" else 1)
    y = torch.rand(7, 40) * 2.4 - 0.7
    slow = Bars(BORDERS, head(encoded, level)).log_density(y)
    fast = head.log_density(encoded, level, y)
    sane = slow > -12  # smaller masses lose digits in the long way
    assert sane.float().mean() > 0.5
    assert torch.allclose(slow[sane], fast[sane], atol=2e-3, rtol=1e-4)


@torch.no_grad()
def test_both_ways_end_at_the_same_floor():
    """Where a sharp forecast has no mass, both give the floor; in training there is no floor, to keep a gradient."""
    head, encoded, level = make("mixture"), torch.zeros(1, 1, 16), torch.full((1, 1), 0.5)
    head.out.bias[10:] = -9.0  # all components as narrow as they get
    y = torch.tensor([[0.95]])
    slow, fast = Bars(BORDERS, head(encoded, level)).log_density(y), head.log_density(encoded, level, y)
    assert torch.allclose(slow, fast, atol=1e-4) and -70 < fast.item() < -50
    assert head.train().log_density(encoded, level, y).item() < -100


@torch.no_grad()
def test_half_of_the_components_live_in_units_of_the_spread():
    """If the spread is 10x, the scaled components are 10x wider and 10x farther from the level; the others stay."""
    head, encoded = make("spread"), torch.randn(3, 4, 16)
    narrow, wide = torch.tensor([[0.5, 0.01]]).expand(3, -1), torch.tensor([[0.5, 0.1]]).expand(3, -1)
    (w1, m1, s1), (w2, m2, s2) = (head.mixture(encoded, stand) for stand in (narrow, wide))
    scaled = head.scaled
    assert scaled == 2 and torch.equal(w1, w2)
    assert torch.allclose(10 * (m1 - 0.5)[..., :scaled], (m2 - 0.5)[..., :scaled], atol=1e-5)
    assert torch.allclose(10 * s1[..., :scaled], s2[..., :scaled], rtol=1e-5)
    assert torch.equal(m1[..., scaled:], m2[..., scaled:]) and torch.equal(s1[..., scaled:], s2[..., scaled:])


@pytest.mark.parametrize("spread", [1e-4, 0.05, 1.0, 1e4, 1e12])
@pytest.mark.parametrize("extreme", [-60.0, 0.0, 60.0])
def test_likelihoods_and_gradients_are_finite_at_any_spread(spread, extreme):
    """For constant curves and huge spreads, the narrowest and widest components, inside and in both tails."""
    head = make("spread").train()
    with torch.no_grad():
        head.out.bias[5:] += extreme
    encoded = torch.randn(1, 6, 16).requires_grad_()
    stand = torch.tensor([[0.4, spread]], requires_grad=True)
    y = torch.tensor([[-2.0, 0.0, 0.4, 0.40001, 1.0, 5.0]])
    loss = head.log_density(encoded, stand, y)
    loss.sum().backward()
    assert torch.isfinite(loss).all()
    for leaf in (encoded, stand, *head.parameters()):
        assert torch.isfinite(leaf.grad).all()
