"""The density within each of K buckets, whatever their masses.

Inner buckets are uniform. The two outer buckets are half-normals that start at b_1 and b_{K-1} and have half of their
mass inside the bucket. Shapes: ... = batch and queries, K = buckets.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

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

    def crps_of(self, cdf: Tensor, y: Tensor) -> Tensor:
        """Integral of (F(t) - [t >= y])^2 over t, exact, of y (...): F is linear in each inner bucket and known in the tails.

        cdf (..., K-1): F at the inner borders, in float64. Beyond y the integrand is F^2 + 1 - 2 F.
        """
        inner = self.borders[1:-1].double()
        width = inner.diff()  # (K-2,)
        ends = pad(width, (1, 0)) + pad(width, (0, 1))  # (K-1,)
        squares = cdf.square() @ ends + (cdf[..., :-1] * cdf[..., 1:]) @ width
        areas = (cdf[..., :-1] + cdf[..., 1:]) * width / 2  # (..., K-2)
        upto = areas.cumsum(-1)  # of F, to the right end of each bucket
        t = y.double().clamp(inner[0], inner[-1])
        k = (torch.searchsorted(inner, t) - 1).clamp(min=0)  # of the bucket with t in it
        pairs = ((cdf, k), (cdf, k + 1), (upto, k))
        left, right, before = (values.gather(-1, i[..., None])[..., 0] for values, i in pairs)
        rest = inner[k + 1] - t  # of that bucket
        share = rest / width[k] * (right - left) / 2
        beyond = upto[..., -1] - before + rest * (right - share)  # of F, from t on
        low = _tail_crps(cdf[..., 0], self.low.double(), (self.first.double() - y).clamp(min=0))
        high = _tail_crps(1 - cdf[..., -1], self.high.double(), (y - self.last.double()).clamp(min=0))
        return (squares / 3 + inner[-1] - t - 2 * beyond + low + high).to(y.dtype)

    def choose(self, k: Tensor, left: Tensor, inside: Tensor, right: Tensor) -> Tensor:
        """The value for bucket k: `left` in the left tail, `right` in the right tail, else `inside`."""
        return torch.where(k == 0, left, torch.where(k == len(self.borders) - 2, right, inside))


def _log_half_normal(distance: Tensor, scale: Tensor) -> Tensor:
    return 0.5 * math.log(2 / math.pi) - scale.log() - (distance / scale).square() / 2


def _tail_crps(p: Tensor, scale: Tensor, beyond: Tensor) -> Tensor:
    """The contribution of one tail of mass p to the CRPS, for a y that is `beyond` the tail's start (or 0).

    With G(u) = P(Z > u), the tail has mass p * 2 G(u) beyond u, so if y is not in it, it contributes 4 p^2 s int G^2.
    Between the start and y the integrand is (1 - 2 p G)^2 = 1 - 4 p G + 4 p^2 G^2 instead.
    """
    u = beyond / scale
    G = torch.erfc(u / ROOT2) / 2
    phi = torch.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    mass_to_u = u * G + 1 / math.sqrt(2 * math.pi) - phi  # int_0^u G
    squared = (ROOT2 - 1) / (2 * math.sqrt(math.pi))  # int_0^inf G^2
    return scale * (4 * p * p * squared + u - 4 * p * mass_to_u)
