"""Guards curvecast/networks/backbones/mamba2.py: as attention, as recurrence, in chunks."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.mamba2 import Mamba2Config, dual, in_chunks, recur


def terms(T: int, double: bool = True) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    kind = torch.float64 if double else torch.float32
    log_a = -torch.rand(2, T, 2, dtype=kind)
    return (
        torch.randn(2, T, 2, 3, dtype=kind),
        log_a,
        torch.randn(2, T, 4, dtype=kind),
        torch.randn(2, T, 4, dtype=kind),
    )


@pytest.mark.parametrize(("double", "near"), [(True, 1e-11), (False, 1e-3)])
@pytest.mark.parametrize("T", [1, 16, 37])
def test_attention_is_recurrence_is_chunks(T, double, near):
    inputs = terms(T, double)
    whole = dual(*inputs)
    assert torch.allclose(whole, recur(*inputs), atol=near)
    for size in (1, 5, 16, 100):
        assert torch.allclose(whole, in_chunks(*inputs, size), atol=near)


def test_bad_sizes_are_refused():
    with pytest.raises(UserError, match="multiple of heads"):
        Mamba2Config(heads=3).make(8)
