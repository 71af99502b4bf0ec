"""Guards curvecast/networks/backbones/hippo.py: what is remembered, steps, and the normal part."""

import math

import numpy as np
import pytest
import torch
from numpy.polynomial.legendre import Legendre

from curvecast.networks.backbones import hippo


def history(T: int) -> torch.Tensor:
    """Something like a learning curve, with bumps."""
    t = torch.linspace(0, 1, T, dtype=torch.float64)
    return 0.9 - 0.7 * (-6 * t).exp() + 0.05 * (40 * t).sin()


def test_the_normal_part_turns_and_fades_by_a_half():
    """The eigenvalues of A + p p' for four numbers, as computed apart from this code."""
    eigenvalues = hippo.normal_part(4)
    assert torch.allclose(eigenvalues.real, torch.full((2,), -0.5, dtype=torch.float64))
    assert eigenvalues.imag.tolist() == pytest.approx([0.556501, 4.603293], abs=1e-5)


def test_zero_order_hold_is_the_exact_solution():
    """One number: x' = -3 x + 2 u with u = 1 for a step of 0.5."""
    A, B = torch.tensor([[-3.0]]).double(), torch.tensor([2.0]).double()
    Ad, Bd = hippo.zero_order_hold(A, B, 0.5)
    assert Ad.item() == pytest.approx(math.exp(-1.5)) and Bd.item() == pytest.approx(
        2 / 3 * (1 - math.exp(-1.5))
    )
    A, B = hippo.legs(8)
    Ad, Bd = hippo.zero_order_hold(A, B, 0.1)
    assert torch.allclose(Ad, torch.linalg.matrix_exp(0.1 * A))
    assert torch.allclose(Bd, torch.linalg.solve(A, (Ad - torch.eye(8)) @ B))


@pytest.mark.parametrize(("z", "gain"), [(-0.1, 1.05), (-5, 5.03), (-20, 20.0)])
def test_eulers_rule_has_another_gain(z, gain):
    """The stationary state for a constant input, relative to the exact one: z / (e^z - 1), and 1 for zero-order hold."""
    A, B = torch.tensor([[float(z)]]).double(), torch.ones(1).double()
    for discrete, wanted in ((hippo.euler, gain), (hippo.zero_order_hold, 1.0)):
        Ad, Bd = discrete(A, B, 1.0)
        rest = (Bd / (1 - Ad[0])).item()
        assert rest * -z == pytest.approx(wanted, rel=2e-3)


@pytest.mark.parametrize("T", [1, 30, 200])
def test_with_scaled_time_the_state_is_the_projection_on_legendre_polynomials(T):
    """Of any history, also pure noise: by the integrals of the polynomials over each step."""
    N, edges = 12, np.linspace(-1, 1, T + 1)
    integrals = [np.diff(Legendre.basis(n).integ()(edges)) * math.sqrt(2 * n + 1) / 2 for n in range(N)]
    noise = torch.randn(T, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    state = hippo.remember(*hippo.legs(N), noise)
    assert torch.allclose(state, torch.from_numpy(np.array(integrals)) @ noise, atol=1e-12)


def test_what_comes_back_is_nearly_the_nearest_polynomial():
    u, N = history(400), 8
    degrees = np.polynomial.legendre.legvander((np.arange(400) + 0.5) / 200 - 1, N - 1)
    nearest = degrees @ np.linalg.lstsq(degrees, u.numpy(), rcond=None)[0]
    assert np.allclose(hippo.reconstruct(hippo.remember(*hippo.legs(N), u), 400), nearest, atol=2e-3)
