"""Guards curvecast/networks/backbones/attention.py: the formula, padding, and heads that do not divide."""

import pytest
import torch
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.attention import Attention, causal_bias, padding_bias, plain


def tokens(B: int = 3, T: int = 7, d: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(B, T, d), torch.arange(1.0, T + 1).expand(B, T)


@pytest.mark.parametrize("causal", [False, True])
def test_the_formula_as_it_stands_is_torchs_fused_one(causal):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 9, 6, dtype=torch.float64)
    bias = causal_bias(q.shape[-2], q) if causal else None
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert torch.allclose(plain(q, k, v, bias), fused, atol=1e-12)


@pytest.mark.parametrize(("width", "heads", "kv"), [(9, 4, 0), (8, 4, 3), (8, 0, 0)])
def test_heads_that_do_not_divide_are_told(width, heads, kv):
    with pytest.raises(UserError, match="must be a multiple of"):
        Attention(width, heads, kv)


def test_padding_that_hides_nothing_changes_nothing_also_where_later_tokens_are_hidden():
    u, x = tokens()
    bias = padding_bias(torch.ones(3, 7, dtype=torch.bool), u)
    layer = Attention(8, 4)
    assert torch.allclose(*(layer(u, u, x, x, given, causal=True) for given in (None, bias)), atol=1e-6)
