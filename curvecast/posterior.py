"""What a curve's beginning says about the parameters of the prior: the posterior that an exact forecast averages over.

A point theta (..., D) holds, for each family, its weight and its parameters, and last ln sigma: D = 13 for the
paper's three families. The density is the prior's own: laws of the parameters, the rules that a curve must keep
(inside [0, 1] at all epochs, last above first), and independent normal noise around the observed points.

Shapes: P = observed curves, W = points of theta for each, T' = observed epochs, T = all epochs.
"""

import math

import torch
from torch import Tensor

from curvecast.errors import UserError
from curvecast.prior import BASIS, WEIGHT, Law, PriorConfig, passes, weighted_sum


def laws(config: PriorConfig) -> list[Law]:
    """One for each dimension of theta."""
    found = []
    for name in config.curves:
        found += [WEIGHT, *BASIS[name].laws]
    return [*found, Law("normal", config.log_sigma_mean, config.log_sigma_sd)]


def curves(config: PriorConfig, theta: Tensor, x: Tensor) -> Tensor:
    """Noise-free values of theta (..., D) at epochs x (T,)  -> (..., T)"""
    columns = iter(theta.reshape(-1, theta.shape[-1], 1).unbind(1))  # D x (n, 1)
    weights, parameters = [], []
    for name in config.curves:
        weights.append(next(columns))
        parameters.append([next(columns) for _ in BASIS[name].laws])
    return weighted_sum(config, x, weights, parameters).view(*theta.shape[:-1], len(x))


def log_prior(config: PriorConfig, theta: Tensor) -> Tensor:
    """Log density of the laws alone, up to a constant; -inf outside their bounds.  (..., D) -> (...)"""
    total = torch.zeros(theta.shape[:-1], dtype=theta.dtype, device=theta.device)
    for value, law in zip(theta.unbind(-1), laws(config), strict=True):
        if law.kind == "normal":
            total = total - ((value - law.a) / law.b).square() / 2
        else:
            total = total.masked_fill((value < law.a) | (value > law.b), -math.inf)
    return total


def log_posterior(config: PriorConfig, theta: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Log density of theta (P, W, D) given y (P, T') at epochs 1..T', up to a constant of each curve.

    -> (P, W), and the curves (P, W, T) that it had to compute anyway.
    """
    x = torch.arange(1, config.length + 1, dtype=theta.dtype, device=theta.device)
    f = curves(config, theta, x)  # (P, W, T)
    n = y.shape[1]
    log_sigma = theta[..., -1]
    squares = (f[..., :n] - y[:, None]).square().sum(-1)  # (P, W)
    fit = -n * log_sigma - squares / 2 * torch.exp(-2 * log_sigma)
    total = log_prior(config, theta) + fit
    keeps = passes(f.flatten(0, -2)).view(total.shape)
    return torch.where(keeps, total, -math.inf), f


def check(config: PriorConfig, y: Tensor) -> None:
    """A complaint about a beginning (P, T') from which nothing can be inferred."""
    if y.ndim != 2 or not 1 <= y.shape[1] < config.length:
        raise UserError(
            f"observed {list(y.shape)}: want (curves, epochs) with 1 to {config.length - 1} epochs"
        )
    bad = (~torch.isfinite(y)).any(1).nonzero().flatten()
    if len(bad):
        raise UserError(
            f"{len(bad)} curves have NaN or infinity among their observed points, first curve {int(bad[0])}"
        )
