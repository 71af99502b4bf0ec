"""Guards curvecast/networks/backbones/mamba.py: the scan is the loop, and what a step does."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.mamba import Mamba, MambaConfig, selective_scan
from curvecast.networks.backbones.recurrent import scan_by_doubling


def terms(T: int, double: bool = True) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    kind = torch.float64 if double else torch.float32
    u, dt = torch.randn(2, T, 4, dtype=kind), torch.rand(2, T, 4, dtype=kind)
    A = -torch.arange(1, 9, dtype=kind).expand(4, 8)
    return u, dt, A, torch.randn(2, T, 8, dtype=kind), torch.randn(2, T, 8, dtype=kind)


@pytest.mark.parametrize(("double", "near"), [(True, 1e-11), (False, 1e-3)])
@pytest.mark.parametrize("T", [1, 8, 37])
def test_doubling_is_the_loop(T, double, near):
    """Also the loop equals the recurrence of the formula."""
    u, dt, A, B, C = terms(T, double)
    h, y = torch.zeros(2, 4, 8, dtype=u.dtype), []
    for t in range(T):
        h = (dt[:, t, :, None] * A).exp() * h + dt[:, t, :, None] * B[:, t, None] * u[:, t, :, None]
        y.append((h * C[:, t, None]).sum(-1))
    loop = torch.stack(y, 1)
    assert torch.allclose(selective_scan(u, dt, A, B, C), loop, atol=near)
    assert torch.allclose(selective_scan(u, dt, A, B, C, scan_by_doubling), loop, atol=near)


def test_a_step_of_nothing_skips_the_point():
    """The state does not change: the input has no effect, and nothing decays."""
    u, dt, A, B, C = terms(10)
    dt[:, 4] = 0
    other = u.clone()
    other[:, 4] = 99
    C = C[:, :1].expand_as(C)
    y = selective_scan(u, dt, A, B, C)
    assert torch.equal(y, selective_scan(other, dt, A, B, C)) and torch.allclose(y[:, 4], y[:, 3])


def test_first_steps_are_short():
    """Between 0.001 and 0.1, as initialised in the paper."""
    layer = Mamba(8, 16, 4)
    steps = torch.nn.functional.softplus(layer.step.bias)
    assert (steps >= 0.99e-3).all() and (steps <= 0.101).all()


def test_bad_sizes_are_refused():
    with pytest.raises(UserError, match="at least 1"):
        MambaConfig(states=0).make(8)
