"""Guards curvecast/networks/layer.py: attention as torch has it, and hidden points that are not there."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.layer import Sight
from curvecast.networks.model import PFN, ModelConfig

BORDERS = make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())
OURS = ModelConfig(width=32, layers=2, heads=2, components=4)
PAPER = ModelConfig(32, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True)


def network(config: ModelConfig = OURS, encoding=None) -> PFN:
    """Random weights, loud enough that inputs matter."""
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
    """A curve with hidden points is answered as one that never had them, whatever stands in their places."""
    net, y = network(config, encoding), prior.test_set(3).noisy[:, :6]
    x, ahead = torch.arange(1.0, 7).expand(3, -1), torch.arange(7.0, 20).expand(3, -1)
    mask = torch.tensor([True, False, True, False, False, True])
    found, _ = net.read(x, torch.where(mask, y, torch.nan), ahead, mask.expand(3, -1))
    expected, _ = net.read(x[:, mask], y[:, mask], ahead)
    assert found.std() > 0.1  # the network says something
    assert torch.allclose(found, expected, atol=2e-5)


@torch.no_grad()
def test_the_paper_s_layers_are_torch_s_own():
    """Post-norm layers against nn.TransformerEncoderLayer over context and queries with the paper's mask."""
    config = PAPER
    net = network(config)
    d, T, Q = 32, 9, 6
    tokens = torch.randn(3, T + Q, d)
    sees = torch.zeros(T + Q, T + Q, dtype=torch.bool)
    sees[:, :T] = True
    sees |= torch.eye(T + Q, dtype=torch.bool)  # a query sees itself; of the context only the context
    sees[:T, T:] = False
    expected, mine = tokens, tokens
    sight = Sight.of(torch.zeros(3, T), torch.zeros(3, Q), None, None, itself=True)
    for ours in net.layers:
        theirs = nn.TransformerEncoderLayer(d, config.heads, 2 * d, 0.2, "gelu", batch_first=True).eval()
        (
            theirs.self_attn.in_proj_weight.copy_(ours.qkv.weight),
            theirs.self_attn.in_proj_bias.copy_(ours.qkv.bias),
        )
        theirs.self_attn.out_proj.load_state_dict(ours.out.state_dict())
        (
            theirs.linear1.load_state_dict(ours.wide.state_dict()),
            theirs.linear2.load_state_dict(ours.narrow.state_dict()),
        )
        (
            theirs.norm1.load_state_dict(ours.norm1.state_dict()),
            theirs.norm2.load_state_dict(ours.norm2.state_dict()),
        )
        expected = theirs(expected, src_mask=~sees)
        mine = ours(mine, sight, last=False)
    assert torch.allclose(mine, expected, atol=1e-5)


def test_the_paper_s_layers_start_as_copies_that_do_nothing():
    """All layers equal, output projections zero: a fresh network is its embedding and its head."""
    net = PFN(PAPER, BORDERS)
    first, second = net.layers
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not first.out.weight.any() and not first.narrow.weight.any() and not first.out.bias.any()
