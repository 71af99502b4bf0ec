"""What a code of curves is: a few numbers for each curve, and a way back.

Shapes: n = curves, T = epochs of a curve, k = numbers of a code.
"""

from typing import Protocol

import torch
from torch import Tensor

from curvecast.ground.errors import UserError


class Code(Protocol):
    """An nn.Module with these."""

    epochs: int  # T

    def encode(self, x: Tensor) -> Tensor:
        """(n, T) -> (n, k)"""

    def decode(self, code: Tensor) -> Tensor:
        """(n, k) -> (n, T)"""

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        """What training lowers: how far the decoded code of x is from the target, and penalties."""


def check(x: Tensor, epochs: int) -> Tensor:
    """x itself, if it is a batch of finite curves of this length."""
    if x.ndim != 2 or x.shape[1] != epochs:
        raise UserError(f"curves of shape {tuple(x.shape)} have no code here: give (n, {epochs})")
    if not torch.isfinite(x).all():
        raise UserError("a curve with NaN or infinity has no code: leave it out, or fill its gaps first")
    return x


def rms(x: Tensor, target: Tensor) -> Tensor:
    """Root mean squared difference of each curve.  -> (n,)"""
    return (x - target).square().mean(-1).sqrt()
