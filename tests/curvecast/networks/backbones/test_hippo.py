"""Guards hippo.py and where S4 begins: what is remembered, steps, and the normal part."""

import math

import numpy as np
import pytest
import torch
from numpy.polynomial.legendre import Legendre

from curvecast.networks.backbones import s4
from curvecast.networks.backbones.s4 import first_eigenvalues


def test_the_normal_part_turns_and_fades_by_a_half():
    """The eigenvalues of A + p p' for four numbers, as computed apart from this code; the even ones turn more slowly."""
    eigenvalues = s4.normal_part(4)
    assert torch.allclose(eigenvalues.real, torch.full((2,), -0.5, dtype=torch.float64))
    assert eigenvalues.imag.tolist() == pytest.approx([0.556501, 4.603293], abs=1e-5)
    even, legs = first_eigenvalues(8, "lin"), first_eigenvalues(8, "legs")
    assert torch.allclose(even.imag.diff(), torch.full((7,), torch.pi, dtype=torch.float64))
    assert legs.imag[-1] > 2 * even.imag[-1] and torch.allclose(legs.real, even.real)


def test_zero_order_hold_is_the_exact_solution():
    """With u = 1 for a step: A^-1 (e^(A dt) - 1) B, by one exponential of a larger matrix."""
    A, B = s4.legs(8)
    Ad, Bd = s4.zero_order_hold(A, B, 0.1)
    assert torch.allclose(Ad, torch.linalg.matrix_exp(0.1 * A))
    assert torch.allclose(Bd, torch.linalg.solve(A, (Ad - torch.eye(8)) @ B))


@pytest.mark.parametrize(("z", "gain"), [(-0.1, 1.05), (-5, 5.03), (-20, 20.0)])
def test_eulers_rule_has_another_gain(z, gain):
    """The stationary state for a constant input, relative to the exact one: z / (e^z - 1), and 1 for zero-order hold."""
    A, B = torch.tensor([[float(z)]]).double(), torch.ones(1).double()
    for discrete, wanted in ((s4.euler, gain), (s4.zero_order_hold, 1.0)):
        Ad, Bd = discrete(A, B, 1.0)
        assert (Bd / (1 - Ad[0])).item() * -z == pytest.approx(wanted, rel=2e-3)


@pytest.mark.parametrize("T", [1, 30, 200])
def test_with_scaled_time_the_state_is_the_projection_on_legendre_polynomials(T):
    """Of pure noise: by the integrals of the polynomials over each step; what comes back is those polynomials."""
    N, edges = 12, np.linspace(-1, 1, T + 1)
    integrals = [np.diff(Legendre.basis(n).integ()(edges)) * math.sqrt(2 * n + 1) / 2 for n in range(N)]
    noise = torch.randn(T, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    state = s4.remember(*s4.legs(N), noise)
    assert torch.allclose(state, torch.from_numpy(np.array(integrals)) @ noise, atol=1e-12)
    degrees = np.polynomial.legendre.legvander((np.arange(T) + 0.5) / T * 2 - 1, N - 1)
    assert np.allclose(s4.reconstruct(state, T), degrees @ (state * (2 * torch.arange(N) + 1).sqrt()).numpy())
