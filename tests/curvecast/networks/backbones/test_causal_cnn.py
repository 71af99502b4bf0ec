"""Guards curvecast/networks/backbones/causal_cnn.py: its reach, and what is pooled."""

import pytest
import torch

from curvecast.networks.backbones.causal_cnn import CausalCNN, pooled


@pytest.mark.parametrize(("layers", "reach"), [(1, 2), (3, 14)])
def test_it_reaches_as_far_as_said(layers, reach):
    """Two of its first layer, twice as many of the next, and so on; no further, and never ahead."""
    torch.manual_seed(0)
    u = torch.randn(1, 30, 4, requires_grad=True)
    CausalCNN(4, layers, "all")(u, None, None).states[0, 20, 0].backward()
    read = u.grad[0].abs().sum(-1).nonzero().flatten()
    assert (int(read.min()), int(read.max())) == (20 - reach, 20)


def test_pooling_is_over_what_was_seen():
    h = torch.tensor([[[1.0], [3.0], [99.0]]])
    assert pooled(h, torch.tensor([[True, True, False]])).flatten().tolist() == [2, 3]
    assert pooled(h[:, :2], None).flatten().tolist() == [2, 3]
