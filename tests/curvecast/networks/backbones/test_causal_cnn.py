"""Guards curvecast/networks/backbones/causal_cnn.py: torch's convolution, its reach, and what is pooled."""

import pytest
import torch
from torch import nn

from curvecast.networks.backbones.causal_cnn import CausalCNN, dilated, pooled


@pytest.mark.parametrize("by", [1, 4])
def test_taps_are_torchs_dilated_convolution(by):
    linear, conv = nn.Linear(18, 5), nn.Conv1d(6, 5, 3, dilation=by)
    with torch.no_grad():  # ours run from the newest to the oldest
        conv.weight.copy_(linear.weight.unflatten(1, (3, 6)).flip(1).transpose(1, 2))
        conv.bias.copy_(linear.bias)
    u = torch.randn(2, 11, 6)
    theirs = conv(nn.functional.pad(u.transpose(1, 2), (2 * by, 0))).transpose(1, 2)
    assert torch.allclose(linear(dilated(u, by)), theirs, atol=1e-5)


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
