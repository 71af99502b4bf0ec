"""Guards curvecast/networks/backbones/stack.py: the residual stream, and the past."""

import torch
from torch import nn

from curvecast.networks.backbones.stack import ShortConvolution, Stack, earlier


def test_earlier_is_the_past_with_zeros_before_it():
    u = torch.arange(1.0, 5).reshape(1, 4, 1)
    assert earlier(u, 0).flatten().tolist() == [1, 2, 3, 4]
    assert earlier(u, 2).flatten().tolist() == [0, 0, 1, 2]
    assert earlier(u, 9).flatten().tolist() == [0, 0, 0, 0]


def test_mixers_that_say_nothing_leave_the_stream_as_it_is():
    """Blocks only add to the tokens; only the last norm changes them."""

    class Silent(nn.Module):
        def forward(self, u):
            return 0 * u

    stack, u = Stack([Silent(), Silent()], 8, "all"), torch.randn(2, 5, 8)
    states, seen = stack(u, None, None)
    assert seen is None and torch.allclose(states, nn.functional.layer_norm(u, (8,)), atol=1e-6)


def test_a_summary_is_the_state_after_the_last_point_that_was_seen():
    stack, u = Stack([ShortConvolution(8, 2)], 8, "last", expand=2), torch.randn(2, 5, 8)
    seen = torch.tensor([[True, True, False, False, False], [True] * 5])
    states = stack(u, None, seen).states
    assert states.shape == (2, 1, 8)
    assert torch.allclose(states[0], stack(u[:1, :2], None, None).states[0], atol=1e-6)
