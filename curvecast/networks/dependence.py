"""Which input does an output depend on? Where the gradient is exactly zero, there is no dependence.

A plot of it reveals attention over the wrong axis, a leaking mask, or an input that was never connected.
"""

import torch
from torch import Tensor


def dependence(outputs: Tensor, inputs: Tensor) -> Tensor:
    """|d output / d input| of each output (N,) with respect to the inputs (...), which require a gradient.  -> (N, ...)"""
    rows = []
    for output in outputs:
        (gradient,) = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros_like(inputs) if gradient is None else gradient.abs())
    return torch.stack(rows)
