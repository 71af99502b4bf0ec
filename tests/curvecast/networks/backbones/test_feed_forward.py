"""Guards curvecast/networks/backbones/feed_forward.py: the formulas, and as many parameters for each kind."""

import pytest
import torch
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.feed_forward import KINDS, FeedForward


def test_swiglu_is_the_whole_product_with_its_last_matrix():
    """(swish(x W) * x V) W2, where swish has the factor 1; the notes leave out W2."""
    torch.manual_seed(0)
    net, x = FeedForward("swiglu", 6, bias=False), torch.randn(4, 6)
    W, V = net.wide.weight.chunk(2)
    z = x @ W.T
    assert torch.allclose(net(x), (z * z.sigmoid() * (x @ V.T)) @ net.narrow.weight.T, atol=1e-6)


def test_geglu_gates_with_gelu():
    torch.manual_seed(0)
    net, x = FeedForward("geglu", 6), torch.randn(4, 6)
    a, b = F.linear(x, net.wide.weight, net.wide.bias).chunk(2, -1)
    assert torch.allclose(net(x), net.narrow(F.gelu(a) * b), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_as_many_parameters(kind):
    """Within one percent: a gate costs a third of the width."""

    def size(kind):
        return sum(p.numel() for p in FeedForward(kind, 96, 4, bias=False).parameters())

    assert size(kind) == pytest.approx(size("gelu"), rel=0.01)


def test_an_unknown_kind_is_told():
    with pytest.raises(UserError, match="take one of gelu, geglu, swiglu"):
        FeedForward("relu", 8)
