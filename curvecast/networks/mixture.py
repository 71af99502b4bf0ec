"""The density of bars.py with bucket masses from a mixture of Gaussians, without computing all K masses.

The mass of a bucket is the mass of the mixture between its borders, so the cdf at a border is one sum over M Gaussians,
and a quantile takes ten such sums by bisection. Computing all thousand masses for each of ninety later epochs would make
the forecast of one run about 4x slower, and of many runs 8x.
Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math
from collections.abc import Iterator
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.networks.bars import ROOT2, Buckets, Rows

FLOOR = 1e-30  # least mass of a bucket in a forecast: nothing is impossible, and float32 ends near here


class MixtureBars(Buckets):
    """Log weights, means and scales (..., M) of a mixture over borders (K+1,). It has the methods of Bars.

    The outer buckets take all of the mixture beyond b_1 and b_{K-1}.
    """

    def __init__(self, borders: Tensor, log_w: Tensor, means: Tensor, scales: Tensor):
        super().__init__(borders)
        self.log_w, self.means, self.scales = log_w, means, scales

    def __getitem__(self, rows: Rows) -> "MixtureBars":
        return MixtureBars(self.borders, self.log_w[rows], self.means[rows], self.scales[rows])

    @cached_property
    def half(self) -> Tensor:
        return self.log_w.exp() / 2  # (..., M): a cdf is half of an erfc

    @cached_property
    def per(self) -> Tensor:
        return 1 / (ROOT2 * self.scales)  # (..., M)

    @cached_property
    def edges(self) -> Tensor:
        """Where the mixture is divided: the borders, but with infinite ends.  (K+1,)"""
        return F.pad(F.pad(self.borders[1:-1], (1, 0), value=-math.inf), (0, 1), value=math.inf)

    def log_density(self, y: Tensor, floor: bool = True) -> Tensor:
        k = self.bucket(y)  # (...)
        edges = F.pad(self.borders[1:-1], (1, 1))
        edges[0], edges[-1] = -1e3, 1e3  # far enough, and the fifth powers in the gradient stay finite
        low, high = ((edges[i][..., None] - self.means) / self.scales for i in (k, k + 1))
        log_mass = (self.log_w + _log_normal_mass(low, high)).logsumexp(-1)
        if floor:
            log_mass = log_mass.clamp(min=math.log(FLOOR))
        return log_mass + self.within(y, k)

    def cdf(self, y: Tensor) -> Tensor:
        """P(Y <= y)"""
        k = self.bucket(y)
        start, end = self._left(self.edges[k]), self._left(self.edges[k + 1])
        return start + self.share_below(y, k) * (end - start)

    def exceeds(self, t: Tensor) -> Tensor:
        """P(Y > t), summed from the right so that small probabilities keep their digits."""
        k = self.bucket(t)
        start, end = self._right(self.edges[k]), self._right(self.edges[k + 1])
        return end + self.share_above(t, k) * (start - end)

    def quantile(self, level: float | Tensor) -> Tensor:
        """The y with cdf(y) = level: one float for all densities, or a tensor with a level for each, (...) or (L, ...)."""
        level = torch.as_tensor(level, dtype=self.means.dtype, device=self.means.device)
        level = level.expand(torch.broadcast_shapes(level.shape, self.means.shape[:-1]))
        low = torch.zeros_like(level, dtype=torch.long)
        high = torch.full_like(level, len(self.edges) - 1).long()
        for _ in range(math.ceil(math.log2(len(self.edges) - 1))):
            middle = (low + high) >> 1  # the quantile lies above edge `low`, not above `high`
            reached = self._left(self.edges[middle]) >= level
            low, high = torch.where(reached, low, middle), torch.where(reached, middle, high)
        k = high - 1  # the bucket in which it lies
        start, end = self.edges[k], self.edges[high]
        left = self._left(start)
        below = ((level - left) / (self._left(end) - left).clamp(min=1e-12)).clamp(1e-30, 1)
        if not ((k == 0) | (k == len(self.edges) - 2)).any():  # the usual case, and half the work
            return start + below * (end - start)
        above = (1 - level) / self._right(start).clamp(min=1e-30)  # precise in the last bucket
        return self.place(below, above.clamp(1e-30, 1), k)

    def mean(self, low: float = -math.inf, high: float = math.inf) -> Tensor:
        """The mean of the bucket means, each clipped to low .. high.  (...)

        Summed by parts, so that only the cdf at the borders is needed, and for each component only at borders near it,
        since elsewhere its cdf is 0 or 1.
        """
        centres, inner = self.centres(low, high), self.borders[1:-1].contiguous()
        steps = centres.diff()  # (K-1,) over the inner borders
        total = torch.zeros_like(self.means[..., 0])
        for i, j, half, m, per in self._near(inner):
            twice_cdf = (m[..., None] - inner[i:j]).mul_(per[..., None]).erfc_()  # (..., j - i)
            total += half * (2 * centres[j] - twice_cdf @ steps[i:j])
        return total

    def crps(self, y: Tensor) -> Tensor:
        inner = self.borders[1:-1].contiguous()
        cdf = torch.zeros(*self.means.shape[:-1], len(inner), device=self.means.device)
        for i, j, half, m, per in self._near(inner):
            cdf[..., i:j] += (m[..., None] - inner[i:j]).mul_(per[..., None]).erfc_().mul_(half[..., None])
            cdf[..., j:] += 2 * half[..., None]
        return self.crps_of(cdf.double(), y)

    def _near(self, inner: Tensor) -> Iterator[tuple[int, int, Tensor, Tensor, Tensor]]:
        """Of each component the range of borders at which its cdf is neither 0 nor 1, and half, means and per.

        One component at a time: memory.
        """
        reach, matters = 6 * self.scales, self.half > 1e-7
        first = torch.where(matters, self.means - reach, math.inf).flatten(0, -2).amin(0)  # (M,)
        final = torch.where(matters, self.means + reach, -math.inf).flatten(0, -2).amax(0)
        near = torch.searchsorted(inner, torch.stack([first, final], 1)).tolist()
        parts = zip(near, self.half.unbind(-1), self.means.unbind(-1), self.per.unbind(-1), strict=True)
        return ((i, j, *part) for (i, j), *part in parts)

    def log_masses(self) -> Tensor:
        """The log masses of all buckets (..., K): logits of Bars."""
        inner = self.borders[1:-1]  # (K-1,)
        masses = torch.zeros(*self.means.shape[:-1], len(inner) + 1, device=self.means.device)
        parts = (part.unbind(-1) for part in (self.log_w.exp(), self.means, self.scales))
        for w, m, s in zip(*parts, strict=True):  # one component at a time: memory
            masses += w[..., None] * _normal_masses((inner - m[..., None]) / s[..., None])
        return masses.clamp(min=FLOOR).log()

    def _left(self, y: Tensor) -> Tensor:
        """Mass of the mixture to the left of y.  (...) -> (...)"""
        return (self.means - y[..., None]).mul_(self.per).erfc_().mul_(self.half).sum(-1)

    def _right(self, y: Tensor) -> Tensor:
        return (y[..., None] - self.means).mul_(self.per).erfc_().mul_(self.half).sum(-1)


def _normal_masses(z: Tensor) -> Tensor:
    """Mass of the standard normal left of, between and right of the borders z (..., K-1).  -> (..., K)"""
    tail = torch.erfc(z.abs() / ROOT2) / 2  # mass beyond each border, away from the mean: no cancellation
    around_mean = (z[..., :-1] < 0) & (z[..., 1:] > 0)
    aside = (tail[..., :-1] - tail[..., 1:]).abs()
    between = torch.where(around_mean, 1 - tail[..., :-1] - tail[..., 1:], aside)
    left = torch.where(z[..., :1] < 0, tail[..., :1], 1 - tail[..., :1])
    right = torch.where(z[..., -1:] > 0, tail[..., -1:], 1 - tail[..., -1:])
    return torch.cat([left, between, right], -1)


def _log_normal_mass(low: Tensor, high: Tensor) -> Tensor:
    """log(Phi(high) - Phi(low)) without cancellation: mirrored to the left if both are positive."""
    mirror = low > 0
    low, high = torch.where(mirror, -high, low), torch.where(mirror, -low, high)
    above, below = _log_phi(high), _log_phi(low)
    return above + torch.log(-torch.expm1((below - above).clamp(max=-1e-6)))


def _log_phi(z: Tensor) -> Tensor:
    """log Phi(z), also far in the tail, where torch.special.log_ndtr has wrong gradients in float32 (0 at -5e5)."""
    near = torch.special.log_ndtr(z.clamp(-8, 12))
    a = (-z).clamp(min=8)
    far = -a * a / 2 - a.log() - 0.5 * math.log(2 * math.pi) + torch.log1p(-1 / a**2 + 3 / a**4 - 15 / a**6)
    return torch.where(z < -8, far, near)
