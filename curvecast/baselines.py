"""Forecasts without a network: repeat the last value, or fit a curve by least squares.

Every least-squares family is one shape phi that falls from 1, an offset and a slope,

    f(x) = offset + slope * phi(x; p)

and only p = (p1, p2) is non-linear.  Offset and slope are solved exactly for each p (variable projection), so that the
search has one or two dimensions: a coarse grid finds the valley, Levenberg-Marquardt its bottom, for all curves at once.

    name   paper's formula                       phi(u)                          p                       parameters
    pow3   c - a x^-alpha                        u^-alpha                        ln alpha                3
    pow4   c - (a x + b)^-alpha                  ((u + s) / (1 + s))^-alpha      ln alpha, ln s (b / a)  4
    mmf4   alpha - (alpha - beta)                1 / (1 + (kappa u)^delta)       -ln kappa, ln delta     4
               / (1 + (kappa x)^delta)

u is the epoch in units of the curve's first observed epoch.  The slope may have either sign (for pow4 that adds falling
curves to the formula).  p stays in a box: in particular the bend of pow4 (s) and mmf4 (1 / kappa) may not lie beyond the
last observed epoch, where the data say nothing of it and a few noisy points would send the forecast to the sky.

The last value's density has as variance the mean squared step from one observed point to the next: for pure noise of
variance v this is 2 v, just the error of a noisy point forecast by another.  A lone point has no step: LONE_POINT_SD.

A fit's density is a Gaussian around the curve, the textbook prediction interval of non-linear regression,
    sd^2 = s^2 (1 + g' (J'J)^-1 g)      J, g: the curve's derivatives by its parameters, at the data and at the query
    s^2 = (residual sum of squares + 2 v) / (points - parameters + 2)      v = half of the mean squared step
The 2 v is a weak prior: noise as the steps show it, worth STEPS_WORTH = 2 points.  Without it four parameters through five
points leave almost no residual, and the mean log-likelihood on the prior's curves falls from 0.3 to -3 nats at cutoff 5
(at cutoff 70 nothing changes).  No sd is below SD_FLOOR.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from curvecast.errors import UserError

BEHAVIOUR = 1

METHODS = ("last value", "pow3", "pow4", "mmf4")
PARAMETERS = {"pow3": 3, "pow4": 4, "mmf4": 4}
BOX = {  # bounds of p, natural logarithms; None stands for the last observed epoch
    "pow3": ((-3.0, 2.5),),
    "pow4": ((-3.0, 3.0), (-5.0, None)),
    "mmf4": ((-5.0, None), (-2.0, 2.0)),
}
GRID = {"pow3": (14,), "pow4": (10, 7), "mmf4": (12, 8)}
STEPS_WORTH = 2
SD_FLOOR = 0.003
LONE_POINT_SD = 0.2


@dataclass(frozen=True)
class Gaussian:
    """One normal density per curve and query; `fallback` marks the curves whose fit gave way to the last value."""

    mean: Tensor  # (B, Q)
    sd: Tensor  # (B, Q)
    fallback: Tensor  # (B,) bool

    def log_density(self, y: Tensor) -> Tensor:
        return self._normal.log_prob(torch.as_tensor(y).to(self.mean))

    def cdf(self, y: Tensor) -> Tensor:
        return self._normal.cdf(torch.as_tensor(y).to(self.mean))

    def exceeds(self, y: Tensor) -> Tensor:
        """P(a noisy observation > y)"""
        return 1 - self.cdf(y)

    def quantile(self, p: float | Tensor) -> Tensor:
        return self.mean + self.sd * torch.special.ndtri(torch.as_tensor(p).to(self.mean))

    @property
    def _normal(self) -> torch.distributions.Normal:
        return torch.distributions.Normal(self.mean, self.sd, validate_args=False)


def forecast(method: str, x, y, x_query, mask=None) -> Gaussian:
    """Observed epochs x (T,) or (B, T) and values y (B, T), mask (B, T) True = observed, queries x_query (Q,) or (B, Q)."""
    if method == "last value":
        return last_value(x, y, x_query, mask)
    return fit(method, x, y, mask).predict(x_query)


def last_value(x, y, x_query, mask=None) -> Gaussian:
    x, y, seen = _checked(x, y, mask)
    mean, sd = _last_and_step(x, y, seen)
    queries = _queries(x_query, len(y))
    shape = (len(y), queries.shape[-1])
    nothing_fell_back = torch.zeros(len(y), dtype=torch.bool)
    return Gaussian(mean[:, None].expand(shape), sd[:, None].expand(shape), nothing_fell_back)


@dataclass(frozen=True)
class Fit:
    """Fitted curves of one family; B curves side by side."""

    name: str
    p: Tensor  # (B, P) the non-linear parameters
    offset: Tensor  # (B,)
    slope: Tensor  # (B,)
    sse: Tensor  # (B,) residual sum of squares
    s: Tensor  # (B,) residual standard deviation, floored
    spread: Tensor  # (B, K, K) inverse of J'J
    unit: Tensor  # (B,) the first observed epoch
    last: Tensor  # (B,) the last value and its sd, for the curves that could not be fitted
    last_sd: Tensor  # (B,)
    fallback: Tensor  # (B,) bool

    def predict(self, x_query) -> Gaussian:
        u = _queries(x_query, len(self.p)) / self.unit[:, None]  # (B, Q)
        phi, slopes = _shape(self.name, u, self.p)
        mean = self.offset[:, None] + self.slope[:, None] * phi
        g = _derivatives(phi, slopes, self.slope)  # (B, Q, K)
        leverage = torch.einsum("bqk,bkl,bql->bq", g, self.spread, g).clamp(min=0)
        sd = self.s[:, None] * (1 + leverage).sqrt()
        bad = self.fallback | ~(torch.isfinite(mean) & torch.isfinite(sd)).all(1)
        mean = torch.where(bad[:, None], self.last[:, None], mean)
        sd = torch.where(bad[:, None], self.last_sd[:, None], sd)
        return Gaussian(mean, sd, bad)


def fit(name: str, x, y, mask=None) -> Fit:
    """Least squares for every curve; a curve with no more points than parameters falls back to its last value."""
    if name not in PARAMETERS:
        raise UserError(f"baseline {name!r} is unknown; choose one of {', '.join(METHODS)}")
    x, y, seen = _checked(x, y, mask)
    w = seen.to(y)
    unit = torch.where(seen, x, torch.inf).amin(1)
    u = torch.where(seen, x / unit[:, None], 1.0)  # (B, T)
    p = _descend(name, u, y, w, _best_of_grid(name, u, y, w))
    phi, slopes = _shape(name, u, p)
    offset, slope, residual, _ = _project(phi, y, w)
    sse = (residual**2).sum(1)
    freedom = w.sum(1) - PARAMETERS[name]
    last, last_sd = _last_and_step(x, y, seen)
    s = ((sse + STEPS_WORTH * last_sd**2 / 2) / (freedom.clamp(min=1) + STEPS_WORTH)).sqrt().clamp(min=SD_FLOOR)
    spread = _inverse(_derivatives(phi, slopes, slope) * w[..., None])
    return Fit(name, p, offset, slope, sse, s, spread, unit, last, last_sd, freedom < 1)


def _shape(name: str, u: Tensor, p: Tensor) -> tuple[Tensor, list[Tensor]]:
    """phi (B, T) and its derivatives by each component of p (B, P)."""
    p1, *rest = p.T[:, :, None]  # each (B, 1)
    if name == "mmf4":
        z = rest[0].exp() * (u.log() - p1)
        phi = torch.sigmoid(-z)
        dz = -phi * torch.sigmoid(z)
        return phi, [-rest[0].exp() * dz, z * dz]
    alpha = p1.exp()
    s = rest[0].exp() if rest else torch.zeros_like(alpha)
    rise = ((u + s) / (1 + s)).log()
    phi = (-alpha * rise).exp()
    return phi, [-alpha * rise * phi, -alpha * phi * s * (1 / (u + s) - 1 / (1 + s))][: p.shape[1]]


def _project(phi: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The best offset and slope for this phi, the residual, and phi centred on the observed points."""
    n = w.sum(1)
    mean_phi, mean_y = (w * phi).sum(1) / n, (w * y).sum(1) / n
    centred = w * (phi - mean_phi[:, None])
    slope = (centred * y).sum(1) / (centred**2).sum(1).clamp(min=1e-30)
    residual = w * (y - mean_y[:, None]) - slope[:, None] * centred
    return mean_y - slope * mean_phi, slope, residual, centred


