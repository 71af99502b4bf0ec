"""Guards curvecast/networks/backbones/linear_attention.py: all at once is the recurrence."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.deltanet import DeltaNetConfig
from curvecast.networks.backbones.linear_attention import LinearAttentionConfig, in_chunks, parallel, recur
from curvecast.networks.backbones.rwkv7 import RWKV7Config
from curvecast.networks.backbones.xlstm import XLSTMConfig


def qkv(T: int, double: bool = True) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    kind = torch.float64 if double else torch.float32
    q, k, v = torch.randn(3, 2, 2, T, 5, dtype=kind)
    return torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1, v


@pytest.mark.parametrize(("double", "near"), [(True, 1e-11), (False, 1e-3)])
@pytest.mark.parametrize("T", [1, 33])
def test_all_at_once_is_the_recurrence_is_chunks(T, double, near):
    inputs = qkv(T, double)
    assert torch.allclose(parallel(*inputs), recur(*inputs), atol=near)
    for size in (1, 7, 64):
        assert torch.allclose(parallel(*inputs), in_chunks(*inputs, size), atol=near)


@pytest.mark.parametrize("config", [LinearAttentionConfig, DeltaNetConfig, RWKV7Config, XLSTMConfig])
def test_heads_that_do_not_divide_are_refused(config):
    with pytest.raises(UserError, match="do not divide"):
        config(heads=3).make(8)
