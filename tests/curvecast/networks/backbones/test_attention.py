"""Guards curvecast/networks/backbones/attention.py: torch's own, the formula, and one key for all heads."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.attention import Attention, causal_bias, padding_bias, plain
from tests.curvecast.networks.backbones.torchs_weights import copied


def tokens(B: int = 3, T: int = 7, d: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(B, T, d), torch.arange(1.0, T + 1).expand(B, T)


def test_it_is_torchs_multihead_attention():
    u, x = tokens()
    ours, theirs = Attention(8, 4), nn.MultiheadAttention(8, 4, batch_first=True)
    copied(theirs, ours)
    seen = torch.tensor([[True] * 7, [True] * 4 + [False] * 3, [True] + [False] * 6])
    bias = padding_bias(seen, u)
    wanted = theirs(u, u, u, key_padding_mask=~seen, need_weights=False)[0]
    assert torch.allclose(ours(u, u, x, x, bias), wanted, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_the_formula_as_it_stands_is_torchs_fused_one(causal):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 9, 6, dtype=torch.float64)
    bias = causal_bias(q.shape[-2], q) if causal else None
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert torch.allclose(plain(q, k, v, bias), fused, atol=1e-12)


def test_one_key_for_all_heads_is_the_same_key_in_each():
    u, x = tokens()
    multi_query = Attention(8, 4, kv_heads=1)
    many = Attention(8, 4)
    with torch.no_grad():
        many.q.load_state_dict(multi_query.q.state_dict())
        many.out.load_state_dict(multi_query.out.state_dict())
        for name in ("weight", "bias"):
            k, v = getattr(multi_query.kv, name).chunk(2)
            getattr(many.kv, name).copy_(torch.cat([k] * 4 + [v] * 4))
    assert torch.allclose(multi_query(u, u, x, x), many(u, u, x, x), atol=1e-6)
    assert 4 * multi_query.kv.weight.shape[0] == many.kv.weight.shape[0]  # what is kept of each token read


@pytest.mark.parametrize(("width", "heads", "kv"), [(9, 4, 0), (8, 4, 3), (8, 0, 0)])
def test_heads_that_do_not_divide_are_told(width, heads, kv):
    with pytest.raises(UserError, match="must be a multiple of"):
        Attention(width, heads, kv)


def test_padding_that_hides_nothing_changes_nothing_also_where_later_tokens_are_hidden():
    u, x = tokens()
    bias = padding_bias(torch.ones(3, 7, dtype=torch.bool), u)
    layer = Attention(8, 4)
    assert torch.allclose(*(layer(u, u, x, x, given, causal=True) for given in (None, bias)), atol=1e-6)
