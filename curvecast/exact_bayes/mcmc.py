"""Markov chains by the hundred: the stretch move of Goodman and Weare (2010) for many posteriors at once.

An ensemble of W walkers explores each of P posteriors. At each step it is dealt into two halves, and a walker jumps
along the line through itself and another of the other half; lines need no scale, so nothing is tuned. All walkers of a
half, of all posteriors, move in one call of the density: that is the main difference to the usual program, which calls
it once for each walker. The other: a rule that is dear to check is asked only of the jumps that would be taken.

Shapes: P = posteriors, W = walkers (even), D = dimensions, S = kept states of a walker.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, PriorConfig
from curvecast.exact_bayes import posterior
from curvecast.exact_bayes.moves import Cloud
from curvecast.ground.errors import UserError, demand

STRETCH = 2.0  # a of the paper: jumps reach from 1/a to a times the distance

LogDensity = Callable[[Tensor], Tensor]  # theta (P, W, D) -> (P, W)
Rule = Callable[[Tensor], Tensor]  # theta (n, D) -> (n,), true where it may be


class Chain(NamedTuple):
    theta: Tensor  # (S, P, W, D)
    log_density: Tensor  # (S, P, W)
    accepted: Tensor  # (P,) share of the jumps that were taken


def ensemble(
    log_density: LogDensity, start: Tensor, steps: int, generator: torch.Generator, burn_in: int = 0, thin: int = 1,
    rule: Rule | None = None,
) -> Chain:  # fmt: skip
    """`burn_in` steps that are forgotten, then `steps` of which each `thin`-th is kept; a step moves every walker once."""
    P, W, D = start.shape
    theta = start.clone()
    here = log_density(theta)  # (P, W)
    stuck = (~torch.isfinite(here)).sum(1)
    demand(not stuck.any(), f"{int(stuck.sum())} walkers start where the density is zero: begin elsewhere")
    kept, densities = [], []
    accepted = torch.zeros(P)
    halves = (slice(0, W // 2), slice(W // 2, W))
    who = torch.arange(W)  # which walker stands at each place
    for step in range(burn_in + steps):
        deal = torch.randperm(W, generator=generator)  # the same halves for ever would mix far worse
        theta, here, who = theta[:, deal], here[:, deal], who[deal]
        for own, others in (halves, halves[::-1]):
            u = torch.rand(3, P, W // 2, generator=generator)
            z = ((STRETCH - 1) * u[0] + 1).square() / STRETCH  # density ~ 1 / sqrt(z) on [1/a, a]
            partner = (u[1] * (W // 2)).long()[..., None].expand(-1, -1, D)
            anchor = theta[:, others].gather(1, partner)  # (P, W/2, D)
            proposal = anchor + z[..., None] * (theta[:, own] - anchor)
            there = log_density(proposal)
            taken = u[2].log() < (D - 1) * z.log() + there - here[:, own]  # (P, W/2)
            if rule:
                would = taken.flatten().nonzero()[:, 0]
                taken.view(-1)[would] = rule(proposal.flatten(0, 1)[would])
            theta[:, own] = torch.where(taken[..., None], proposal, theta[:, own])
            here[:, own] = torch.where(taken, there, here[:, own])
            if step >= burn_in:
                accepted += taken.float().mean(1) / (2 * steps)
        if step >= burn_in and (step - burn_in) % thin == thin - 1:
            place = who.argsort()  # each walker back in its own column
            kept.append(theta[:, place])
            densities.append(here[:, place])
    return Chain(torch.stack(kept), torch.stack(densities), accepted)


def cloud(config: PriorConfig, theta: Tensor) -> Cloud:
    """States of a chain over the prior's parameters, theta (P, N, D) -> their forecast at all epochs."""
    x = torch.arange(1, config.length + 1, dtype=theta.dtype)
    return Cloud(posterior.curves(config, theta, x), theta[..., -1].exp())


# -----------------------------------------------------------------------------------------------------------
# Where chains begin, as in the paper: each family alone by least squares, all weights equal, a ball around that point.
#
# A family is linear in its level and its amplitude; only its exponents are searched, on a grid that zooms in on its
# best point. A level or amplitude outside its law is brought back to the edge: without that two starts of three would be
# outside the prior. Where the curve breaks a rule all the same, a default takes its place: that of Domhan's program.
#
# Shapes: P = observed curves, D = dimensions of theta, T' = observed epochs, G = points of a grid, W = walkers.

DEFAULT = {  # in the order of each family's laws, exponents as logarithms
    "pow3": (0.84, 0.52, -4.6),
    "ilog2": (0.78, 0.43),
    "janoschek": (0.73, 0.07, -1.04, -0.78),
}
GRID, ZOOMS = 15, 6  # points along each exponent; each zoom looks at a fourth of the width
MARGIN = 0.01  # of a law's width, between its edge and what is brought back: walkers need room
FEW = 3  # points that every family meets, whatever its exponents: they say nothing of them
SD_FLOOR = 1e-3  # two points are met exactly: nobody believes that there is no noise


