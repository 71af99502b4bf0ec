"""Guards curvecast/networks/backbones/h3.py: its formula, and where attention stands in the hybrid."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.h3 import H3, H3Config
from curvecast.networks.backbones.s4 import recur
from curvecast.networks.backbones.stack import CausalAttention


def test_the_layer_is_the_formula_with_both_systems_as_recurrences():
    torch.manual_seed(0)
    layer, u = H3(4, 3, 2).double(), torch.randn(2, 11, 4, dtype=torch.float64)
    q, k, v = layer.qkv(u).chunk(3, -1)
    before = torch.cat([torch.zeros(2, 1, 4), k[:, :-1]], 1)
    product = (layer.shift.weight[0] * k + layer.shift.weight[1] * before) * v
    kept = recur(product, *layer.diagonal.discrete())[0] + layer.diagonal.D * product
    assert torch.allclose(layer(u), layer.out(q * kept), atol=1e-10)


def test_a_hybrid_has_attention_in_every_second_layer():
    kinds = [type(mix) for mix in H3Config(layers=4, heads=2).make(8).mixers]
    assert kinds == [H3, CausalAttention, H3, CausalAttention]
    assert H3Config().label != H3Config(heads=2).label


def test_bad_sizes_are_refused():
    with pytest.raises(UserError, match="multiple of"):
        H3Config(heads=3).make(8)
    with pytest.raises(UserError, match="at least one point"):
        H3Config(shift=0).make(8)