def _best_of_grid(name: str, u: Tensor, y: Tensor, w: Tensor) -> Tensor:
    """The grid point of the box with the smallest residual sum of squares, for each curve: (B, P)."""
    low, high = _box(name, u)
    shares = [(torch.arange(n, dtype=y.dtype) + 0.5) / n for n in GRID[name]]
    best, p = torch.full_like(low[:, 0], torch.inf), low.clone()
    for share in torch.cartesian_prod(*shares).reshape(-1, len(shares)):  # over the grid, all curves at once
        point = low + share * (high - low)
        sse = (_project(_shape(name, u, point)[0], y, w)[2] ** 2).sum(1)
        better = sse < best
        best[better], p[better] = sse[better], point[better]
    return p


def _box(name: str, u: Tensor) -> tuple[Tensor, Tensor]:
    """Bounds of p for each curve: (B, P) each."""
    last = u.amax(1).log()
    low, high = ([last if b is None else torch.full_like(last, b) for b in side] for side in zip(*BOX[name], strict=True))
    return torch.stack(low, 1), torch.stack(high, 1)


def _descend(name: str, u: Tensor, y: Tensor, w: Tensor, p: Tensor, steps: int = 60) -> Tensor:
    """Levenberg-Marquardt in p, each curve with its own damping; curves leave when they stop improving."""
    low, high = _box(name, u)
    p = p.clone()
    active = torch.arange(len(y))
    damping = torch.full((len(y),), 1e-2, dtype=y.dtype)
    for _ in range(steps):
        if not len(active):
            break
        at, lam, ua, ya, wa = p[active], damping[active], u[active], y[active], w[active]
        floor, ceiling = low[active], high[active]
        sse, step = _step(name, ua, ya, wa, at, lam, at <= floor, at >= ceiling)
        trial = (at + step).clamp(floor, ceiling)
        new = (_project(_shape(name, ua, trial)[0], ya, wa)[2] ** 2).sum(1)
        better = new < sse
        p[active] = torch.where(better[:, None], trial, at)
        damping[active] = torch.where(better, lam * 0.2, lam * 5).clamp(1e-9, 1e9)
        done = (better & (sse - new <= 1e-7 * sse)) | (~better & (lam > 1e6))
        active = active[~done]
    return p


