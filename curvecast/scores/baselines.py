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

A curve with no more observed points than the family has parameters falls back to its last value.

Shapes: B curves, T points, Q queries.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

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


def forecast(method: str, x: Tensor, y: Tensor, x_query: Tensor) -> Gaussian:
    """Values y (B, T) at rising epochs x (T,) or (B, T), queries (Q,) or (B, Q) -> a density for each, in float64."""
    y = y.double()
    x, queries = x.double().expand_as(y), x_query.double().expand(len(y), -1)
    last = _last_value(y, queries)
    return last if method == "last value" else _least_squares(method, x, y, queries, last)


def _last_value(y: Tensor, queries: Tensor) -> Gaussian:
    """The latest value, give or take a step."""
    squares, steps = y.diff(dim=1).square().sum(1), y.shape[1] - 1
    sd = (squares / steps).sqrt().clamp(min=SD_FLOOR) if steps else torch.full_like(squares, LONE_POINT_SD)
    return Gaussian(y[:, -1:].expand_as(queries), sd[:, None].expand_as(queries))


def _least_squares(name: str, x: Tensor, y: Tensor, queries: Tensor, last: Gaussian) -> Gaussian:
    freedom = y.shape[1] - PARAMETERS[name]
    if freedom < 1:
        return last
    fitted = fit(name, x, y)
    mean, leverage = fitted.curve(queries)
    v = last.sd[:, 0].square() / 2
    variance = (fitted.residual + STEPS_WORTH * v) / (freedom + STEPS_WORTH)
    sd = variance.sqrt().clamp(min=SD_FLOOR)[:, None] * (1 + leverage).sqrt()
    sound = (torch.isfinite(mean) & torch.isfinite(sd)).all(1, keepdim=True)
    return Gaussian(torch.where(sound, mean, last.mean), torch.where(sound, sd, last.sd))
