"""Guards curvecast/networks/backbones/s4.py: convolution, recurrence and chunks are one system."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.s4 import S4Config, convolve, first_eigenvalues, in_chunks, kernel, recur


def system(d: int = 3, N: int = 4, double: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    kind = torch.complex128 if double else torch.complex64
    a_log = 0.1 * first_eigenvalues(N, "legs").expand(d, N)
    return a_log.to(kind), torch.randn(d, N, dtype=kind)


@pytest.mark.parametrize(("double", "near"), [(True, 1e-11), (False, 1e-3)])
@pytest.mark.parametrize("T", [1, 16, 37])
def test_convolution_is_recurrence_is_chunks(T, double, near):
    a_log, Cb = system(double=double)
    u = torch.randn(2, T, 3, dtype=torch.float64 if double else torch.float32)
    whole = convolve(u, kernel(a_log, Cb, T))
    assert torch.allclose(whole, recur(u, a_log, Cb)[0], atol=near)
    for size in (1, 5, 16, 100):
        assert torch.allclose(whole, in_chunks(u, a_log, Cb, size), atol=near)


@pytest.mark.parametrize("T", [1, 2, 3, 4, 5, 99, 100, 6_400])
def test_two_tables_of_powers_give_the_kernel(T):
    """As one power for each point, in double precision."""
    a_log, Cb = system()
    each = 2 * (Cb[..., None] * (a_log[..., None] * torch.arange(T)).exp()).sum(1).real
    ours = kernel(a_log.to(torch.complex64), Cb.to(torch.complex64), T)
    assert ours.shape == (3, T) and torch.allclose(ours.double(), each, atol=1e-5)


def test_the_state_that_is_passed_on_is_all_that_is_needed():
    a_log, Cb = system()
    u = torch.randn(2, 20, 3, dtype=torch.float64)
    _, x = recur(u[:, :7], a_log, Cb)
    assert torch.allclose(recur(u[:, 7:], a_log, Cb, x)[0], recur(u, a_log, Cb)[0][:, 7:])


def test_hippo_turns_at_other_speeds_than_the_even_ones():
    even, legs = first_eigenvalues(8, "lin"), first_eigenvalues(8, "legs")
    assert torch.allclose(even.imag.diff(), torch.full((7,), torch.pi, dtype=torch.float64))
    assert legs.imag[-1] > 2 * even.imag[-1] and torch.allclose(legs.real, even.real)


def test_a_beginning_that_nobody_knows_is_refused():
    with pytest.raises(UserError, match="'lin' or 'legs'"):
        S4Config(begin="fourier").make(8)
    with pytest.raises(UserError, match="at least one"):
        S4Config(states=0).make(8)
