"""Guards curvecast/networks/backbones/xlstm.py: all at once is the recurrence, and exponential gates do not overflow."""

import math

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


def test_it_is_the_formula_where_nothing_overflows():
    q, key, v, write, log_keep = terms(6)
    k = key / math.sqrt(5)
    C, n = torch.zeros(2, 2, 5, 5).double(), torch.zeros(2, 2, 5).double()
    for t in range(6):
        f, i = log_keep[:, :, t, None].exp(), write[:, :, t, None].exp()
        C = f[..., None] * C + i[..., None] * k[:, :, t, :, None] * v[:, :, t, None]
        n = f * n + i * k[:, :, t]
    y = torch.einsum("bhd,bhde->bhe", q[:, :, -1], C) / (q[:, :, -1] * n).sum(-1, keepdim=True).abs().clamp(
        min=1
    )
    assert torch.allclose(parallel(q, key, v, write, log_keep)[:, :, -1], y, atol=1e-10)


def test_gates_of_any_size_give_numbers():
    q, k, v, write, log_keep = terms(20, double=False)
    assert torch.isfinite(parallel(q, k, v, 200 * write, 50 * log_keep)).all()
