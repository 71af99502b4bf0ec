"""Guards curvecast/networks/layer.py: masked points have no effect. test_port.py compares the layers with torch's."""

from dataclasses import replace

import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig

BORDERS = make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())
OURS = ModelConfig(width=32, layers=2, heads=2, components=4)
PAPER = ModelConfig(32, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True)


def network(config: ModelConfig = OURS, encoding=None) -> PFN:
    """Random weights, large enough that inputs matter."""
    torch.manual_seed(0)
    net = PFN(config, BORDERS, encoding).eval()
    with torch.no_grad():
        for weight in net.parameters():
            weight.normal_(std=0.2)
    return net


class Farther:
    """The later, the less is seen."""

    def bias(self, x_query, x_context):
        return -(x_query[:, None, :, None] - x_context[:, None, None, :]).abs() / 10


@pytest.mark.parametrize("config", [OURS, replace(OURS, norm="post"), PAPER])
@pytest.mark.parametrize("encoding", [None, Farther()])
@torch.no_grad()
def test_what_is_hidden_is_not_there(config, encoding):
    """Masked points have no effect on a forecast, whatever their values are."""
    net, y = network(config, encoding), prior.test_set(3).noisy[:, :6]
    x, ahead = torch.arange(1.0, 7).expand(3, -1), torch.arange(7.0, 20).expand(3, -1)
    mask = torch.tensor([True, False, True, False, False, True])
    encoded, _ = net.read(x, torch.where(mask, y, torch.nan), ahead, mask.expand(3, -1))
    expected, _ = net.read(x[:, mask], y[:, mask], ahead)
    assert encoded.std() > 0.1  # the network says something
    assert torch.allclose(encoded, expected, atol=2e-5)


def test_the_paper_s_layers_start_as_copies_that_do_nothing():
    """All layers equal, output projections zero: a fresh network is its embedding and its head."""
    net = PFN(PAPER, BORDERS)
    first, second = net.layers
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not first.out.weight.any() and not first.narrow.weight.any() and not first.out.bias.any()
