"""Guards curvecast/networks/backbones/mamba.py: first steps, and sizes (test_whole_layers.py has the formula)."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.mamba import Mamba, MambaConfig


def test_first_steps_are_short():
    """Between 0.001 and 0.1, as initialised in the paper."""
    layer = Mamba(8, 16, 4)
    steps = torch.nn.functional.softplus(layer.step.bias)
    assert (steps >= 0.99e-3).all() and (steps <= 0.101).all()


def test_bad_sizes_are_refused():
    with pytest.raises(UserError, match="at least 1"):
        MambaConfig(states=0).make(8)
