"""HiPPO: a linear system whose state of N numbers is a summary of its input by polynomials, and its discretisation.

    A = -(tril(P P') - diag(0 .. N-1)),  B = P,  P_n = sqrt(2 n + 1)         "LegS"

With time scaled by 1/t, x' = (A x + B u) / t, the state is the least-squares projection of the whole history on the first
N Legendre polynomials: the best for polynomials, not for every kind of history (the primer on state spaces compares).
With constant steps, as in S4, it forgets exponentially. A is a normal matrix minus p p'; the eigenvalues of the normal
part initialise the diagonal systems of s4.py.

Shapes: N = numbers of the state, T = steps.
"""

import math

import numpy as np
import torch
from torch import Tensor


def legs(N: int) -> tuple[Tensor, Tensor]:
    """A (N, N) and B (N), in float64."""
    n = torch.arange(N, dtype=torch.float64)
    P = (2 * n + 1).sqrt()
    return n.diag() - (P[:, None] * P).tril(), P


def zero_order_hold(A: Tensor, B: Tensor, dt: float) -> tuple[Tensor, Tensor]:
    """x_t = Ad x_{t-1} + Bd u_t, exact for an input that is constant over a step: one exponential of a block matrix."""
    N = len(B)
    both = torch.zeros(N + 1, N + 1, dtype=A.dtype)
    both[:N, :N], both[:N, N] = dt * A, dt * B
    whole = torch.linalg.matrix_exp(both)
    return whole[:N, :N], whole[:N, N]


def euler(A: Tensor, B: Tensor, dt: float) -> tuple[Tensor, Tensor]:
    """The exponential for A and dt B for B, as in Mamba's released code: fast, but with another gain."""
    return torch.linalg.matrix_exp(dt * A), dt * B


def remember(A: Tensor, B: Tensor, u: Tensor) -> Tensor:
    """The state (N) after u (T) with scaled time: x' = (A x + B u) / t, exact over each step."""
    # the stationary state for a constant input of 1: only the polynomial of degree 0
    x = u[0] * -torch.linalg.solve(A, B)
    for t in range(1, len(u)):
        Ad, Bd = zero_order_hold(A, B, math.log((t + 1) / t))
        x = Ad @ x + Bd * u[t]
    return x


def reconstruct(x: Tensor, T: int) -> Tensor:
    """The history (T) that a LegS state (N) represents, by Legendre polynomials."""
    s = (torch.arange(T, dtype=x.dtype) + 0.5) / T * 2 - 1  # middle of each step, in -1 .. 1
    polynomials = [torch.ones_like(s), s]
    for n in range(1, len(x) - 1):
        polynomials.append(((2 * n + 1) * s * polynomials[n] - n * polynomials[n - 1]) / (n + 1))
    scale = (2 * torch.arange(len(x), dtype=x.dtype) + 1).sqrt()
    return (x * scale) @ torch.stack(polynomials[: len(x)])


def normal_part(N: int) -> Tensor:
    """Eigenvalues (N / 2), those above the real axis, of A + p p' with p = sqrt(n + 1/2): real parts are -1/2."""
    n = np.arange(N)
    P, p = np.sqrt(2 * n + 1), np.sqrt(n + 0.5)  # in numpy: works when a network is built on the meta device
    eigenvalues = np.linalg.eigvals(np.diag(n) - np.tril(np.outer(P, P)) + np.outer(p, p))
    above = eigenvalues[eigenvalues.imag > 0]
    return torch.from_numpy(above[above.imag.argsort()])
