"""Guards curvecast/networks/backbones/language_models.py: what each of the three has switched."""

import pytest
from torch import nn

from curvecast.networks.backbones.language_models import lamda, llama, palm
from curvecast.networks.relative import RoPE, T5Bias


@pytest.mark.parametrize("model", [palm, llama])
def test_palm_and_llama_have_no_biases_and_turn_by_epoch(model):
    net = model().make(16)
    assert not [n for n, _ in net.named_parameters() if n.endswith("bias")]  # in norms neither
    assert isinstance(net.blocks[0].attend.encoding, RoPE)


def test_palm_keeps_one_key_and_value_for_all_heads():
    net = palm(heads=4).make(16)
    assert net.blocks[0].attend.kv.weight.shape == (2 * 4, 16)
    assert net.blocks[0].parallel


def test_lamda_gates_with_gelu_and_counts_distances():
    net = lamda().make(16)
    assert net.blocks[0].feed.gate is nn.functional.gelu
    assert isinstance(net.blocks[0].attend.encoding, T5Bias)


def test_llama_norms_have_no_mean():
    assert isinstance(llama().make(16).norm, nn.RMSNorm)
