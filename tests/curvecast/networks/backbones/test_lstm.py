"""Guards curvecast/networks/backbones/lstm.py: torch's own layer, with a copy of its weights."""

import pytest
import torch
from torch import nn

from curvecast.networks.backbones.lstm import LSTM
from tests.curvecast.networks.backbones.torchs_weights import both


@pytest.mark.parametrize("T", [1, 2, 33])
def test_it_is_torchs_own(T):
    torch.manual_seed(T)
    ours, theirs = both(LSTM(7), nn.LSTM(7, 7, batch_first=True), T)
    assert torch.allclose(ours, theirs, atol=1e-6)
