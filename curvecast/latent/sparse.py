"""Sparse codes: many atoms, of which each curve uses a few; found step by step (ISTA).

    cost(h) = |x - h A|^2 / 2 + penalty * |h|_1        minus the log posterior of a Laplace law of h, up to a constant
    step:  h <- shrink(h + (x - h A) A' / L, penalty / L)      L: the largest eigenvalue of A A'

Shapes: n = curves, T = epochs, k = atoms.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from curvecast.ground.errors import UserError


def shrink(h: Tensor, by: Tensor | float) -> Tensor:
    """Towards zero, and to zero what would cross it."""
    return h.sign() * (h.abs() - by).clamp(min=0)


def cost(x: Tensor, h: Tensor, atoms: Tensor, penalty: float) -> Tensor:
    """-> (n,)"""
    return (x - h @ atoms).square().sum(-1) / 2 + penalty * h.abs().sum(-1)


def ista(x: Tensor, atoms: Tensor, penalty: float, start: Tensor) -> Iterator[Tensor]:
    """The codes (n, k) before the first step, after it, and so on without end. No step raises the cost."""
    if penalty < 0 or atoms.shape[1] != x.shape[1]:
        told = f"atoms {tuple(atoms.shape)} for curves {tuple(x.shape)}, penalty {penalty}"
        raise UserError(f"{told}: the same epochs, and a penalty of at least 0")
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
