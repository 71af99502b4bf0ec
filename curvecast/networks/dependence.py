"""Which input does an output depend on? Where the gradient is exactly zero, there is no dependence.

A plot of it reveals attention over the wrong axis, a leaking mask, or an input that was never connected.
"""

import torch
from torch import Tensor

from curvecast.ground.errors import demand


def dependence(outputs: Tensor, inputs: Tensor) -> Tensor:
    """|d output / d input| of each output (N,) with respect to the inputs (...).  -> (N, ...)"""
    way = "choose some of them, as one row of numbers"
    demand(outputs.ndim == 1, f"outputs have shape {tuple(outputs.shape)}: {way}")
    way = "call inputs.requires_grad_() before the forward pass"
    demand(inputs.requires_grad, f"the inputs do not require a gradient: {way}")
    rows = []
    for output in outputs:
        (gradient,) = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros_like(inputs) if gradient is None else gradient.abs())
    return torch.stack(rows)
