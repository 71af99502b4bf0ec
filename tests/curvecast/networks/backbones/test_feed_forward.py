"""Guards curvecast/networks/backbones/feed_forward.py: as many parameters for each kind."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.feed_forward import KINDS, FeedForward


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_as_many_parameters(kind):
    """Within one percent: a gate costs a third of the width."""

    def size(kind):
        return sum(p.numel() for p in FeedForward(kind, 96, 4, bias=False).parameters())

    assert size(kind) == pytest.approx(size("gelu"), rel=0.01)


def test_an_unknown_kind_is_told():
    with pytest.raises(UserError, match="take one of gelu, geglu, swiglu"):
        FeedForward("relu", 8)
