"""Guards reproduce/backbones/_costs.py: the memory that a pass keeps for its gradient."""

import torch
from torch import nn

from reproduce.backbones import _costs, _rows
from reproduce.backbones._trainings import SETTINGS


def test_what_is_kept_grows_with_depth_and_leaves_weights_out():
    """Four layers keep more than one, of as many parameters; at least the tokens themselves are kept."""
    runners = [
        _costs.runner(_rows.reader(name, 4_000), SETTINGS["Muon"], 16) for name in ("Elman", "Elman, stacked")
    ]
    one, four = (_costs.turn(runner, 1)["kept"] for runner in runners)
    assert four > one > 16 * 50 * 4


def test_a_product_keeps_what_it_was_given_and_not_its_weights():
    layer, u = nn.Linear(8, 4), torch.randn(5, 8)
    assert _costs.kept(layer.parameters(), lambda: layer(u)) == 5 * 8 * 4  # float32


def test_what_is_shared_counts_once_and_what_needs_no_gradient_not_at_all():
    u = torch.randn(100, requires_grad=True)
    assert _costs.kept([], lambda: (u * u, u.sin())) == 100 * 4
    assert _costs.kept([], lambda: u.detach().sin()) == 0
