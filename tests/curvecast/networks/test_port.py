"""Guards curvecast/networks/port.py: torch's layers with the same weights give the same output."""

import inspect
from dataclasses import replace

import pytest
import torch

from curvecast.curves.prior import PriorConfig, sample
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.networks.port import Port, port
from reproduce.porting.porting import same_weights

BORDERS = make_borders(BarsConfig(buckets=50, curves=500), PriorConfig())
PAPER = replace(ModelConfig.paper(32, 3), heads=4)
VARIANTS = {
    "post": PAPER,
    "pre": replace(PAPER, norm="pre"),
    "post, queries blind to themselves": replace(PAPER, query_sees_itself=False),
    "pre, queries blind to themselves": replace(PAPER, norm="pre", query_sees_itself=False),
}


@pytest.fixture(params=VARIANTS)
def net(request):
    """A network of ours with every weight moved away from where it starts; no dropout."""
    torch.manual_seed(0)
    net = PFN(VARIANTS[request.param], BORDERS).eval()
    for parameter in net.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return net


@pytest.fixture(params=[1, 15, 29])
def batch(request):
    noisy = sample(PriorConfig(length=30), 4, torch.Generator().manual_seed(1)).noisy
    x, c = torch.arange(1.0, 31).expand(4, -1), request.param
    return x[:, :c], noisy[:, :c], x[:, c:]


def test_same_weights_same_logits(net, batch):
    """Largest difference below 1e-5, norm before or after the layers, at any cutoff."""
    assert (port(net)(*batch) - net(*batch)).abs().max() < 1e-5
    with torch.no_grad():  # where torch's layers take their fast path
        assert (port(net)(*batch) - net(*batch)).abs().max() < 1e-5


def test_same_gradients(net, batch):
    """They also learn the same: the gradient of a loss agrees for the first and for the last weights."""
    stock = port(net)
    for module in (net, stock):
        module(*batch).log_softmax(-1)[..., 7].mean().backward()
    pairs = [(net.inputs.y.weight, stock.y.weight), (net.head.out.bias, stock.head[2].bias),
             (net.layers[0].qkv.weight, stock.encoder.layers[0].self_attn.in_proj_weight)]  # fmt: skip
    for ours, theirs in pairs:
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-6)


def test_it_is_made_of_stock_layers():
    """Every module inside comes from torch.nn."""
    inside = [m for m in Port(PAPER).modules() if type(m) is not Port]
    assert all(type(m).__module__.startswith("torch.nn") for m in inside)


def test_another_network_is_refused():
    """Only the paper's network has a port; the error says so."""
    with pytest.raises(UserError, match=r"ModelConfig\.paper"):
        port(PFN(ModelConfig(32, 1, 4), BORDERS))


def test_the_lines_of_the_port_are_those_that_are_printed():
    """Blank ones and the docstring do not count, calls do."""
    source = [line.strip() for line in inspect.getsource(Port).splitlines()]
    assert any(line.startswith('"""') for line in source)
    assert "super().__init__()" in source
    assert same_weights.lines() == len([line for line in source if line and not line.startswith('"""')])
