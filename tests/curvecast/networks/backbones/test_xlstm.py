"""Guards curvecast/networks/backbones/xlstm.py: all at once is the recurrence, and exponential gates do not overflow."""

import pytest
import torch
from torch.nn import functional as F

from curvecast.networks.backbones.xlstm import parallel, recur


def terms(T: int, double: bool = True) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    kind = torch.float64 if double else torch.float32
    q, k, v = torch.randn(3, 2, 2, T, 5, dtype=kind)
    write, keep = 3 * torch.randn(2, 2, 2, T, dtype=kind)
    return q, k, v, write, F.logsigmoid(keep)


@pytest.mark.parametrize(("double", "near"), [(True, 1e-10), (False, 2e-3)])
@pytest.mark.parametrize("T", [1, 29])
def test_all_at_once_is_the_recurrence(T, double, near):
    inputs = terms(T, double)
    assert torch.allclose(parallel(*inputs), recur(*inputs), atol=near, rtol=near)


def test_gates_of_any_size_give_numbers():
    q, k, v, write, log_keep = terms(20, double=False)
    assert torch.isfinite(parallel(q, k, v, 200 * write, 50 * log_keep)).all()
