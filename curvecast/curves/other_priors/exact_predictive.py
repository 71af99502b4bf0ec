"""What these priors say of a later value, in closed form: a mixture of Gaussians, for each query.

Shapes: B = curves, Q = queries, K = components, G = places of a grid.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

REACH = 7  # standard deviations beyond the outermost component: what lies further out has a mass of 1e-12


@dataclass(frozen=True)
class Predictive:
    """The exact predictive of each query."""

    log_weights: Tensor  # (B, Q, K), or what broadcasts to it; as scales
    means: Tensor  # (B, Q, K)
    scales: Tensor

    def whole(self) -> "Predictive":
        """With nothing left to broadcast."""
        parts = self.log_weights, self.means, self.scales
        return Predictive(*(part.expand(self.means.shape) for part in parts))

    def log_density(self, y: Tensor) -> Tensor:
        """Of one value for each query (B, Q), or of several (B, Q, G).  -> as y"""
        alone = y.ndim < self.means.ndim
        y = y[..., None] if alone else y  # (B, Q, G)
        parts = self.log_weights, self.means, self.scales
        log_weights, means, scales = (part[..., None, :] for part in parts)  # (B, Q, 1, K)
        found = (log_weights + log_normal((y[..., None] - means) / scales, scales)).logsumexp(-1)
        return found[..., 0] if alone else found

    def grid(self, places: int) -> Tensor:
        """For each query so many values y at equal distances, which hold nearly all of its mass.  -> (B, Q, G)"""
        low = (self.means - REACH * self.scales).amin(-1, keepdim=True)
        high = (self.means + REACH * self.scales).amax(-1, keepdim=True)
        return low + (high - low) * torch.linspace(0, 1, places, dtype=low.dtype, device=low.device)


def log_normal(z: Tensor, scale: Tensor) -> Tensor:
    """The log density of a Gaussian at z standard deviations from its mean."""
    return -z.square() / 2 - scale.log() - math.log(2 * math.pi) / 2


def divergence(log_p: Tensor, log_q: Tensor, grid: Tensor) -> Tensor:
    """KL(p || q) in nats, by the trapezoidal rule over a grid (B, Q, G) of equal distances.  -> (B, Q)"""
    step = grid[..., 1] - grid[..., 0]
    return (log_p.exp() * (log_p - log_q)).sum(-1) * step  # at both ends p is nothing
