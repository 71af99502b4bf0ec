"""Guards curvecast/networks/backbones/h3.py: where attention stands in the hybrid, and sizes."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.h3 import H3, H3Config
from curvecast.networks.backbones.stack import CausalAttention


def test_a_hybrid_has_attention_in_every_second_layer():
    kinds = [type(mix) for mix in H3Config(layers=4, heads=2).make(8).mixers]
    assert kinds == [H3, CausalAttention, H3, CausalAttention]
    assert H3Config().label != H3Config(heads=2).label


def test_bad_sizes_are_refused():
    with pytest.raises(UserError, match="multiple of"):
        H3Config(heads=3).make(8)
    with pytest.raises(UserError, match="at least one point"):
        H3Config(shift=0).make(8)
