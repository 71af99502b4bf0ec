"""Guards curvecast/language/window.py: what lies before the window is not read, and all of the window is."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.window import WindowConfig


def test_a_state_depends_on_the_words_of_its_window_alone():
    torch.manual_seed(0)
    tokens = torch.randn(1, 10, 6, requires_grad=True)
    states = WindowConfig(words=3).make(6)(tokens, torch.arange(10.0)[None], None).states
    states[0, 7].sum().backward()
    assert tokens.grad[0].abs().sum(-1).gt(0).nonzero()[:, 0].tolist() == [5, 6, 7]


def test_a_window_without_words_is_refused():
    with pytest.raises(UserError, match="reads nothing"):
        WindowConfig(words=0).make(6)
