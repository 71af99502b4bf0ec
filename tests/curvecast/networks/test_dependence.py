"""Guards curvecast/networks/dependence.py: it is zero where nothing passes, and the slope where something does."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.dependence import dependence


def test_it_is_the_absolute_slope():
    """Of a linear map it is the absolute matrix."""
    matrix = torch.tensor([[2.0, 0.0, -3.0], [0.0, 0.5, 0.0]])
    inputs = torch.randn(3, requires_grad=True)
    assert torch.equal(dependence(matrix @ inputs, inputs), matrix.abs())


def test_an_output_without_any_path_has_zeros():
    """An output that was computed from something else entirely depends on nothing."""
    inputs, other = torch.ones(2, 2, requires_grad=True), torch.ones(1, requires_grad=True)
    outputs = torch.cat([other, inputs[0, 1:]])
    assert dependence(outputs, inputs).tolist() == [[[0, 0], [0, 0]], [[0, 1], [0, 0]]]


def test_what_cannot_be_asked_is_refused():
    """Inputs without gradients and outputs with two axes raise a clear error."""
    with pytest.raises(UserError, match="requires_grad_"):
        dependence(torch.ones(2), torch.ones(2))
    inputs = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(UserError, match="one row"):
        dependence(2 * inputs, inputs)
