"""Least squares for three families of learning curves, for all curves at once.

Each family is one shape phi, an offset and a slope: f(x) = offset + slope * phi(u; p). Only p is non-linear,
one or two numbers; offset and slope are solved exactly for each p (variable projection). A coarse grid over p
finds the valley, Levenberg-Marquardt its bottom.

    name  formula                                          phi                      p
    pow3  c - a x^-alpha                                   u^-alpha                 ln alpha
    pow4  c - (a x + b)^-alpha                             ((u+s) / (1+s))^-alpha   ln alpha, ln s (= b/a)
    mmf4  alpha - (alpha - beta) / (1 + (kappa x)^delta)   1 / (1 + (u/m)^delta)    ln m (= 1/kappa), ln delta

u is the epoch in units of the curve's first observed epoch. The slope may have either sign, which for pow4
adds falling curves to the formula. p stays in a box; in particular the bend of pow4 (s) and mmf4 (m) may not
lie beyond the last observed epoch, where the data say nothing of it and a few noisy points would send the
forecast sky-high.

Shapes: B curves, T points, P = 1 or 2 non-linear parameters, K = P + 2 parameters in all.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

# natural logarithms; None: the last observed epoch
BOX: dict[str, tuple[tuple[float, float | None], ...]] = {
    "pow3": ((-3.0, 2.5),),
    "pow4": ((-3.0, 3.0), (-5.0, None)),
    "mmf4": ((-5.0, None), (-2.0, 2.0)),
}
GRID = {"pow3": (14,), "pow4": (10, 7), "mmf4": (12, 8)}
STEPS = 60  # at most
PARAMETERS = {name: 2 + len(box) for name, box in BOX.items()}


@dataclass(frozen=True)
class Fit:
    """One fitted curve for each of B."""

    name: str
    unit: Tensor  # (B,) the first observed epoch
    p: Tensor  # (B, P)
    offset: Tensor  # (B,)
    slope: Tensor  # (B,)
    residual: Tensor  # (B,) sum of squares
    inverse: Tensor  # (B, K, K) of J'J, J = derivatives of the curve by its parameters at the observed points

    def curve(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Values at epochs x (B, Q), and the leverage g' (J'J)^-1 g of each: how open it is."""
        phi, by_p = shape(self.name, x / self.unit[:, None], self.p)
        g = _derivatives(phi, by_p, self.slope)  # (B, Q, K)
        leverage = torch.einsum("bqk,bkl,bql->bq", g, self.inverse, g).clamp(min=0)
        return self.offset[:, None] + self.slope[:, None] * phi, leverage


def fit(name: str, x: Tensor, y: Tensor) -> Fit:
    """x rising, y (B, T) in float64."""
    unit = x[:, 0]
    u = x / unit[:, None]
    p = _descend(name, u, y, _best_of_grid(name, u, y))
    phi, by_p = shape(name, u, p)
    offset, slope, left, _ = _project(phi, y)
    inverse = _inverse(_derivatives(phi, by_p, slope))
    return Fit(name, unit, p, offset, slope, left.square().sum(1), inverse)


def shape(name: str, u: Tensor, p: Tensor) -> tuple[Tensor, list[Tensor]]:
    """phi at u (B, T) and its derivatives by each component of p (B, P)."""
    first, *second = p.T[:, :, None]  # each (B, 1)
    if name == "mmf4":
        delta = second[0].exp()
        z = delta * (u.log() - first)
        phi = torch.sigmoid(-z)
        by_z = -phi * torch.sigmoid(z)
        return phi, [-delta * by_z, z * by_z]
    alpha = first.exp()
    s = second[0].exp() if second else torch.zeros_like(alpha)
    rise = ((u + s) / (1 + s)).log()
    phi = (-alpha * rise).exp()
    by_s = -alpha * phi * s * (1 / (u + s) - 1 / (1 + s))
    return phi, [-alpha * rise * phi, by_s][: p.shape[1]]


