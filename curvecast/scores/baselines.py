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

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import nearest
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
    squares, steps = y.diff(dim=1).square().sum(1), y.shape[1] - 1
    sd = (squares / steps).sqrt().clamp(min=SD_FLOOR) if steps else torch.full_like(squares, LONE_POINT_SD)
    last = Gaussian(y[:, -1:].expand_as(queries), sd[:, None].expand_as(queries))  # give or take a step
    if method == "last value" or y.shape[1] <= PARAMETERS[method]:
        return last
    freedom = y.shape[1] - PARAMETERS[method]
    fitted = fit(method, x, y)
    mean, leverage = fitted.curve(queries)
    v = last.sd[:, 0].square() / 2
    variance = (fitted.residual + STEPS_WORTH * v) / (freedom + STEPS_WORTH)
    sd = variance.sqrt().clamp(min=SD_FLOOR)[:, None] * (1 + leverage).sqrt()
    sound = (torch.isfinite(mean) & torch.isfinite(sd)).all(1, keepdim=True)
    return Gaussian(torch.where(sound, mean, last.mean), torch.where(sound, sd, last.sd))


def ahead_of(method: str, y: Tensor, ahead: int) -> Gaussian:
    """Values (B, T) at epochs 1, 2, ..., T -> densities (B, ahead) of the next epochs."""
    x = torch.arange(1.0, y.shape[1] + ahead + 1)
    return forecast(method, x[: y.shape[1]], y, x[y.shape[1] :])


# -----------------------------------------------------------------------------------------------------------
# Two more forecasts without a network or a fit, for curves (B, T) of which more is better, at epochs 1, 2, ..., T.
#
# best so far   the best value seen, give or take a step, as `last value` above has it
# own steps     the last value, with a spread that grows: so many epochs ahead as the run itself moved within so many


def best_so_far(y: Tensor, ahead: int) -> Gaussian:
    """Densities (B, ahead) of the next epochs."""
    last = ahead_of("last value", y, ahead)
    best = y.double().amax(1, keepdim=True)
    return Gaussian(best.expand_as(last.mean), last.sd)


def own_steps(y: Tensor, ahead: int) -> Gaussian:
    """Beyond the longest lag that half of the epochs seen can show, the variance grows by the step, as a random walk's."""
    last = ahead_of("last value", y, ahead)
    longest = y.shape[1] // 2
    if not longest:
        return Gaussian(last.mean, torch.full_like(last.mean, LONE_POINT_SD))
    y = y.double()
    moved = (y[:, lag:] - y[:, :-lag] for lag in range(1, longest + 1))
    sd = torch.stack([by.square().mean(1).sqrt() for by in moved], 1)  # (B, longest)
    lag = torch.arange(1, ahead + 1)
    far = (lag / longest).clamp(min=1).sqrt()
    return Gaussian(last.mean, (sd[:, lag.clamp(max=longest) - 1] * far).clamp(min=SD_FLOOR))


# -----------------------------------------------------------------------------------------------------------
# Least squares with the sum of a prior's own families, for curves (B, T) at epochs 1, 2, ..., T: the nearest curve of
# the prior, carried on.
#
# A Gaussian around it, as around the other fits, but that nine parameters through ten points leave nearly
# all of them open. So the laws of the parameters are asked as well, as in Laplace's approximation:
#     sd^2 = s^2 (1 + g' (J'J + s^2 P)^-1 g)
# g: derivatives of the value ahead by the parameters; J: those of the values seen; P: 1 / variance of each law.


def sum_of_families(config: PriorConfig, y: Tensor, ahead: int) -> Gaussian:
    """Densities (B, ahead) of the next epochs."""
    seen = y.shape[1]
    last = ahead_of("last value", y, ahead)
    curve, slopes = nearest.with_derivatives(config, nearest.fitted(config, y), seen + ahead)
    v = last.sd[:, 0].square() / 2  # (B,)
    left = (curve[:, :seen] - y.double()).square().sum(1)
    freedom = max(seen - slopes.shape[2], 1)
    s2 = ((left + STEPS_WORTH * v) / (freedom + STEPS_WORTH)).clamp(min=SD_FLOOR**2)
    g = slopes[:, seen:]  # (B, ahead, D)
    J = slopes[:, :seen]
    laws = nearest.laws(config)
    variances = [(law.b - law.a) ** 2 / 12 if law.kind == "uniform" else law.b**2 for law in laws]
    P = torch.diag(torch.tensor([1 / variance for variance in variances]).double())
    inverse = torch.linalg.inv(J.mT @ J + s2[:, None, None] * P)  # (B, D, D)
    leverage = torch.einsum("bad,bde,bae->ba", g, inverse, g).clamp(min=0)
    sd = (s2[:, None] * (1 + leverage)).sqrt()
    return Gaussian(curve[:, seen:], sd)
