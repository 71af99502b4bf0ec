"""A contractive autoencoder: its code should move little when the curve moves a little.

    h = tanh(W x + b),  x' = W' h + c        x: less its mean, over its scale
                                      tied weights: a large decoder cannot undo a small encoder
    loss = |x' - x|^2 / T + weight * |dh/dx|^2      the squared Frobenius norm of the Jacobian: sum of (1 - h^2)^2 |w|^2

The code keeps moving along directions in which curves differ, since the loss needs them, and in no others: so many large
singular values has its Jacobian as curves have parameters.

Shapes: n = curves, T = epochs, k = units.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Contractive(nn.Module):
    mean: Tensor

    def __init__(self, mean: Tensor, units: int, weight: float, scale: float = 1.0):
        """`mean` (T,) and `scale` of curves, their standard deviation say."""
        super().__init__()
        self.weight, self.scale = weight, scale
        self.register_buffer("mean", mean)
        self.wide = nn.Linear(len(mean), units)
        self.shift = nn.Parameter(torch.zeros(len(mean)))

    def encode(self, x: Tensor) -> Tensor:
        return torch.tanh(self.wide((x - self.mean) / self.scale))

    def decode(self, code: Tensor) -> Tensor:
        return self.mean + self.scale * (code @ self.wide.weight + self.shift)

    def penalty(self, code: Tensor) -> Tensor:
        """The squared Frobenius norm of each curve's Jacobian, in units of the scale.  (n, k) -> (n,)"""
        return (1 - code.square()).square() @ self.wide.weight.square().sum(1)

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        code = self.encode(x)
        error = ((self.decode(code) - target) / self.scale).square().mean()
        return error + self.weight * self.penalty(code).mean()


# -----------------------------------------------------------------------------------------------------------
# How a map bends space: its Jacobian at each curve, the spectrum of it, and the directions in which it moves.
#
# Shapes: n = curves, a = inputs of the map, b = its outputs, k = directions.


def jacobians(of: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Of a map from (n, a) to (n, b) that treats each row alone.  -> (n, b, a)"""

    leaf = at.detach().requires_grad_()
    outputs = of(leaf).sum(0)  # each row depends on its own input alone, so the sum keeps gradients apart
    rows = [torch.autograd.grad(output, leaf, retain_graph=True)[0] for output in outputs]
    return torch.stack(rows, 1)


def spectrum(of: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Singular values of the Jacobian at each row, the largest first.  -> (n, min(a, b))"""
    return torch.linalg.svdvals(jacobians(of, at))


def tangents(decode: Callable[[Tensor], Tensor], code: Tensor) -> Tensor:
    """Directions in which a decoded curve moves with each number of its code.  (n, k) -> (n, k, T)"""
    return jacobians(decode, code).mT
