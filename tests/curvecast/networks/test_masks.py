"""Guards curvecast/networks/masks.py: which token attends to which."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.masks import KINDS, mask


def test_causal_hides_what_comes_later():
    """A token attends to itself and to earlier ones."""
    assert mask("causal", 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_pfn_shows_the_context_and_a_query_itself():
    """All attend to the context; a query to itself and to no other query; no context point to a query."""
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
    """An unknown kind or an impossible context raises an error that names the choices."""
    with pytest.raises(UserError, match=says):
        mask(*call)
