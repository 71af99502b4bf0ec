"""Guards curvecast/networks/backbones/mingru.py: what it keeps of a curve (test_whole_layers.py has the formula)."""

from curvecast.networks.backbones.mingru import MinGRUConfig


def test_its_state_is_a_vector_a_layer():
    assert MinGRUConfig(layers=3).state_size(width=8, length=1_000) == 3 * 8 + 8
