"""Guards curvecast/networks/inputs.py: the level of a curve, and what tokens are made of."""

import torch

from curvecast.networks.inputs import LEAST_SPREAD, Inputs, SpreadInputs, last_level


def test_the_level_follows_the_newest_points():
    """The level of a constant curve is its value; after a jump it follows within ten epochs."""
    x = torch.arange(1.0, 31)[None]
    flat = torch.full((1, 30), 0.7)
    assert torch.allclose(last_level(x, flat, None), torch.tensor([[0.7]]))
    jump = torch.where(x > 20, 0.9, 0.1)
    assert 0.8 < last_level(x, jump, None).item() < 0.9


def test_queries_know_no_value():
    """In the paper a query token depends only on its epoch; in ours on its epoch and the level."""
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


def spread_of(y, mask=None):
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    return SpreadInputs(8).stand(x, y, mask)


def test_the_spread_is_in_the_unit_of_the_curve():
    """With 10x the differences from the level the spread is 10x larger; the level stays."""
    y = torch.rand(5, 20, generator=torch.Generator().manual_seed(0))
    level, spread = spread_of(y).split(1, dim=1)
    wider = spread_of(level + 10 * (y - level))
    assert torch.allclose(wider[:, :1], level, atol=1e-5)
    assert torch.allclose(wider[:, 1:], 10 * spread, rtol=1e-4)


def test_the_spread_is_never_nothing():
    """It is LEAST_SPREAD for a constant curve or a single point, and slightly more for a few close points."""
    for y in (torch.full((1, 20), 0.7), torch.tensor([[0.3]])):
        assert torch.allclose(spread_of(y), torch.tensor([[y[0, 0], LEAST_SPREAD]]), rtol=1e-3)


def test_tokens_tell_the_size_once_and_the_shape_in_its_units():
    """A query depends on level and spread, not on values; the fourth number of a point is scale-invariant."""
    torch.manual_seed(0)
    inputs, y = SpreadInputs(8), torch.rand(1, 9) * 0.2
    x, query = torch.arange(1.0, 10)[None], torch.tensor([[12.0]])
    stand = inputs.stand(x, y, None)
    wider = stand[:, :1] + 3 * (y - stand[:, :1])
    with torch.no_grad():
        assert torch.equal(inputs(x, y, query, stand)[:, 9:], inputs(x, wider, query, stand)[:, 9:])
        for factors in ([3.0, 1.0], [1.0, 3.0]):  # the level, the spread
            moved = inputs(x, y, query, stand * torch.tensor(factors))
            assert not torch.equal(moved[:, 9:], inputs(x, y, query, stand)[:, 9:])
        inputs.y.weight[:, :3] = 0  # the units of the curve alone, and no size told
        inputs.level.weight.zero_()
        tokens, wider_tokens = (inputs(x, a, query, inputs.stand(x, a, None)) for a in (y, wider))
    assert torch.allclose(tokens, wider_tokens, atol=1e-3)
