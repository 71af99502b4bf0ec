"""From what a query has found to the masses of the K buckets.

Shapes: B = curves, Q = queries, d = width, K = buckets, M = components. Both heads have two methods: call them for
all K logits, `log_density` for the density of one y a query, which is what training needs.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.bars import ROOT2, Bars

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other masses

FLOOR = 1e-30  # mass of a bucket that a forecast leaves at least: nothing is impossible, and float32 ends near here


class BarsHead(nn.Module):
    """The paper's head: one free logit a bucket."""

    def __init__(self, width: int, borders: Tensor):
        super().__init__()
        self.wide = nn.Linear(width, 2 * width)
        self.out = nn.Linear(2 * width, len(borders) - 1)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)

    def forward(self, found: Tensor, level: Tensor) -> Tensor:
        return self.out(F.gelu(self.wide(found)))  # (B, Q, K)

    def log_density(self, found: Tensor, level: Tensor, y: Tensor) -> Tensor:
        return Bars(self.borders, self(found, level)).log_density(y)


class MixtureHead(nn.Module):
    """K bucket masses from M Gaussians that are placed relative to the curve's last level.

    Neighbouring buckets then need not be learnt one by one, and training touches only the bucket that was hit.
    The outer buckets take all of the mixture that lies beyond b_1 and b_{K-1}.
    """

    def __init__(self, width: int, components: int, borders: Tensor):
        super().__init__()
        M = components
        self.wide, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, 3 * M)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)
        with (
            torch.no_grad()
        ):  # spread the components, from wide to narrow, so that they need not be told apart first
            self.out.weight.mul_(0.3)
            self.out.bias.copy_(
                torch.cat([torch.zeros(M), torch.linspace(-0.1, 0.1, M), torch.linspace(-1.5, -4, M)])
            )

    def mixture(self, found: Tensor, level: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """-> log weights, means, scales, each (B, Q, M)"""
        log_w, shift, log_s = self.out(F.gelu(self.wide(found))).float().chunk(3, -1)
        return log_w.log_softmax(-1), level[..., None] + shift, log_s.clamp(-9, 2).exp()

    def forward(self, found: Tensor, level: Tensor) -> Tensor:
        log_w, mean, scale = self.mixture(found, level)
        inner = self.borders[1:-1]  # (K-1,)
        masses = torch.zeros(*mean.shape[:-1], len(inner) + 1, device=mean.device)  # (B, Q, K)
        for w, m, s in zip(log_w.exp().unbind(-1), mean.unbind(-1), scale.unbind(-1), strict=True):
            masses += w[..., None] * _normal_masses(
                (inner - m[..., None]) / s[..., None]
            )  # one at a time: memory
        return masses.clamp(min=FLOOR).log()

    def log_density(self, found: Tensor, level: Tensor, y: Tensor) -> Tensor:
        log_w, mean, scale = self.mixture(found, level)
        flat = Bars(self.borders, torch.zeros_like(self.borders[1:]))
        k = flat.bucket(y)  # (B, Q)
        edges = F.pad(self.borders[1:-1], (1, 1))
        edges[0], edges[-1] = -1e4, 1e4  # outer buckets reach to infinity
        low, high = ((edges[i][..., None] - mean) / scale for i in (k, k + 1))
        log_mass = (log_w + _log_normal_mass(low, high)).logsumexp(-1)
        if not self.training:  # a floor has no slope to learn from
            log_mass = log_mass.clamp(min=math.log(FLOOR))
        return log_mass + flat.within(y, k)


def _normal_masses(z: Tensor) -> Tensor:
    """Mass of the standard normal left of, between and right of the borders z (..., K-1).  -> (..., K)"""
    tail = torch.erfc(z.abs() / ROOT2) / 2  # beyond each border, on its far side from the mean: never cancels
    around_mean = (z[..., :-1] < 0) & (z[..., 1:] > 0)
    between = torch.where(
        around_mean, 1 - tail[..., :-1] - tail[..., 1:], (tail[..., :-1] - tail[..., 1:]).abs()
    )
    left = torch.where(z[..., :1] < 0, tail[..., :1], 1 - tail[..., :1])
    right = torch.where(z[..., -1:] > 0, tail[..., -1:], 1 - tail[..., -1:])
    return torch.cat([left, between, right], -1)


def _log_normal_mass(low: Tensor, high: Tensor) -> Tensor:
    """log(Phi(high) - Phi(low)) without cancellation: mirrored so that both lie on the left where they can."""
    mirror = low > 0
    low, high = torch.where(mirror, -high, low), torch.where(mirror, -low, high)
    above, below = _log_phi(high), _log_phi(low)
    return above + torch.log(-torch.expm1((below - above).clamp(max=-1e-6)))


def _log_phi(z: Tensor) -> Tensor:
    """log Phi(z), also far out, where torch.special.log_ndtr has wrong gradients in float32 (0 at -5e5)."""
    near = torch.special.log_ndtr(z.clamp(-8, 12))
    a = (-z).clamp(min=8)
    far = -a * a / 2 - a.log() - 0.5 * math.log(2 * math.pi) + torch.log1p(-1 / a**2 + 3 / a**4 - 15 / a**6)
    return torch.where(z < -8, far, near)
