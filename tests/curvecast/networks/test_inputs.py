"""Guards curvecast/networks/inputs.py: the level of a curve, and what tokens are made of."""

import torch

from curvecast.networks.inputs import Inputs, last_level


def test_the_level_follows_the_newest_points():
    """A constant curve stands where it is; after a jump the level is nearly there within ten epochs."""
    x = torch.arange(1.0, 31)[None]
    flat = torch.full((1, 30), 0.7)
    assert torch.allclose(last_level(x, flat, None), torch.tensor([[0.7]]))
    jump = torch.where(x > 20, 0.9, 0.1)
    assert 0.8 < last_level(x, jump, None).item() < 0.9


def test_the_level_is_of_what_is_seen():
    """With a mask the level is that of the visible points alone, in whatever order they come."""
    x, y = torch.arange(1.0, 13).expand(2, -1), torch.rand(2, 12, generator=torch.Generator().manual_seed(0))
    mask = torch.arange(12) < torch.tensor([[4], [12]])
    level = last_level(x, torch.where(mask, y, 0.0), mask)
    assert torch.allclose(level[:1], last_level(x[:1, :4], y[:1, :4], None))
    order = torch.randperm(12)
    assert torch.allclose(level[1:], last_level(x[1:, order], y[1:, order], None))


def test_queries_know_no_value():
    """The paper's tokens: a query is its epoch alone; ours: epoch and level, whatever else the context says."""
    x, query = torch.arange(1.0, 6)[None], torch.tensor([[7.0, 9.0]])
    for rich in (False, True):
        torch.manual_seed(0)
        inputs = Inputs(8, rich)
        level = torch.full((1, 1), 0.4)
        a, b = (inputs(x, y, query, level) for y in (torch.rand(1, 5), torch.rand(1, 5)))
        assert a.shape == (1, 7, 8)
        assert torch.equal(a[:, 5:], b[:, 5:]) and not torch.equal(a[:, :5], b[:, :5])
    moved = inputs(x, torch.rand(1, 5), query, level + 0.1)
    assert not torch.equal(moved[:, 5:], a[:, 5:])
