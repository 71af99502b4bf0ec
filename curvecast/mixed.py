"""The density of bars.py, of a network with a mixture head, without writing all K masses.

The mass of a bucket is what the mixture has between its borders, so the cdf at any border is one sum over M Gaussians,
and a quantile is ten such sums: the bucket is found by halving. A thousand masses for each of ninety later epochs
would cost more than the network. Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math
from functools import cached_property

import torch
from torch import Tensor

from curvecast.bars import HALF, ROOT2, Bars


class Mixed:
    """Log weights, means and scales (..., M) of a mixture over borders (K+1,)."""

    def __init__(self, borders: Tensor, log_w: Tensor, mean: Tensor, scale: Tensor):
        self.borders, self.w, self.m, self.s = borders, log_w.exp(), mean, scale
        self.inner = borders[1:-1].contiguous()  # (K-1,) b_1 .. b_{K-1}
        self.low = (borders[1] - borders[0]) / HALF  # scale of the left half-normal
        self.high = (borders[-1] - borders[-2]) / HALF

    def cdf(self, y: Tensor) -> Tensor:
        """P(Y <= y), y (...) or with more dimensions in front."""
        return self._sides(y)[0]

    def exceeds(self, t: Tensor) -> Tensor:
        """P(Y > t), with the digits of small chances."""
        return self._sides(t)[1]

    def quantile(self, levels: float | list[float] | Tensor) -> Tensor:
        """One float for all: (...). A list of L: (L, ...). A tensor (L, ...) has a level of its own for each density."""
        if isinstance(levels, float | int):
            return self.quantile([float(levels)])[0]
        level = torch.as_tensor(levels, dtype=self.m.dtype)
        if level.ndim == 1:
            level = level.reshape(-1, *[1] * (self.m.ndim - 1)).expand(-1, *self.m.shape[:-1])  # (L, ...)
        below, above = (
            torch.zeros_like(level, dtype=torch.long),
            torch.full_like(level, len(self.inner)).long(),
        )
        for _ in range(math.ceil(math.log2(len(self.inner) + 1))):
            middle = (below + above) // 2  # the first inner border with cdf >= level lies in below .. above
            reached = self._at(self.inner[middle.clamp(max=len(self.inner) - 1)])[0] >= level
            above = torch.where(reached, middle, above)
            below = torch.where(reached, below, (middle + 1).minimum(above))
        return self._inside(level, above)

    @cached_property
    def bars(self) -> Bars:
        """The same density with all its masses, for what has no shorter way."""
        left, right = self._at(self.inner.reshape(-1, *[1] * (self.m.ndim - 1)))  # (K-1, ...)
        near = torch.where(
            left[1:] < 0.5, left.diff(dim=0), -right.diff(dim=0)
        )  # from the side that keeps digits
        masses = torch.cat([left[:1], near, right[-1:]]).movedim(0, -1)  # (..., K)
        return Bars(self.borders, masses.clamp(min=1e-30).log())

    def mean(self) -> Tensor:
        return self.bars.mean()

    def __getitem__(self, rows: int | slice | tuple[int | slice, ...]) -> "Mixed":
        some = object.__new__(Mixed)
        some.__dict__ |= {k: self.__dict__[k] for k in ("borders", "inner", "low", "high")}
        some.w, some.m, some.s = self.w[rows], self.m[rows], self.s[rows]
        return some

    def _at(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Mass of the mixture on the left and on the right of y.  (...) -> twice (...)"""
        z = (y[..., None] - self.m) / (ROOT2 * self.s)  # (..., M)
        right = (self.w * torch.erfc(z)).sum(-1) / 2
        left = (self.w * torch.erfc(-z)).sum(-1) / 2
        return left, right

    def _sides(self, y: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.as_tensor(y, dtype=self.m.dtype).expand(torch.broadcast_shapes(y.shape, self.m.shape[:-1]))
        k = torch.searchsorted(self.inner, y.contiguous())  # bucket, 0 .. K-1
        last = len(self.inner) - 1
        start, end = self.inner[(k - 1).clamp(min=0)], self.inner[k.clamp(max=last)]
        (left, over), (to_end, right) = self._at(start), self._at(end)
        share = ((y - start) / (end - start).clamp(min=1e-12)).clamp(0, 1)
        low_share = torch.erfc(
            (self.inner[0] - y) / self.low / ROOT2
        )  # of the left tail's mass: at or below y
        high_share = torch.erfc((y - self.inner[-1]) / self.high / ROOT2)  # of the right tail's: above y
        below = left + share * (to_end - left)
        above = right + (1 - share) * (over - right)
        first, final = k == 0, k > last
        below = torch.where(first, to_end * low_share, torch.where(final, 1 - over * high_share, below))
        above = torch.where(first, 1 - to_end * low_share, torch.where(final, over * high_share, above))
        return below, above

    def _inside(self, level: Tensor, k: Tensor) -> Tensor:
        """The quantile, known to lie in bucket k (L, ...)."""
        last = len(self.inner) - 1
        start, end = self.inner[(k - 1).clamp(min=0)], self.inner[k.clamp(max=last)]
        (left, over), (to_end, _) = self._at(start), self._at(end)
        share = ((level - left) / (to_end - left).clamp(min=1e-12)).clamp(0, 1)
        low_share = (level / to_end.clamp(min=1e-30)).clamp(1e-30, 1)
        high_share = ((1 - level) / over.clamp(min=1e-30)).clamp(1e-30, 1)
        below = self.inner[0] + self.low * torch.special.ndtri(low_share / 2)
        above = self.inner[-1] - self.high * torch.special.ndtri(high_share / 2)
        inside = start + share * (end - start)
        return torch.where(k == 0, below, torch.where(k > last, above, inside))
