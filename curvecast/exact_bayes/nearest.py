"""The curve of a prior that lies nearest to what was observed: least squares under the prior's bounds and rules.

All families at once. A weight between 0 and 1 times a parameter whose law is uniform around, or from, 0 is such a
parameter again, so all weights are 1 here. What has a normal law stays within three standard deviations. The rules (inside
[0, 1], last above first) are kept at the observed epochs, by a price on breaking them: by a thousandth at most.
Levenberg and Marquardt's descent, from many starts: each exponent below, at and above its middle.

Shapes: B curves, T epochs, N = B times the starts, D parameters.
"""

from itertools import product

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, Law, PriorConfig

REACH = 3.0  # standard deviations of a normal law
STARTS = (-1.5, 0.0, 1.5)  # of them: where the search for an exponent begins. Fewer get lost on quiet curves
STEP = 1e-6  # of a parameter, for derivatives
PRICE = 100.0  # of breaking a rule, beside missing a point by as much
STEPS = 100
AT_ONCE = 30  # curves


def nearest(config: PriorConfig, y: Tensor) -> Tensor:
    """y (B, T) at epochs 1, 2, ..., NaN behind a curve's end -> the nearest curve (B, T), float64"""
    return with_derivatives(config, fitted(config, y), y.shape[1])[0]


def fitted(config: PriorConfig, y: Tensor) -> Tensor:
    """Its parameters (B, D), in the order of `laws`."""
    return torch.cat([_fitted(config, some.double()) for some in y.split(AT_ONCE)])


def _fitted(config: PriorConfig, y: Tensor) -> Tensor:
    choices = [
        [(law.a + law.b) / 2] if law.kind == "uniform" else [law.a + far * law.b for far in STARTS]
        for law in laws(config)
    ]
    starts = torch.tensor(list(product(*choices))).double()
    theta = starts.repeat(len(y), 1)  # (N, D), the starts of a curve beside one another
    theta, squares = _descended(config, y.repeat_interleave(len(starts), 0), theta)
    best = squares.view(len(y), -1).argmin(1) + len(starts) * torch.arange(len(y))
    return theta[best]


def laws(config: PriorConfig) -> list[Law]:
    return [law for name in config.curves for law in BASIS[name].laws]


def _descended(config: PriorConfig, y: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
    """The valley of each start: theta (N, D), and the sum of squares there (N,)."""
    ends = [
        (law.a, law.b) if law.kind == "uniform" else (law.a - REACH * law.b, law.a + REACH * law.b)
        for law in laws(config)
    ]
    low, high = torch.tensor(ends).double().T  # (D,) each
    damping = torch.full_like(theta[:, 0], 1e-2)
    left, slopes = _left(config, y, theta)
    squares, active = left.square().sum(1), torch.arange(len(theta))
    for _ in range(STEPS):
        own = theta[active]
        tried = (own + _step(left, slopes, own, damping[active], low, high)).clamp(low, high)
        new_left, new_slopes = _left(config, y[active], tried)
        before, new = squares[active], new_left.square().sum(1)
        better = new < before
        theta[active] = torch.where(better[:, None], tried, own)
        squares[active] = torch.where(better, new, before)
        left = torch.where(better[:, None], new_left, left)
        slopes = torch.where(better[:, None, None], new_slopes, slopes)
        damping[active] = (damping[active] * torch.where(better, 0.2, 5.0)).clamp(1e-9, 1e9)
        on = torch.where(better, before - new > 1e-6 * before, damping[active] <= 1e6)
        active, left, slopes = active[on], left[on], slopes[on]
        if not len(active):
            break
    return theta, squares


def _step(left: Tensor, slopes: Tensor, theta: Tensor, damping: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """A parameter that stands at an end of its law and would leave it is held, so that the others can still move."""
    uphill = (slopes.mT @ left[..., None])[..., 0]  # (N, D)
    held = ((theta <= low) & (uphill > 0)) | ((theta >= high) & (uphill < 0))
    free = slopes * ~held[:, None]
    normal = free.mT @ free
    size = torch.diagonal(normal, dim1=1, dim2=2)
    ridge = damping[:, None] * size + 1e-10 * size.amax(1, keepdim=True) + 1e-30
    return -torch.linalg.solve(normal + torch.diag_embed(ridge), free.mT @ left[..., None])[..., 0]


def _left(config: PriorConfig, y: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
    """What the curves leave, point by point and rule by rule (N, 2 T + 1), and its derivatives (N, 2 T + 1, D)."""
    f, slopes = with_derivatives(config, theta, y.shape[1])
    there = torch.isfinite(y)
    outside = torch.where(there, f - f.clamp(0, 1), 0.0) * PRICE
    last = there.sum(1, keepdim=True) - 1  # (N, 1)
    gain = f.gather(1, last) - f[:, :1]
    of_gain = slopes.gather(1, last[..., None].expand(-1, -1, slopes.shape[2])) - slopes[:, :1]
    left = [torch.where(there, f - y, 0.0), outside, gain.clamp(max=0) * PRICE]
    rules = [
        slopes * there[..., None],
        slopes * (outside != 0)[..., None] * PRICE,
        of_gain * (gain < 0)[..., None] * PRICE,
    ]
    return torch.cat(left, 1), torch.cat(rules, 1)


def with_derivatives(config: PriorConfig, theta: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """Sums of all families (N, T), and their derivatives (N, T, D)."""
    x = torch.arange(1, length + 1, dtype=theta.dtype)
    columns, slopes = iter(theta[..., None].unbind(1)), []
    f = torch.zeros(len(theta), length, dtype=theta.dtype)
    for name in config.curves:
        basis = BASIS[name]
        p = [next(columns) for _ in basis.laws]
        (level, amplitude), shape = basis.level_amplitude(*p), basis.shape(x, *p)
        f = f + level - amplitude * shape
        for i, law in enumerate(basis.laws):
            moved = [*p[:i], p[i] + STEP, *p[i + 1 :]]
            if law.kind == "uniform":  # a line in these
                more, wider = basis.level_amplitude(*moved)
                slopes.append((more - level - (wider - amplitude) * shape) / STEP)
            else:
                slopes.append(amplitude * (shape - basis.shape(x, *moved)) / STEP)
    return f, torch.stack(slopes, 2)
