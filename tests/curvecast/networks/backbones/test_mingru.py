"""Guards curvecast/networks/backbones/mingru.py: the scan is the formula, and a GRU that cannot read its state is it."""

import torch

from curvecast.networks.backbones.mingru import MinGRU, MinGRUConfig


def test_an_open_gate_forgets_all_and_a_closed_one_nothing():
    layer = MinGRU(2)
    with torch.no_grad():
        layer.new.weight.zero_()
        layer.new.bias.copy_(torch.tensor([50.0, -50.0, 1.0, 1.0]))
    h = layer(torch.zeros(1, 5, 2))[0]
    assert torch.allclose(h[:, 0], torch.full((5,), 1.5)) and (h[:, 1].abs() < 1e-12).all()


def test_its_state_is_a_vector_a_layer():
    assert MinGRUConfig(layers=3).state_size(width=8, length=1_000) == 3 * 8 + 8