def point(config: PriorConfig, y: Tensor) -> Tensor:
    """Observed beginnings (P, T') at epochs 1, 2, ... -> one point of theta for each, (P, D), where the prior has mass."""
    posterior.check(config, y)
    fitted = torch.cat([_least_squares(config, name, y) for name in config.curves], 1)  # (P, D - 1)
    default = torch.cat([torch.tensor([1 / len(config.curves), *DEFAULT[name]]) for name in config.curves])
    theta = _with_noise(config, fitted, y)
    legal = torch.isfinite(posterior.log_posterior(config, theta[:, None], y)) & (y.shape[1] > FEW)
    return torch.where(legal, theta, _with_noise(config, default.expand_as(fitted), y))


def ball(
    config: PriorConfig, y: Tensor, walkers: int, generator: torch.Generator, radius: float = 1e-4
) -> Tensor:
    """Walkers (P, W, D) in a normal ball around the point, all of them where the prior has mass."""
    centre = point(config, y)[:, None]  # (P, 1, D)
    theta = centre.repeat(1, walkers, 1)
    outside = torch.ones(theta.shape[:2], dtype=torch.bool)
    for _ in range(100):
        tried = centre + radius * torch.randn(theta.shape, generator=generator)
        theta = torch.where(outside[..., None], tried, theta)
        outside = ~torch.isfinite(posterior.log_posterior(config, theta, y))
        if not outside.any():
            return theta
    way = "take another beginning, or fewer walkers"
    raise UserError(f"no room for {walkers} walkers within {radius} of the start: {way}")


def chains(
    config: PriorConfig, y: Tensor, walkers: int, steps: int, generator: torch.Generator, burn_in: int = 0, thin: int = 1
) -> Chain:  # fmt: skip
    """The paper’s chains, which begin in the ball: what the prior believes of curves that begin with y (P, T’)."""
    return ensemble(
        lambda theta: posterior.log_density(config, theta, y), ball(config, y, walkers, generator), steps, generator,
        burn_in, thin, rule=lambda theta: posterior.allowed(config, theta),
    )  # fmt: skip


def _least_squares(config: PriorConfig, name: str, y: Tensor) -> Tensor:
    """Weight 1 / K and the parameters of one family that alone fit y best.  -> (P, 1 + parameters)"""
    laws = [law for law in BASIS[name].laws if law.kind == "normal"]
    middle = torch.tensor([law.a for law in laws]).expand(len(y), -1)  # (P, B), B = 0, 1 or 2 exponents
    reach = torch.tensor([3.0 * law.b for law in laws])
    line = torch.linspace(-1, 1, GRID).tolist()
    steps = torch.tensor(list(product(line, repeat=len(laws))))  # (G, B)
    for _ in range(ZOOMS):
        bends = middle[:, None] + reach * steps  # (P, G, B)
        linear, squares = _level_and_amplitude(name, bends, y)
        best = squares.argmin(1)[:, None, None]  # (P, 1, 1)
        middle = bends.gather(1, best.expand(-1, -1, len(laws)))[:, 0]
        reach = reach / 4
    values = linear.gather(1, best.expand(-1, -1, 2))[:, 0].to(y)
    ends = torch.tensor([(law.a, law.b) for law in BASIS[name].laws if law.kind == "uniform"])
    room = MARGIN * (ends[:, 1] - ends[:, 0])
    values = torch.minimum(torch.maximum(values, ends[:, 0] + room), ends[:, 1] - room)
    return torch.cat([torch.full((len(y), 1), 1 / len(config.curves)), values, middle], 1)


def _level_and_amplitude(name: str, bends: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The two linear parameters at each point of the grid, by regression on the shape.  -> (P, G, 2), (P, G)"""
    P, G, _ = bends.shape
    basis, x = BASIS[name], torch.arange(1.0, y.shape[1] + 1)
    exponents = bends.reshape(P * G, -1, 1).unbind(1)
    flat = torch.zeros(P * G, 1)  # the shape does not depend on the linear parameters
    shape = basis.shape(x, flat, flat, *exponents).expand(P * G, -1).view(P, G, -1).double()
    centred = shape - shape.mean(2, keepdim=True)
    target = (y.double() - y.double().mean(1, keepdim=True))[:, None]
    slope = (centred * target).sum(2) / centred.square().sum(2).clamp(min=1e-12)  # (P, G)
    squares = (target - slope[..., None] * centred).square().sum(2)
    level = y.double().mean(1)[:, None] - slope * shape.mean(2)
    exponents_do_not_enter = [0.0] * bends.shape[2]
    units = [basis.level_amplitude(*unit, *exponents_do_not_enter) for unit in ((1.0, 0.0), (0.0, 1.0))]
    solved = torch.stack([level, -slope], -1) @ torch.linalg.inv(torch.tensor(units).double())
    return solved, squares


def _with_noise(config: PriorConfig, theta: Tensor, y: Tensor) -> Tensor:
    """theta without ln sigma (P, D - 1) -> with that of its residuals (P, D)"""
    x = torch.arange(1.0, y.shape[1] + 1)
    padded = torch.cat([theta, torch.zeros(len(theta), 1)], 1)
    sd = (posterior.curves(config, padded, x) - y).square().mean(1).sqrt().clamp(min=SD_FLOOR)
    return torch.cat([theta, sd.log()[:, None]], 1)
