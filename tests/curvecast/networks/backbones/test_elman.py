"""Guards curvecast/networks/backbones/elman.py: torch's own layer, with a copy of its weights."""

import pytest
import torch
from torch import nn

from curvecast.networks.backbones.elman import Elman
from curvecast.networks.backbones.recurrent import unroll


@pytest.mark.parametrize("T", [1, 2, 33])
def test_it_is_torchs_own(T):
    torch.manual_seed(T)
    cell, theirs = Elman(7), nn.RNN(7, 7, batch_first=True)
    assert cell.new.weight.shape == theirs.weight_ih_l0.shape
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(cell.new.weight)
        theirs.bias_ih_l0.copy_(cell.new.bias)
        theirs.weight_hh_l0.copy_(cell.old.weight)
        theirs.bias_hh_l0.zero_() if cell.old.bias is None else theirs.bias_hh_l0.copy_(cell.old.bias)
    u = torch.randn(3, T, 7)
    assert torch.allclose(unroll(cell, u), theirs(u)[0], atol=1e-6)
