"""The density of bars.py, of a network with a mixture head, without writing all K masses.

The mass of a bucket is what the mixture has between its borders, so the cdf at any border is one sum over M Gaussians,
and a quantile is ten such sums: the bucket is found by halving. A thousand masses for each of ninety later epochs
would cost more than the network. Shapes: ... = curves and queries, K = buckets, M = components, L = levels.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.bars import HALF, ROOT2

MEAN = math.sqrt(2 / math.pi)  # of a half-normal of scale 1


class Mixed:
    """Log weights, means and scales (..., M) of a mixture over borders (K+1,)."""

    def __init__(self, borders: Tensor, log_w: Tensor, mean: Tensor, scale: Tensor):
        self.borders, self.half, self.m, self.per = borders, log_w.exp() / 2, mean, 1 / (ROOT2 * scale)
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
        level = torch.as_tensor(levels, dtype=self.m.dtype, device=self.m.device)
        if level.ndim == 1:
            level = level.reshape(-1, *[1] * (self.m.ndim - 1)).expand(-1, *self.m.shape[:-1])  # (L, ...)
        edges = F.pad(F.pad(self.inner, (1, 0), value=-math.inf), (0, 1), value=math.inf)  # (K+1,)
        low, high = torch.zeros_like(level, dtype=torch.long), torch.full_like(level, len(edges) - 1).long()
        for _ in range(
            math.ceil(math.log2(len(edges) - 1))
        ):  # the quantile lies above edge `low`, not above `high`
            middle = (low + high) >> 1
            reached = self._left(edges[middle]) >= level
            low, high = torch.where(reached, low, middle), torch.where(reached, middle, high)
        return self._inside(level, high - 1)

    def mean(self, low: float = -math.inf, high: float = math.inf) -> Tensor:
        """As in bars.py: each bucket's mass times its centre, or the mean of its half-normal, kept within low .. high.  (...)

        Summed by parts, so that the cdf at the borders is all that is needed; and of each component only at those
        borders that it comes near, since elsewhere its cdf is 0 or 1.
        """
        b = self.borders
        centres = (b[1:] + b[:-1]) / 2  # (K,)
        centres[0], centres[-1] = b[1] - self.low * MEAN, b[-2] + self.high * MEAN
        centres = centres.clamp(low, high)
        steps = centres.diff()  # (K-1,) over the inner borders
        reach, counts = 6 / (ROOT2 * self.per), self.half > 1e-7
        first = torch.where(counts, self.m - reach, math.inf).reshape(-1, self.m.shape[-1]).amin(0)  # (M,)
        final = torch.where(counts, self.m + reach, -math.inf).reshape(-1, self.m.shape[-1]).amax(0)
        near = torch.searchsorted(self.inner, torch.stack([first, final], 1)).tolist()
        total = torch.zeros_like(self.m[..., 0])
        parts = zip(near, self.half.unbind(-1), self.m.unbind(-1), self.per.unbind(-1), strict=True)
        for (i, j), half, m, per in parts:  # one component at a time: memory
            twice_cdf = (m[..., None] - self.inner[i:j]).mul_(per[..., None]).erfc_()  # (..., j - i)
            total += half * (2 * centres[j] - twice_cdf @ steps[i:j])
        return total

    def __getitem__(self, rows: int | slice | tuple[int | slice, ...]) -> "Mixed":
        some = object.__new__(Mixed)
        some.__dict__ |= {k: self.__dict__[k] for k in ("borders", "inner", "low", "high")}
        some.half, some.m, some.per = self.half[rows], self.m[rows], self.per[rows]
        return some

    def _left(self, y: Tensor) -> Tensor:
        """Mass of the mixture on the left of y.  (...) -> (...)"""
        return (self.m - y[..., None]).mul_(self.per).erfc_().mul_(self.half).sum(-1)

    def _right(self, y: Tensor) -> Tensor:
        return (y[..., None] - self.m).mul_(self.per).erfc_().mul_(self.half).sum(-1)

    def _sides(self, y: Tensor) -> tuple[Tensor, Tensor]:
        y = y.to(self.m.dtype).expand(torch.broadcast_shapes(y.shape, self.m.shape[:-1]))
        k = torch.searchsorted(self.inner, y.contiguous())  # bucket, 0 .. K-1
        last = len(self.inner) - 1
        start, end = self.inner[(k - 1).clamp(min=0)], self.inner[k.clamp(max=last)]
        left, to_end, over, right = self._left(start), self._left(end), self._right(start), self._right(end)
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
        left, to_end = self._left(start), self._left(end)
        share = ((level - left) / (to_end - left).clamp(min=1e-12)).clamp(0, 1)
        inside = start + share * (end - start)
        if not ((k == 0) | (k > last)).any():  # the usual case: no quantile in a tail
            return inside
        low_share = (level / to_end.clamp(min=1e-30)).clamp(1e-30, 1)
        high_share = ((1 - level) / self._right(start).clamp(min=1e-30)).clamp(1e-30, 1)
        below = self.inner[0] + self.low * torch.special.ndtri(low_share / 2)
        above = self.inner[-1] - self.high * torch.special.ndtri(high_share / 2)
        return torch.where(k == 0, below, torch.where(k > last, above, inside))
