"""Principal components, which are the best linear code, and the angle between two subspaces.

Every code here has encode, (n, T) -> (n, k), and decode, (n, k) -> (n, T); one that is trained has loss(x, target) as well.

Shapes: n = curves, T = epochs, k = numbers of a code.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Principal(NamedTuple):
    mean: Tensor  # (T,)
    directions: Tensor  # (k, T), orthonormal, the direction of most variance first, its largest entry above 0
    spread: Tensor  # (k,) standard deviation along each

    @property
    def epochs(self) -> int:
        return len(self.mean)

    def encode(self, x: Tensor) -> Tensor:
        return (x - self.mean) @ self.directions.T

    def decode(self, code: Tensor) -> Tensor:
        return code @ self.directions + self.mean

    def first(self, k: int) -> "Principal":
        return Principal(self.mean, self.directions[:k], self.spread[:k])


def principal(x: Tensor, k: int) -> Principal:
    """The first k principal components of curves (n, T); in float64, since later ones are small."""
    mean = x.double().mean(0)
    _, sizes, directions = torch.linalg.svd(x.double() - mean, full_matrices=False)
    directions = directions[:k]
    largest = directions.gather(1, directions.abs().argmax(1, keepdim=True))
    directions = directions * largest.sign()  # which the decomposition leaves open
    return Principal(mean.to(x), directions.to(x), (sizes[:k] / len(x) ** 0.5).to(x))


def largest_angle(a: Tensor, b: Tensor) -> Tensor:
    """Degrees by which the span of the rows of b (..., k, T) leaves that of a; by its sine, exact for small angles."""
    across, along = (torch.linalg.qr(rows.double().mT).Q for rows in (a, b))  # (..., T, k)
    outside = along - across @ (across.mT @ along)
    return torch.linalg.matrix_norm(outside, 2).clamp(max=1).asin().rad2deg()


def rms(x: Tensor, target: Tensor) -> Tensor:
    """Root mean squared difference of each curve.  -> (n,)"""
    return (x - target).square().mean(-1).sqrt()
