"""Guards curvecast/networks/backbones/stack.py: what a summary is (test_whole_layers.py has the residual stream)."""

import torch

from curvecast.networks.backbones.stack import ShortConvolution, Stack


def test_a_summary_is_the_state_after_the_last_point_that_was_seen():
    stack, u = Stack([ShortConvolution(8, 2)], 8, "last", expand=2), torch.randn(2, 5, 8)
    seen = torch.tensor([[True, True, False, False, False], [True] * 5])
    states = stack(u, None, seen).states
    assert states.shape == (2, 1, 8)
    assert torch.allclose(states[0], stack(u[:1, :2], None, None).states[0], atol=1e-6)
