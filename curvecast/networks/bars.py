"""One predictive density: buckets of equal prior mass between two half-normal tails.

The paper's symbols: K buckets with borders b_0 < ... < b_K, p_k = mass of bucket k. Inside, the density is flat;
the two outer buckets are half-normals that start at b_1 and b_{K-1} and have half of their mass inside the bucket.
All functions below include the tails; mixture.py has the same density with its masses in a more compact form.
Shapes: ... = batch and queries, L = levels, K = buckets.
"""

import functools
import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import pad

from curvecast.curves.prior import Prior
from curvecast.ground.errors import UserError

HALF = 0.6744897501960817  # a half-normal of scale s has half of its mass below HALF * s
ROOT2 = math.sqrt(2)

Rows = int | slice | Tensor | tuple[int | slice | None, ...]  # an index that selects densities


class Buckets:
    """The density within each of K buckets, whatever their masses."""

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


# -----------------------------------------------------------------------------------------------------------
# Borders between which the prior's values are equally many, and a mass for each bucket.

BEHAVIOUR = 1  # raise by hand when equal logits give another density, or equal seeds other borders

LEAST_WIDTH = 2e-5  # of a bucket; with the paper's prior the narrowest is thirty times wider


@dataclass(frozen=True)
class BarsConfig:
    buckets: int = 1000  # K
    tails: str = "tame"  # or "paper"
    curves: int = 10_000  # prior curves whose noisy values set the borders
    seed: int = 0


def make_borders(config: BarsConfig, prior: Prior) -> Tensor:
    """Borders (K+1,) with equal numbers of the prior's noisy values between them.

    tails = "paper": the outermost borders are the extremes of the sample, -1.7 and 2.7 or so. They depend on the
    seed, and with tails this wide one percent of misplaced mass moves the mean by 0.03.
    tails = "tame": the maximum-likelihood half-normal for the values beyond b_1 (or b_{K-1}): its scale is their
    root mean square distance. Other seeds give nearly the same tail, and means become usable.
    """
    return _borders(config, prior).clone()


@functools.cache  # shared by networks that are compared; computing them takes as long as a small training
def _borders(config: BarsConfig, prior: Prior) -> Tensor:
    generator = torch.Generator().manual_seed(config.seed)
    return equal_masses(prior.sample(config.curves, generator).noisy.flatten().double().sort().values, config)


def equal_masses(y: Tensor, config: BarsConfig) -> Tensor:
    """Borders (K+1,) with equally many of these sorted values between them."""
    if config.buckets < 3 or config.tails not in ("tame", "paper"):
        raise UserError(f"{config}: take at least 3 buckets, and tails 'tame' or 'paper'")
    size = len(y) // config.buckets
    y = y[len(y) % config.buckets // 2 :][: size * config.buckets]
    inner = distinct_borders((y[size - 1 : -1 : size] + y[size::size]) / 2)  # (K-1,); fewer where values tie
    low, high = y[0], y[-1]
    if config.tails == "tame":
        low = inner[0] - HALF * (inner[0] - y[:size]).square().mean().sqrt()
        high = inner[-1] + HALF * (y[-size:] - inner[-1]).square().mean().sqrt()
    low, high = torch.minimum(low, inner[0] - LEAST_WIDTH), torch.maximum(high, inner[-1] + LEAST_WIDTH)
    return torch.cat([low[None], inner, high[None]]).float()


def distinct_borders(borders: Tensor) -> Tensor:
    """Drop borders closer than LEAST_WIDTH to the previous one: tied values would give buckets without width."""
    distinct = [borders[0]]
    for border in borders[1:]:
        if border - distinct[-1] >= LEAST_WIDTH:
            distinct.append(border)
    return torch.stack(distinct)


class Bars(Buckets):
    """The density of logits (..., K) over borders (K+1,). Methods take y (...)."""

    def __init__(self, borders: Tensor, logits: Tensor):
        super().__init__(borders.to(logits.device))
        self.log_p = logits.float().log_softmax(-1)  # (..., K)

    def __getitem__(self, rows: Rows) -> "Bars":
        return Bars(self.borders, self.log_p[rows])

    def log_density(self, y: Tensor) -> Tensor:  # (...) -> (...)
        k = self.bucket(y)
        log_p = self.log_p.expand(*k.shape, -1)  # the same masses for several values of a query
        return log_p.gather(-1, k[..., None])[..., 0] + self.within(y, k)

    @cached_property
    def cumulative(self) -> Tensor:
        """cdf at b_1 ... b_K, (..., K) in float64; the last includes the whole right tail and is 1."""
        total = self.log_p.exp().double().cumsum(-1)
        return total / total[..., -1:]

    def pdf(self, y: Tensor) -> Tensor:
        return self.log_density(y).exp()

    def cdf(self, y: Tensor) -> Tensor:
        """P(Y <= y)"""
        k = self.bucket(y)
        p = self.log_p.exp()
        below = (p.cumsum(-1) - p).gather(-1, k[..., None])[..., 0]  # mass of the buckets to the left
        return below + p.gather(-1, k[..., None])[..., 0] * self.share_below(y, k)

    def exceeds(self, t: Tensor) -> Tensor:
        """P(Y > t), summed from the right so that small probabilities keep their digits."""
        k = self.bucket(t)
        p = self.log_p.exp()
        above = (p.flip(-1).cumsum(-1).flip(-1) - p).gather(-1, k[..., None])[..., 0]
        return above + p.gather(-1, k[..., None])[..., 0] * self.share_above(t, k)

    def quantile(self, level: float | Tensor) -> Tensor:
        """The y with cdf(y) = level: one float for all densities, or a tensor with a level for each, (...) or (L, ...)."""
        level = torch.as_tensor(level, dtype=self.log_p.dtype, device=self.log_p.device)
        level = level.expand(torch.broadcast_shapes(level.shape, self.log_p.shape[:-1]))
        if level.ndim == self.log_p.ndim:
            return torch.stack([self.quantile(row) for row in level])
        cumulative = self.cumulative
        target = level.double()[..., None]
        k = torch.searchsorted(cumulative, target).clamp(max=len(self.borders) - 2)  # (..., 1)
        right = cumulative.gather(-1, k)
        left = torch.where(k > 0, cumulative.gather(-1, (k - 1).clamp(min=0)), 0.0)
        share = ((target - left) / (right - left).clamp(min=1e-300))[..., 0].clamp(0, 1)
        return self.place(share, 1 - share, k[..., 0]).to(self.log_p.dtype)

    def mean(self, low: float = -math.inf, high: float = math.inf) -> Tensor:
        """The mean of the bucket means, each clipped to low .. high."""
        return (self.log_p.exp() * self.centres(low, high)).sum(-1)

    def sample(self, n: int, generator: torch.Generator) -> Tensor:
        """n draws of each density: (...) -> (n, ...). Queries are independent: a PFN predicts marginals only."""
        shape = (n, *self.log_p.shape[:-1])
        levels = torch.rand(shape, generator=generator, device=generator.device).to(self.log_p.device)
        levels = levels.clamp(min=2**-25)  # a level of 0, which occurs once in 2^24 draws, would give -inf
        return torch.stack([self.quantile(level) for level in levels])

    def crps(self, y: Tensor) -> Tensor:
        return self.crps_of(self.cumulative[..., :-1], y)