def _project(phi: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The best offset and slope for this phi, the residual (B, T), and phi about its mean (B, T)."""
    mean_phi, mean_y = phi.mean(1), y.mean(1)
    centred = phi - mean_phi[:, None]
    slope = (centred * y).sum(1) / centred.square().sum(1).clamp(min=1e-30)
    left = y - mean_y[:, None] - slope[:, None] * centred
    return mean_y - slope * mean_phi, slope, left, centred


def _best_of_grid(name: str, u: Tensor, y: Tensor) -> Tensor:
    """The point of the grid with the smallest residual, for each curve: (B, P)."""
    low, high = _box(name, u)
    shares = [(torch.arange(n, dtype=y.dtype) + 0.5) / n for n in GRID[name]]
    best, p = torch.full_like(low[:, 0], torch.inf), low.clone()
    for share in torch.cartesian_prod(*shares).reshape(-1, len(shares)):  # over the grid, never over curves
        point = low + share * (high - low)
        residual = _project(shape(name, u, point)[0], y)[2].square().sum(1)
        better = residual < best
        best[better], p[better] = residual[better], point[better]
    return p


def _box(name: str, u: Tensor) -> tuple[Tensor, Tensor]:
    """Lower and upper bounds of p for each curve, (B, P) each."""
    last = u[:, -1].log()
    sides = zip(*BOX[name], strict=True)
    low, high = ([last if b is None else torch.full_like(last, b) for b in side] for side in sides)
    return torch.stack(low, 1), torch.stack(high, 1)


def _descend(name: str, u: Tensor, y: Tensor, p: Tensor) -> Tensor:
    """Levenberg-Marquardt in p, each curve with its own damping; a curve leaves when it stops improving."""
    low, high = _box(name, u)
    p, damping = p.clone(), torch.full_like(p[:, 0], 1e-2)
    active = torch.arange(len(p))
    for _ in range(STEPS):
        ua, ya, pa, floor, ceiling = (a[active] for a in (u, y, p, low, high))
        residual, step = _step(name, ua, ya, pa, damping[active], floor, ceiling)
        trial = (pa + step).clamp(floor, ceiling)
        new = _project(shape(name, ua, trial)[0], ya)[2].square().sum(1)
        better = new < residual
        p[active] = torch.where(better[:, None], trial, pa)
        damping[active] = (damping[active] * torch.where(better, 0.2, 5.0)).clamp(1e-9, 1e9)
        done = torch.where(better, residual - new <= 1e-7 * residual, damping[active] > 1e6)
        active = active[~done]
        if not len(active):
            break
    return p


def _step(
    name: str, u: Tensor, y: Tensor, p: Tensor, damping: Tensor, low: Tensor, high: Tensor
) -> tuple[Tensor, Tensor]:
    """Residual at p, and the damped Gauss-Newton step with offset and slope projected out (as Kaufman does).

    A component that stands at a bound and would leave the box is held, so that the other can still move.
    """
    phi, by_p = shape(name, u, p)
    _, slope, left, centred = _project(phi, y)
    length = centred.square().sum(1, keepdim=True).clamp(min=1e-30)
    columns = []
    for d in by_p:
        d = d - d.mean(1, keepdim=True)
        columns.append(slope[:, None] * (d - centred * (centred * d).sum(1, keepdim=True) / length))
    j = torch.stack(columns, 2)  # (B, T, P)
    downhill = (j.mT @ left[..., None])[..., 0]  # (B, P)
    held = ((p <= low) & (downhill < 0)) | ((p >= high) & (downhill > 0))
    j = j * ~held[:, None]
    normal = j.mT @ j
    size = torch.diagonal(normal, dim1=1, dim2=2)
    ridge = damping[:, None] * size + 1e-12 * size.amax(1, keepdim=True) + 1e-30
    step = torch.linalg.solve(normal + torch.diag_embed(ridge), j.mT @ left[..., None])[..., 0]
    return left.square().sum(1), step


def _derivatives(phi: Tensor, by_p: list[Tensor], slope: Tensor) -> Tensor:
    """The curve's derivatives by all of its parameters (offset, slope, p): (B, T, K)."""
    return torch.stack([torch.ones_like(phi), phi, *(slope[:, None] * d for d in by_p)], 2)


def _inverse(j: Tensor) -> Tensor:
    """(J'J)^-1 with a ridge of 1e-6 in units of each column, which bounds what the data leave open."""
    length = j.square().sum(1).sqrt().clamp(min=1e-12)  # (B, K)
    scaled = j / length[:, None]
    ridge = 1e-6 * torch.eye(j.shape[2], dtype=j.dtype)
    return torch.linalg.inv(scaled.mT @ scaled + ridge) / (length[:, :, None] * length[:, None])
