"""Guards curvecast/networks/backbones/causal_cnn.py: what is pooled (test_whole_layers.py has the formula)."""

import torch

from curvecast.networks.backbones.causal_cnn import pooled


def test_pooling_is_over_what_was_seen():
    h = torch.tensor([[[1.0], [3.0], [99.0]]])
    assert pooled(h, torch.tensor([[True, True, False]])).flatten().tolist() == [2, 3]
    assert pooled(h[:, :2], None).flatten().tolist() == [2, 3]
