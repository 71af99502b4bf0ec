"""Guards curvecast/quick.py: the numbers of model.py, and only where they come sooner."""

from dataclasses import replace

import pytest
import torch

from curvecast import prior, quick
from curvecast.bars import BarsConfig, make_borders
from curvecast.model import PFN, ModelConfig
from curvecast.prior import PriorConfig

SMALL = ModelConfig(width=32, layers=2, heads=2, components=4)


def network(config: ModelConfig = SMALL) -> PFN:
    """Random weights, loud enough that inputs matter."""
    torch.manual_seed(0)
    net = PFN(config, make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())).eval()
    with torch.no_grad():
        for weight in net.parameters():
            weight.normal_(std=0.2)
    return net


@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize("T", [1, 2, 10, 24])
@pytest.mark.parametrize("hidden", [False, True])
@torch.no_grad()
def test_it_reads_as_the_model_does(B, T, hidden):
    net, y = network(), prior.test_set(B).noisy
    x = torch.arange(1.0, 101).expand(B, -1)
    mask = None
    if hidden:
        mask = torch.rand(B, T, generator=torch.Generator().manual_seed(1)) < 0.5
        mask[:, -1] = True
    if hidden and T > 1:  # what is hidden may be anything
        y = torch.where(torch.nn.functional.pad(~mask, (0, 100 - T)), torch.nan, y)
    expected, level = net.read(x[:, :T], y[:, :T], x[:, T:], mask)
    found, same_level = quick.read(net, x[:, :T], y[:, :T], x[:, T:], mask)
    assert found.std() > 0.1  # the network says something
    assert torch.allclose(found, expected, atol=2e-5)
    assert torch.equal(level, same_level)


def test_it_is_taken_for_few_points_and_not_for_many():
    """At width 128 and 4 heads, with 100 tokens, up to 24 points."""
    net = network(ModelConfig())
    assert [T for T in range(1, 100) if quick.pays(net, T, 100 - T)] == list(range(1, 25))


def test_it_is_not_taken_where_a_network_reads_otherwise():
    assert quick.pays(network(), 2, 50)
    assert not quick.pays(network().train(), 2, 50)
    for other in ({"norm": "post"}, {"query_sees_itself": True}):
        assert not quick.pays(network(replace(SMALL, **other)), 2, 50)
    turned = PFN(
        SMALL, make_borders(BarsConfig(buckets=100, curves=500), PriorConfig()), encoding=torch.nn.Identity()
    ).eval()
    assert not quick.pays(turned, 2, 50)
