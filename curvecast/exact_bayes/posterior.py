"""What a curve's beginning says about the parameters of the prior: the posterior that an exact forecast averages over.

A point theta (..., D) holds, for each family, its weight and its parameters, and last ln sigma: D = 13 for the
paper's three families. The density is the prior's own: laws of the parameters, the rules that a curve must keep
(inside [0, 1] at all epochs, last above first), and independent normal noise around the observed points.

Shapes: P = observed curves, W = points of theta for each, T' = observed epochs, T = all epochs.
"""

import math

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, WEIGHT, Law, PriorConfig, passes, weighted_sum
from curvecast.ground.errors import UserError, demand


def laws(config: PriorConfig) -> list[Law]:
    """One for each dimension of theta."""
    of_families = (law for name in config.curves for law in (WEIGHT, *BASIS[name].laws))
    return [*of_families, Law("normal", config.log_sigma_mean, config.log_sigma_sd)]


def curves(config: PriorConfig, theta: Tensor, x: Tensor) -> Tensor:
    """Noise-free values of theta (..., D) at epochs x (T,)  -> (..., T)"""
    weights, parameters = _families(config, theta.reshape(-1, theta.shape[-1]))
    return weighted_sum(config, x, weights, parameters).view(*theta.shape[:-1], len(x))


def _families(config: PriorConfig, theta: Tensor) -> tuple[list[Tensor], list[list[Tensor]]]:
    """theta (n, D) taken apart -> weights K x (n, 1), parameters K x the family's x (n, 1)"""
    columns = iter(theta[..., None].unbind(1))
    weights, parameters = [], []
    for name in config.curves:
        weights.append(next(columns))
        parameters.append([next(columns) for _ in BASIS[name].laws])
    return weights, parameters


def log_prior(config: PriorConfig, theta: Tensor) -> Tensor:
    """Log density of the laws alone, up to a constant; -inf outside their bounds.  (..., D) -> (...)"""
    normal = [law.kind == "normal" for law in laws(config)]
    ends = [(-math.inf, math.inf) if law.kind == "normal" else (law.a, law.b) for law in laws(config)]
    low, high = theta.new_tensor(ends).unbind(1)  # (D,)
    outside = ((theta < low) | (theta > high)).any(-1)
    a, b = theta.new_tensor([(law.a, law.b) for law in laws(config) if law.kind == "normal"]).unbind(1)
    total = ((theta[..., normal] - a) / b).square().sum(-1) / -2
    return total.masked_fill_(outside, -math.inf)


def log_density(config: PriorConfig, theta: Tensor, y: Tensor) -> Tensor:
    """Laws and likelihood of theta (P, W, D) given y (P, T') at epochs 1..T', up to a constant of each curve.  -> (P, W)

    It needs the observed epochs only; whether the curve keeps the rules is asked apart, see `allowed`."""
    total = log_prior(config, theta)
    inside = torch.isfinite(total).flatten().nonzero()[:, 0]
    points, n = theta.flatten(0, 1)[inside], y.shape[1]
    f = curves(config, points, torch.arange(1, n + 1, dtype=theta.dtype))
    squares = (f - y[inside // theta.shape[1]]).square().sum(1)
    log_sigma = points[:, -1]
    total.view(-1)[inside] -= n * log_sigma + squares / 2 * torch.exp(-2 * log_sigma)
    return total


def allowed(config: PriorConfig, theta: Tensor) -> Tensor:
    """Do the curves of theta (n, D) keep the rules of the prior at all epochs?

    A few epochs settle most: a curve that breaks a rule there is out; one whose bounds between them keep it is in."""
    x = torch.arange(1, config.length + 1, dtype=theta.dtype)
    few = x[sorted({0, 1, 3, 8, config.length // 4, config.length - 1} & set(range(config.length)))]
    f, low, high = _bounds(config, theta, few)
    good = passes(f)
    unsure = (good & ~((low >= 0) & (high <= 1))).nonzero()[:, 0]
    good[unsure] = passes(curves(config, theta[unsure], x))
    return good


def _bounds(config: PriorConfig, theta: Tensor, few: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Curves of theta (n, D) at few epochs (n, few), and what they cannot leave in between, lowest and highest (n,).

    Each family rises or falls throughout. So between two epochs a curve is at most its falling families at the first
    with its rising ones at the second, and at least the other way round."""
    level = theta.new_zeros(len(theta), 1)
    rising, falling = theta.new_zeros(2, len(theta), len(few))
    for name, w, p in zip(config.curves, *_families(config, theta), strict=True):
        own_level, amplitude = BASIS[name].level_amplitude(*p)
        shape = BASIS[name].shape(few, *p)  # falls from epoch to epoch, in every family
        level += w * own_level
        rising.addcmul_((w * amplitude).clamp(min=0), shape, value=-1)
        falling.addcmul_((w * amplitude).clamp(max=0), shape, value=-1)
    rising += level
    low, high = rising[:, :-1] + falling[:, 1:], rising[:, 1:] + falling[:, :-1]
    return rising + falling, low.amin(1), high.amax(1)


def log_posterior(config: PriorConfig, theta: Tensor, y: Tensor) -> Tensor:
    """Laws, likelihood and rules: theta (P, W, D), y (P, T') -> (P, W)"""
    keeps = allowed(config, theta.flatten(0, 1)).view(theta.shape[:2])
    return torch.where(keeps, log_density(config, theta, y), -math.inf)


def check(config: PriorConfig, y: Tensor) -> None:
    """A complaint about a beginning (P, T') that the prior cannot have made."""
    demand(torch.isfinite(y).all(), "observed points have NaN or infinity: leave these curves out")
    noise = (y - y.clamp(0, 1)).square().mean(1).sqrt()  # (P,) the least that could carry them out of [0, 1]
    most = math.exp(config.log_sigma_mean + 4 * config.log_sigma_sd)
    if (noise > most).any():
        curve = int((noise > most).nonzero()[0])
        raise UserError(
            f"curve {curve} (counted from 0) lies so far outside [0, 1] that the prior gives it no mass: it would take noise "
            f"of {float(noise[curve]):.3g}, and {most:.3g} is the most; are the values in percent, or a loss?"
        )
