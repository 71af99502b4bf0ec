"""Guards curvecast/networks/layer.py: attention as torch has it, and the same numbers where few points are known."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.layer import Layer, Sight
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


@pytest.fixture
def forms(monkeypatch):
    """Which form of attention was taken, layer by layer."""
    taken = []
    for name in ("attend", "attend_to_few"):
        monkeypatch.setattr(Layer, name, _told(taken, name, getattr(Layer, name)))
    return taken


def _told(taken, name, form):
    def attend(*arguments):
        taken.append(name)
        return form(*arguments)

    return attend


@pytest.mark.parametrize("B", [1, 3])
@pytest.mark.parametrize("T", [1, 2, 5, 10])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("config", [OURS, replace(OURS, norm="post"), replace(OURS, heads=4)])
@pytest.mark.parametrize("encoding", [None, Farther()])
def test_both_forms_find_the_same(forms, B, T, holes, config, encoding):
    """A forecast of few points, with holes and without, against what is found outside inference mode."""
    net, y = network(config, encoding), prior.test_set(B).noisy
    x = torch.arange(1.0, 101).expand(B, -1)
    mask = None
    if holes:
        mask = torch.rand(B, T, generator=torch.Generator().manual_seed(1)) < 0.5
        mask[:, -1] = True
        y = torch.where(
            nn.functional.pad(~mask, (0, 100 - T)), torch.nan, y
        )  # what is hidden may be anything
    asked = x[:, :T], y[:, :T], x[:, T:], mask
    with torch.no_grad():
        expected, level = net.read(*asked)
    assert set(forms) == {"attend"}
    forms.clear()
    with torch.inference_mode():
        found, same_level = net.read(*asked)
    assert set(forms) == ({"attend_to_few"} if T * (config.heads + 32 / (100 - T)) < 32 else {"attend"})
    assert found.std() > 0.1  # the network says something
    assert torch.allclose(found, expected, atol=2e-5)
    assert torch.equal(level, same_level)


def test_the_form_for_few_points_is_taken_for_few_points(forms):
    """At width 128 and 4 heads, of 100 tokens: in both layers up to 22, and in none from 25 on."""
    net, x = network(ModelConfig(layers=2)), torch.arange(1.0, 101)[None]
    taken = {}
    for T in range(1, 100):
        forms.clear()
        net.density(x[:, :T], torch.rand(1, T), x[:, T:])
        taken[T] = forms.count("attend_to_few")
    assert [T for T in taken if taken[T] == 2] == list(range(1, 23))
    assert [T for T in taken if taken[T] == 0] == list(range(25, 100))


@pytest.mark.parametrize("other", [{"query_sees_itself": True}, {"encoding": True}])
def test_a_network_that_reads_otherwise_keeps_its_form(forms, other):
    """A query that sees itself, or an encoding that rotates, is not what the shorter sums are for."""
    rotates = type("Rotates", (), {"rotate": lambda self, heads, x: heads})() if "encoding" in other else None
    net = network(OURS if rotates else replace(OURS, **other), rotates)
    net.density(torch.ones(1, 1), torch.ones(1, 1), torch.arange(2.0, 50)[None])
    assert set(forms) == {"attend"}


def test_a_training_keeps_its_order_of_sums(forms):
    """The form for few points is for forecasts alone: weights stay what they are, to the bit."""
    net = network().train()
    x = torch.arange(1.0, 51)[None]
    net.log_density(x[:, :2], x[:, :2] / 50, x[:, 2:], x[:, 2:] / 50).mean().backward()
    assert set(forms) == {"attend"}


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
