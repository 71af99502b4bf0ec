"""The density within each of K buckets, whatever their masses.

Inner buckets are uniform. The two outer buckets are half-normals that start at b_1 and b_{K-1} and have half of their
mass inside the bucket. Shapes: ... = batch and queries, K = buckets.
"""

import math

import torch
from torch import Tensor

HALF = 0.6744897501960817  # a half-normal of scale s has half of its mass below HALF * s
ROOT2 = math.sqrt(2)

Rows = int | slice | Tensor | tuple[int | slice | None, ...]  # an index that selects densities


class Buckets:
    def __init__(self, borders: Tensor):
        self.borders = borders  # (K+1,)
        self.first, self.last = borders[1], borders[-2]  # where the tails start
        self.low = (self.first - borders[0]) / HALF  # scale of the left half-normal
        self.high = (borders[-1] - self.last) / HALF

    def bucket(self, y: Tensor) -> Tensor:
        """The bucket k of y, (...) in 0..K-1."""
        return torch.searchsorted(self.borders[1:-1].contiguous(), y.contiguous())

    def within(self, y: Tensor, k: Tensor) -> Tensor:
        """Log density of y given that it falls into bucket k; independent of the masses."""
        flat = -self.borders.diff().log()[k]
        left = _log_half_normal((self.first - y).clamp(min=0), self.low)
        right = _log_half_normal((y - self.last).clamp(min=0), self.high)
        return self.choose(k, left, flat, right)

    def share_below(self, y: Tensor, k: Tensor) -> Tensor:
        """The share of bucket k's mass at or below y."""
        inside = (y - self.borders[k]) / self.borders.diff()[k]
        left = torch.erfc((self.first - y) / self.low / ROOT2)
        right = torch.erf((y - self.last) / self.high / ROOT2)
        return self.choose(k, left, inside, right)

    def share_above(self, y: Tensor, k: Tensor) -> Tensor:
        """The share above y, with full precision far out in the right tail."""
        far = torch.erfc((y - self.last) / self.high / ROOT2)
        return torch.where(k == len(self.borders) - 2, far, 1 - self.share_below(y, k))

    def place(self, below: Tensor, above: Tensor, k: Tensor) -> Tensor:
        """The y in bucket k with the share `below` of the bucket's mass below it, and `above` above it."""
        inside = self.borders[k] + below * self.borders.diff()[k]
        left = self.first + self.low * torch.special.ndtri(below / 2)
        right = self.last - self.high * torch.special.ndtri(above / 2)
        return self.choose(k, left, inside, right)

    def centres(self, low: float = -math.inf, high: float = math.inf) -> Tensor:
        """The mean of each bucket, clipped to low .. high.  (K,)"""
        centres = (self.borders[1:] + self.borders[:-1]) / 2
        centres[0] = self.first - self.low * math.sqrt(2 / math.pi)
        centres[-1] = self.last + self.high * math.sqrt(2 / math.pi)
        return centres.clamp(low, high)

    def choose(self, k: Tensor, left: Tensor, inside: Tensor, right: Tensor) -> Tensor:
        """The value for bucket k: `left` in the left tail, `right` in the right tail, else `inside`."""
        return torch.where(k == 0, left, torch.where(k == len(self.borders) - 2, right, inside))


def _log_half_normal(distance: Tensor, scale: Tensor) -> Tensor:
    return 0.5 * math.log(2 / math.pi) - scale.log() - (distance / scale).square() / 2