def _step(name, u, y, w, p, lam, at_low: Tensor, at_high: Tensor) -> tuple[Tensor, Tensor]:
    """Residual sum of squares at p and the damped Gauss-Newton step (derivatives projected as Kaufman does).

    A component that stands at a bound and would leave the box is held, so that the others can still move.
    """
    phi, slopes = _shape(name, u, p)
    _, slope, residual, centred = _project(phi, y, w)
    length = (centred**2).sum(1, keepdim=True).clamp(min=1e-30)
    columns = []
    for d in slopes:
        d = w * (d - (w * d).sum(1, keepdim=True) / w.sum(1, keepdim=True))
        columns.append(slope[:, None] * (d - centred * (centred * d).sum(1, keepdim=True) / length))
    j = torch.stack(columns, 2)  # (B, T, P)
    downhill = (j.mT @ residual[..., None])[..., 0]
    held = (at_low & (downhill < 0)) | (at_high & (downhill > 0))
    j = j * ~held[:, None]
    normal = j.mT @ j
    diagonal = torch.diagonal(normal, dim1=1, dim2=2)
    damped = normal + torch.diag_embed(lam[:, None] * diagonal + 1e-12 * diagonal.amax(1, keepdim=True) + 1e-30)
    return (residual**2).sum(1), torch.linalg.solve(damped, j.mT @ residual[..., None])[..., 0]


