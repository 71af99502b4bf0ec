"""Forecasts without a network, which every model must beat: the last value, and least squares (see fits).

Each has a Gaussian predictive density, so that its likelihood can stand beside a network's.

Last value: the variance is the mean squared step from one observed point to the next. For pure noise of
variance v that is 2 v, just the error of a noisy point forecast by another. A lone point has no step and
takes LONE_POINT_SD.

Fits: a Gaussian around the curve, the textbook prediction interval of non-linear regression,
    sd^2 = s^2 (1 + leverage)
    s^2  = (residual sum of squares + 2 v) / (points - parameters + 2)     v = half of the mean squared step
The 2 v is a weak prior, the noise that the steps show, worth STEPS_WORTH = 2 points. Without it four
parameters through five points leave hardly a residual: on the prior's curves that costs three nats at
cutoff 5, and nothing at 70. No sd is below SD_FLOOR.

A curve with no more observed points than the family has parameters falls back to its last value, and
`fallback` says so.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from curvecast.ground.errors import UserError
from curvecast.scores.fits import PARAMETERS, fit

METHODS = ("last value", *PARAMETERS)
STEPS_WORTH = 2
SD_FLOOR = 0.003
LONE_POINT_SD = 0.2


@dataclass(frozen=True)
class Gaussian:
    """A normal density for each curve and query; has what `metrics` asks of a density."""

    mean: Tensor  # (B, Q)
    sd: Tensor  # (B, Q)
    fallback: Tensor  # (B,) true where a fit gave way to the last value

    def log_density(self, y: Tensor) -> Tensor:
        return -self._z(y).square() / 2 - self.sd.log() - 0.5 * math.log(2 * math.pi)

    def cdf(self, y: Tensor) -> Tensor:
        return torch.special.ndtr(self._z(y))

    def exceeds(self, t: Tensor) -> Tensor:
        """P(Y > t)"""
        return torch.special.ndtr(-self._z(t))

    def quantile(self, level: float | Tensor) -> Tensor:
        return self.mean + self.sd * torch.special.ndtri(torch.as_tensor(level).to(self.mean))

    def crps(self, y: Tensor) -> Tensor:
        """Continuous ranked probability score, in closed form."""
        z = self._z(y)
        density = (-z.square() / 2).exp() / math.sqrt(2 * math.pi)
        return self.sd * (z * (2 * torch.special.ndtr(z) - 1) + 2 * density - 1 / math.sqrt(math.pi))

    def _z(self, y: Tensor) -> Tensor:
        return (torch.as_tensor(y).to(self.mean) - self.mean) / self.sd


def forecast(method: str, x: Any, y: Any, x_query: Any, mask: Any = None) -> Gaussian:
    """One density a query, from any kind of arrays, computed in float64 on the CPU.

    x (T,) or (B, T) epochs, y (B, T) values, mask (B, T) true where observed, x_query (Q,) or (B, Q) epochs.
    """
    if method not in METHODS:
        raise UserError(f"there is no baseline {method!r}; take one of {', '.join(METHODS)}")
    x, y, seen = _checked(x, y, mask)
    queries = _checked_queries(x_query, len(y))
    last = _last_value(x, y, seen, queries)
    return last if method == "last value" else _least_squares(method, x, y, seen, queries, last)


def _last_value(x: Tensor, y: Tensor, seen: Tensor, queries: Tensor) -> Gaussian:
    """The value at the latest observed epoch, give or take a step."""
    order = torch.where(seen, x, torch.inf).argsort(
        dim=1, stable=True
    )  # observed points first, in order of x
    y, n = y.gather(1, order), seen.sum(1)
    inside = torch.arange(1, y.shape[1]) < n[:, None]
    variance = (y.diff(dim=1).square() * inside).sum(1) / (n - 1).clamp(min=1)
    sd = torch.where(n > 1, variance.sqrt().clamp(min=SD_FLOOR), LONE_POINT_SD)
    mean = y.gather(1, n[:, None] - 1)  # (B, 1)
    return Gaussian(
        mean.expand_as(queries), sd[:, None].expand_as(queries), torch.zeros(len(y), dtype=torch.bool)
    )


def _least_squares(
    name: str, x: Tensor, y: Tensor, seen: Tensor, queries: Tensor, last: Gaussian
) -> Gaussian:
    found = fit(name, x, y, seen.to(y))
    mean, leverage = found.curve(queries)
    freedom = seen.sum(1) - PARAMETERS[name]
    v = last.sd[:, 0].square() / 2
    variance = (found.residual + STEPS_WORTH * v) / (freedom.clamp(min=1) + STEPS_WORTH)
    sd = variance.sqrt().clamp(min=SD_FLOOR)[:, None] * (1 + leverage).sqrt()
    sound = torch.isfinite(mean) & torch.isfinite(sd)
    fallback = (freedom < 1) | ~sound.all(1)
    keep = ~fallback[:, None]
    return Gaussian(torch.where(keep, mean, last.mean), torch.where(keep, sd, last.sd), fallback)


def _checked(x: Any, y: Any, mask: Any) -> tuple[Tensor, Tensor, Tensor]:
    """x, y, mask as (B, T); unobserved places hold x = 1, y = 0, whatever stood there."""
    x, y = _doubles(x), _doubles(y)
    if y.ndim != 2 or 0 in y.shape or x.shape not in (y.shape, y.shape[1:]):
        shapes = f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}"
        raise UserError(f"{shapes}: they do not fit; y must be (curves, points), x the same or (points,)")
    seen = (
        torch.ones_like(y).bool() if mask is None else torch.as_tensor(mask, dtype=torch.bool, device="cpu")
    )
    if seen.shape != y.shape:
        raise UserError(f"mask has shape {tuple(seen.shape)}; it must be that of y, {tuple(y.shape)}")
    x = x.expand_as(y)
    for bad, problem in (
        (~seen.any(1), "has no observed point: give at least one"),
        ((seen & ~torch.isfinite(y)).any(1), "has a value that is not a number: leave it out with the mask"),
        ((seen & ~_positive(x)).any(1), "has an epoch that is not positive: count epochs from 1"),
        (_twice(x, seen), "has an epoch twice: keep one of its values, or their mean"),
    ):
        if bad.any():
            raise UserError(f"curve {int(bad.nonzero()[0])} (counted from 0) {problem}")
    return torch.where(seen, x, 1.0), torch.where(seen, y, 0.0), seen


def _checked_queries(x_query: Any, curves: int) -> Tensor:
    """x_query as (B, Q)"""
    queries = _doubles(x_query)
    if queries.ndim not in (1, 2) or (queries.ndim == 2 and len(queries) != curves):
        raise UserError(
            f"x_query has shape {tuple(queries.shape)}; it must be (queries,) or ({curves}, queries)"
        )
    if not _positive(queries).all():
        raise UserError("x_query has an epoch that is not positive: count epochs from 1")
    return queries.expand(curves, -1)


def _twice(x: Tensor, seen: Tensor) -> Tensor:
    unseen = -torch.arange(1.0, x.shape[1] + 1, dtype=x.dtype)  # no two of them alike
    return torch.where(seen, x, unseen).sort(1).values.diff(dim=1).eq(0).any(1)


def _positive(x: Tensor) -> Tensor:
    return torch.isfinite(x) & (x > 0)


def _doubles(values: Any) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float64, device="cpu")
