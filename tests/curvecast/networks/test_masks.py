"""Guards curvecast/networks/masks.py: who may see whom, token by token."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.masks import KINDS, mask


def test_causal_hides_what_comes_later():
    """A token sees itself and those before it, no other."""
    assert mask("causal", 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_pfn_shows_the_context_and_a_query_itself():
    """All see the context; a query sees itself and no other query; no context point sees a query."""
    seen = mask("pfn", 5, context=2)
    assert seen[:, :2].all()
    assert torch.equal(seen[2:, 2:], torch.eye(3, dtype=torch.bool))
    assert not seen[:2, 2:].any()


@pytest.mark.parametrize("kind", KINDS)
def test_every_token_sees_something(kind):
    """A row without a single True would be a softmax over nothing."""
    assert mask(kind, 6, context=1).any(1).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [(("diagonal", 4, 2), "full, causal, pfn"), (("pfn", 4, 0), "1 to 4"), (("pfn", 4, 5), "1 to 4")],
)
def test_impossible_masks_are_refused(call, says):
    """An unknown kind or a context that cannot be gets one sentence that names the choices."""
    with pytest.raises(UserError, match=says):
        mask(*call)