def _derivatives(phi: Tensor, slopes: list[Tensor], slope: Tensor) -> Tensor:
    """The curve's derivatives by all of its parameters (offset, slope, p): (B, T, K)."""
    return torch.stack([torch.ones_like(phi), phi, *(slope[:, None] * d for d in slopes)], 2)


def _inverse(j: Tensor) -> Tensor:
    """(J'J)^-1 with a ridge of 1e-6 in units of each column, which bounds what the data do not determine."""
    length = (j**2).sum(1).sqrt().clamp(min=1e-12)  # (B, K)
    scaled = j / length[:, None]
    ridge = 1e-6 * torch.eye(j.shape[2], dtype=j.dtype)
    return torch.linalg.inv(scaled.mT @ scaled + ridge) / (length[:, :, None] * length[:, None])


def _last_and_step(x: Tensor, y: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    """The value at the latest observed epoch, and the root mean square of the steps between observed points."""
    order = torch.where(seen, x, torch.inf).argsort(dim=1, stable=True)
    y, n = y.gather(1, order), seen.sum(1)
    step = (y[:, 1:] - y[:, :-1]) ** 2
    inside = torch.arange(1, y.shape[1]) < n[:, None]
    mean_square = (step * inside).sum(1) / (n - 1).clamp(min=1)
    sd = torch.where(n > 1, mean_square.sqrt().clamp(min=SD_FLOOR), LONE_POINT_SD)
    return y.gather(1, n[:, None] - 1)[:, 0], sd


def _queries(x_query, curves: int) -> Tensor:
    queries = torch.as_tensor(x_query, dtype=torch.float64)
    if queries.ndim not in (1, 2) or (queries.ndim == 2 and len(queries) not in (1, curves)):
        raise UserError(f"x_query has shape {tuple(queries.shape)}; it must be (Q,) or ({curves}, Q)")
    if not (torch.isfinite(queries) & (queries > 0)).all():
        raise UserError("x_query holds an epoch that is not a positive number; count epochs from 1")
    return torch.atleast_2d(queries)


def _checked(x, y, mask) -> tuple[Tensor, Tensor, Tensor]:
    """x, y, mask as (B, T); unobserved places hold x = 1, y = 0, whatever they held before."""
    x, y = torch.as_tensor(x, dtype=torch.float64), torch.as_tensor(y, dtype=torch.float64)
    if y.ndim != 2 or x.shape not in (y.shape, y.shape[1:]):
        raise UserError(f"x {tuple(x.shape)} and y {tuple(y.shape)} do not fit; y must be (B, T), x (T,) or (B, T)")
    seen = torch.ones(y.shape, dtype=torch.bool) if mask is None else torch.as_tensor(mask, dtype=torch.bool)
    if seen.shape != y.shape:
        raise UserError(f"mask has shape {tuple(seen.shape)}; it must be that of y, {tuple(y.shape)}")
    x = x.expand(y.shape)
    for bad, problem in (
        (~seen.any(1), "has no observed point; give at least one"),
        ((seen & ~torch.isfinite(y)).any(1), "has an observed value that is not a number; leave it out with the mask"),
        ((seen & ~(torch.isfinite(x) & (x > 0))).any(1), "has an epoch that is not positive; count epochs from 1"),
    ):
        if bad.any():
            raise UserError(f"curve {int(bad.nonzero()[0])} (counted from 0) {problem}")
    return torch.where(seen, x, 1.0), torch.where(seen, y, 0.0), seen
