"""A diagonal state space for each channel: N complex numbers that rotate, decay, take up the input, and are summed; and H3.

    x' = A x + u,   y = 2 Re(C x) + D u                        A, C: N numbers for a channel
    x_t = a x_{t-1} + b u_t,   a = exp(dt A),  b = (a - 1) / A         input held over a step

Since a, b and C do not depend on the input, this is a convolution with K_t = 2 Re(sum C b a^t), computed by FFT: S4 with a
diagonal A, S4D. `lin` spaces the frequencies evenly; `legs` takes those of HiPPO's matrix.

Shapes: B = curves, T = points, d = channels, N = complex numbers of a channel's state.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand
from curvecast.networks.backbones.stack import Causal, CausalAttention, ShortConvolution, Stack, handed

# -----------------------------------------------------------------------------------------------------------
# HiPPO: a linear system whose state of N numbers is a summary of its input by polynomials, and its discretisation.
#
#     A = -(tril(P P') - diag(0 .. N-1)),  B = P,  P_n = sqrt(2 n + 1)         "LegS"
#
# With time scaled by 1/t, x' = (A x + B u) / t, the state is the least-squares projection of the whole history on the first
# N Legendre polynomials: the best for polynomials, not for every kind of history (the primer on state spaces compares).
# With constant steps, as in S4, it forgets exponentially. A is a normal matrix minus p p'; the eigenvalues of the normal
# part initialise the diagonal systems below.
#
# Shapes: N = numbers of the state, T = steps.


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


@dataclass(frozen=True)
class S4Config(Causal):
    layers: int = 4
    states: int = 16  # N
    begin: str = "legs"  # or "lin"
    hands: str = "all"

    @property
    def label(self) -> str:
        return f"s4-{self.begin}-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        return self.layers * 2 * self.states * width + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        return Stack([S4(width, self.states, self.begin) for _ in range(self.layers)], width, self.hands)


class S4(nn.Module):
    """The system, a nonlinearity, and a gated mixing of channels."""

    def __init__(self, width: int, states: int, begin: str):
        super().__init__()
        self.system = Diagonal(width, states, begin)
        self.out = nn.Linear(width, 2 * width)

    def forward(self, u: Tensor) -> Tensor:
        return F.glu(self.out(F.gelu(self.system(u))), -1)


class Diagonal(nn.Module):
    def __init__(self, width: int, states: int, begin: str = "legs"):
        super().__init__()
        A = first_eigenvalues(states, begin)  # (N,)
        shape = (1, width, states)  # three axes, so that Muon does not take them for matrices
        # dt such that a mode falls to 1/e within 7 to 2,000 points
        self.log_dt = nn.Parameter(torch.empty(width).uniform_(math.log(1e-3), math.log(0.3)))
        self.log_fade = nn.Parameter((-A.real).log().float().expand(shape).clone())
        self.turn = nn.Parameter(A.imag.float().expand(shape).clone())
        self.C = nn.Parameter(torch.randn(2, width, states) * 0.5**0.5)
        self.D = nn.Parameter(torch.ones(width))

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        a_log, Cb = self.discrete()
        return convolve(u, kernel(a_log, Cb, u.shape[1])) + self.D * u

    def discrete(self) -> tuple[Tensor, Tensor]:
        """dt A and C b, (d, N) each."""
        A = torch.complex(-self.log_fade.exp(), self.turn)[0]
        a_log = self.log_dt.exp()[:, None] * A
        return a_log, torch.complex(self.C[0], self.C[1]) * (a_log.exp() - 1) / A


def first_eigenvalues(N: int, begin: str) -> Tensor:
    way = "take at least one, and 'lin' or 'legs'"
    demand(N >= 1 and begin in ("lin", "legs"), f"a diagonal state space of {N} states, {begin!r}: {way}")
    if begin == "legs":
        return normal_part(2 * N)
    return torch.complex(torch.full((N,), -0.5), math.pi * torch.arange(N)).to(torch.complex128)


def kernel(a_log: Tensor, Cb: Tensor, T: int) -> Tensor:
    """The impulse response after t points.  (d, N), (d, N) -> (d, T)

    With t = i m + j, a^t = a^(i m) a^j: two tables of about sqrt(T) powers, and one product of matrices.
    """
    m = math.isqrt(max(T - 1, 0)) + 1
    j = torch.arange(m, device=a_log.device)
    i = j[: -(-T // m)]
    few, many = ((a_log[..., None] * t).exp() for t in (j, m * i))  # (d, N, j), (d, N, i)
    return 2 * torch.einsum("dni,dnj->dij", Cb[..., None] * many, few).real.flatten(1)[:, :T]


def convolve(u: Tensor, K: Tensor) -> Tensor:
    """Causal, by FFT over twice the length to avoid wrap-around.  (B, T, d), (d, T) -> (B, T, d)"""
    T = u.shape[1]
    spectrum = torch.fft.rfft(u, 2 * T, dim=1) * torch.fft.rfft(K.T, 2 * T, dim=0)
    return torch.fft.irfft(spectrum, 2 * T, dim=1)[:, :T]


def recur(u: Tensor, a_log: Tensor, Cb: Tensor, x: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The same point by point.  -> outputs, state (B, d, N) after the last point"""
    a, outputs = a_log.exp(), []
    x = torch.zeros(len(u), *a.shape, dtype=a.dtype) if x is None else x
    for value in u.unbind(1):
        x = a * x + value[..., None]
        outputs.append(2 * (Cb * x).sum(-1).real)
    return torch.stack(outputs, 1), x


