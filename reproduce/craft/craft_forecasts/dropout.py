"""A forecast by dropout at test time: a small network fits the observed points, and each pass drops other units of it.

After Y. Gal and Z. Ghahramani, Dropout as a Bayesian Approximation (2016). The spread of the passes is what the network does
not know; the residuals of the fit are added as noise. Curves have a network each, and all are fitted side by side.

Shapes: B = curves of one length, T = observed epochs, H = all epochs, U = hidden units, P = passes.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Fit:
    units: int = 50
    dropped: float = 0.1  # share of the units
    steps: int = 1_000
    rate: float = 0.01
    passes: int = 200


def quantiles(y: Tensor, epochs: int, levels: tuple[float, ...], fit: Fit) -> Tensor:
    """Of the values in all epochs, from those observed in the first.  (B, T) -> (levels, B, H)"""
    chance = torch.Generator().manual_seed(0)
    time = torch.arange(1.0, epochs + 1).log()
    seen = time[: y.shape[1]]
    x = ((time - seen.mean()) / seen.std())[:, None]  # (H, 1)
    middle, scale = y.mean(1, keepdim=True), y.std(1, keepdim=True).clamp(min=1e-6)
    target = (y - middle) / scale

    def first(inputs: int, outputs: int) -> Tensor:
        """Uniform, as torch's layers begin; the same for each curve."""
        drawn = (2 * torch.rand(inputs, outputs, generator=chance) - 1) / inputs**0.5
        return drawn.repeat(len(y), 1, 1).requires_grad_()

    def kept(rows: int) -> Tensor:  # (rows, U)
        return (torch.rand(rows, fit.units, generator=chance) >= fit.dropped) / (1 - fit.dropped)

    w, b = first(1, fit.units), first(1, fit.units)  # (B, 1, U)
    v, c = first(fit.units, 1), first(1, 1)  # (B, U, 1), (B, 1, 1)

    def network(x: Tensor, keep: Tensor | float) -> Tensor:
        return ((torch.relu(x * w + b) * keep) @ v + c)[..., 0]  # (T, 1) -> (B, T)

    optimiser = torch.optim.Adam((w, b, v, c), fit.rate)
    for _ in range(fit.steps):
        optimiser.zero_grad()
        (network(x[: len(seen)], kept(len(seen))) - target).square().mean(1).sum().backward()
        optimiser.step()
    with torch.no_grad():
        residual = (network(x[: len(seen)], 1.0) - target).square().mean(1).sqrt()  # (B,)
        passes = torch.stack([network(x, kept(1)) for _ in range(fit.passes)])  # (P, B, H)
        noise = torch.randn(fit.passes, 1, epochs, generator=chance) * residual[:, None]
        return middle + scale * (passes + noise).quantile(torch.tensor(levels), dim=0)
