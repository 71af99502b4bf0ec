"""Sparse codes: many atoms, of which each curve uses a few; found step by step (ISTA).

    cost(h) = |x - h A|^2 / 2 + penalty * |h|_1        minus the log posterior of a Laplace law of h, up to a constant
    step:  h <- shrink(h + (x - h A) A' / L, penalty / L)      L: the largest eigenvalue of A A'

Shapes: n = curves, T = epochs, k = atoms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.latent.autoencoder import layers


def shrink(h: Tensor, by: Tensor | float) -> Tensor:
    """Towards zero, and to zero what would cross it."""
    return h.sign() * (h.abs() - by).clamp(min=0)


def cost(x: Tensor, h: Tensor, atoms: Tensor, penalty: float) -> Tensor:
    """-> (n,)"""
    return (x - h @ atoms).square().sum(-1) / 2 + penalty * h.abs().sum(-1)


def ista(x: Tensor, atoms: Tensor, penalty: float, start: Tensor) -> Iterator[Tensor]:
    """The codes (n, k) before the first step, after it, and so on without end. No step raises the cost."""
    h, steep = start, float(torch.linalg.matrix_norm(atoms, 2) ** 2)  # L
    while True:
        yield h
        h = shrink(h + (x - h @ atoms) @ atoms.mT / steep, penalty / steep)


def steps_needed(
    x: Tensor, atoms: Tensor, penalty: float, start: Tensor, best: Tensor, share: float, most: int
) -> Tensor:
    """ISTA steps of each curve until its cost is at most (1 + share) times the best one; `most` if more.  -> (n,)"""
    needed = torch.full((len(x),), most)
    for step, h in zip(range(most), ista(x, atoms, penalty, start), strict=False):
        there = cost(x, h, atoms, penalty) <= (1 + share) * best
        needed = torch.where(there & (needed == most), step, needed)
        if bool((needed < most).all()):
            break
    return needed


# -----------------------------------------------------------------------------------------------------------
# Predictive sparse decomposition: an encoder guesses the sparse code that ISTA would find, as a PFN guesses a posterior.
#
#     cost = |x - h A|^2 / 2 + penalty * |h|_1 + |h - f(x)|^2 / 2        h: improved by ISTA from f(x), then held
#     f(x) = shrink(B (x - m) , theta)                              B: a small network, with a threshold for each atom
#
# Training alternates: better codes for a batch, then a step of atoms and encoder. Atoms have length one.


@dataclass(frozen=True)
class SparseConfig:
    atoms: int = 48  # k
    penalty: float = 0.02
    improved: int = 10  # steps of ISTA on each batch
    width: int = 128  # of the encoder's hidden layer

    def network(self, mean: Tensor) -> "PredictiveSparse":
        return PredictiveSparse(self, mean)


class PredictiveSparse(nn.Module):
    mean: Tensor

    def __init__(self, config: SparseConfig, mean: Tensor):
        super().__init__()
        self.config = config
        self.register_buffer("mean", mean)
        self.free = nn.Parameter(torch.randn(config.atoms, len(mean), dtype=mean.dtype).cumsum(1))
        self.guess = layers(len(mean), config.width, config.atoms)
        self.threshold = nn.Parameter(torch.full((config.atoms,), -4.0, dtype=mean.dtype))

    @property
    def atoms(self) -> Tensor:
        return F.normalize(self.free, dim=1)  # (k, T)

    def encode(self, x: Tensor) -> Tensor:
        """The guess, without a step of ISTA."""
        return shrink(self.guess(x - self.mean), F.softplus(self.threshold))

    def decode(self, code: Tensor) -> Tensor:
        return self.mean + code @ self.atoms

    @torch.no_grad()
    def improve(self, x: Tensor, start: Tensor, steps: int) -> Tensor:
        return next(islice(ista(x - self.mean, self.atoms, self.config.penalty, start), steps, None))

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        guess = self.encode(x)
        code = self.improve(x, guess.detach(), self.config.improved)
        missed = (guess - code).square().sum(-1) / 2
        return (cost(target - self.mean, code, self.atoms, self.config.penalty) + missed).mean()