def in_chunks(u: Tensor, a_log: Tensor, Cb: Tensor, size: int) -> Tensor:
    """The same by FFT over chunks; a state is passed from chunk to chunk, and transforms have twice the chunk's length."""
    x, outputs = torch.zeros(len(u), *a_log.shape, dtype=a_log.dtype), []
    for chunk in u.split(size, 1):
        n = chunk.shape[1]
        ahead = torch.arange(1, n + 1)
        fade = (a_log[..., None] * ahead).exp()  # (d, N, n): decay of the incoming state
        carried = 2 * torch.einsum("bdn,dn,dnt->btd", x, Cb, fade).real
        outputs.append(convolve(chunk, kernel(a_log, Cb, n)) + carried)
        late = (a_log[..., None] * (n - ahead)).exp()
        x = fade[..., -1] * x + torch.einsum("btd,dnt->bdn", chunk.to(late.dtype), late)
    return torch.cat(outputs, 1)


# -----------------------------------------------------------------------------------------------------------
# H3: two state spaces and two products replace the look-up of attention.
#
#     y = q * diagonal(shift(k) * v)          q, k, v: linear in the input
#
# The shift keeps the last m points exactly, so that a key can be combined with the value that follows it; the diagonal
# system stores the product; the query retrieves it. In a hybrid every second layer is attention.


@dataclass(frozen=True)
class H3Config(Causal):
    layers: int = 2
    states: int = 16
    shift: int = 4  # m
    heads: int = 0  # of the attention in every second layer; 0: none
    expand: float = 2
    hands: str = "all"

    @property
    def label(self) -> str:
        return f"h3-{self.layers}{'-hybrid' if self.heads else ''}"

    def state_size(self, width: int, length: int) -> int:
        attentions = self.layers // 2 if self.heads else 0
        spaces = (self.layers - attentions) * (self.shift - 1 + 2 * self.states)
        return width * (spaces + attentions * 2 * length) + handed(self.hands, width, length)

    def make(self, width: int) -> Stack:
        mixers = [
            CausalAttention(width, self.heads) if self.heads and i % 2 else H3(width, self.states, self.shift)
            for i in range(self.layers)
        ]
        return Stack(mixers, width, self.hands, self.expand)


class H3(nn.Module):
    def __init__(self, width: int, states: int, shift: int):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.shift = ShortConvolution(width, shift)
        self.diagonal = Diagonal(width, states)
        self.out = nn.Linear(width, width)

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        q, k, v = self.qkv(u).chunk(3, -1)
        return self.out(q * self.diagonal(self.shift(k) * v))
