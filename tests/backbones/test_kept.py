"""Guards reproduce/backbones/_kept.py: what a pass keeps for its gradient, in bytes."""

import torch
from torch import nn

from reproduce.backbones._kept import kept


def test_a_product_keeps_what_it_was_given_and_not_its_weights():
    layer, u = nn.Linear(8, 4), torch.randn(5, 8)
    assert kept(layer.parameters(), lambda: layer(u)) == 5 * 8 * 4  # float32


def test_what_is_shared_counts_once_and_what_needs_no_gradient_not_at_all():
    u = torch.randn(100, requires_grad=True)
    assert kept([], lambda: (u * u, u.sin())) == 100 * 4
    assert kept([], lambda: u.detach().sin()) == 0
