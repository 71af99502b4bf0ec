"""Guards curvecast/networks/layer.py: how it starts. test_port.py compares it with torch's, test_model.py has the masks."""

import torch

from curvecast.networks.model import PFN, ModelConfig


def test_the_paper_s_layers_start_as_copies_that_do_nothing():
    """All layers equal, output projections zero: a fresh network is its embedding and its head."""
    net = PFN(ModelConfig.paper(32, 2), torch.linspace(0, 1, 21))
    first, second = net.layers
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not first.out.weight.any() and not first.narrow.weight.any() and not first.out.bias.any()
