"""Guards curvecast/networks/backbones/deltanet.py: one solve is the recurrence."""

import pytest
import torch

from curvecast.networks.backbones.deltanet import in_chunks, recur, solve


def qkvb(T: int, double: bool = True) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    kind = torch.float64 if double else torch.float32
    q, k, v = torch.randn(3, 2, 2, T, 6, dtype=kind)
    return q, torch.nn.functional.normalize(k, dim=-1), v, torch.rand(2, 2, T, dtype=kind)


@pytest.mark.parametrize(("double", "near"), [(True, 1e-10), (False, 1e-3)])
@pytest.mark.parametrize("T", [1, 16, 41])
def test_one_solve_is_the_recurrence_is_chunks(T, double, near):
    inputs = qkvb(T, double)
    (y, S), (y_loop, S_loop) = solve(*inputs), recur(*inputs)
    assert torch.allclose(y, y_loop, atol=near) and torch.allclose(S, S_loop, atol=near)
    for size in (1, 7, 64):
        assert torch.allclose(y, in_chunks(*inputs, size), atol=near)
