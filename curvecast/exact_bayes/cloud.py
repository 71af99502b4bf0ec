"""The predictive density that a cloud of curves gives: a mixture of normals, one for each member.

Shapes: P = observed curves, N = members of the cloud of each, Q = queries.
"""

import math

import torch
from torch import Tensor


class Cloud:
    """Members f (P, N, Q) with noise sigma (P, N) and log weights (P, N), which need not sum to one."""

    def __init__(self, f: Tensor, sigma: Tensor, log_weight: Tensor | None = None):
        equal = torch.zeros_like(sigma) if log_weight is None else log_weight
        self.f, self.sigma = f, sigma[..., None]  # (P, N, 1)
        self.log_w = equal.log_softmax(1)[..., None]  # (P, N, 1)

    def later(self, seen: int) -> "Cloud":
        """The same members at the epochs after the first `seen` of those that are here."""
        return Cloud(self.f[..., seen:], self.sigma[..., 0], self.log_w[..., 0])

    def log_density(self, y: Tensor) -> Tensor:
        """(P, Q) -> (P, Q)"""
        z = (y[:, None] - self.f) / self.sigma
        return (self.log_w - z.square() / 2 - self.sigma.log()).logsumexp(1) - 0.5 * math.log(2 * math.pi)

    def cdf(self, y: Tensor) -> Tensor:
        return (self.log_w.exp() * torch.special.ndtr((y[:, None] - self.f) / self.sigma)).sum(1)

    def mean(self) -> Tensor:
        return (self.log_w.exp() * self.f).sum(1)

    def quantile(self, level: float) -> Tensor:
        """By bisection between the lowest and the highest member, eight sigma beyond.  -> (P, Q)"""
        low, high = (self.f - 8 * self.sigma).amin(1), (self.f + 8 * self.sigma).amax(1)
        for _ in range(40):
            middle = (low + high) / 2
            below = self.cdf(middle) < level
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return (low + high) / 2
