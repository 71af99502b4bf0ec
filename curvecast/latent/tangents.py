"""How a map bends space: its Jacobian at each curve, the spectrum of it, and the directions in which it moves.

Shapes: n = curves, a = inputs of the map, b = its outputs, k = directions.
"""

from collections.abc import Callable

import torch
from torch import Tensor


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
