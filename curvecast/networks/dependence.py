"""Which input does an output depend on? Where the gradient is exactly zero, there is no dependence.

A plot of it reveals attention over the wrong axis, a leaking mask, or an input that was never connected.
"""

import torch
from torch import Tensor

from curvecast.ground.errors import UserError


def dependence(outputs: Tensor, inputs: Tensor) -> Tensor:
    """|d output / d input| of each output (N,) with respect to the inputs (...).  -> (N, ...)"""
    if outputs.ndim != 1:
        raise UserError(
            f"outputs have shape {tuple(outputs.shape)}: choose some of them, as one row of numbers"
        )
    if not inputs.requires_grad:
        raise UserError(
            "the inputs do not require a gradient: call inputs.requires_grad_() before the forward pass"
        )
    rows = []
    for output in outputs:
        (gradient,) = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros_like(inputs) if gradient is None else gradient.abs())
    return torch.stack(rows)
