"""Markov chains by the hundred: the stretch move of Goodman and Weare (2010) for many posteriors at once.

An ensemble of W walkers explores each of P posteriors. At each step it is dealt into two halves, and a walker jumps
along the line through itself and another of the other half; lines need no scale, so nothing is tuned. All walkers of a
half, of all posteriors, move in one call of the density: that is the main difference to the usual program, which calls
it once for each walker. The other: a rule that is dear to check is asked only of the jumps that would be taken.

Shapes: P = posteriors, W = walkers (even), D = dimensions, S = kept states of a walker.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import posterior
from curvecast.exact_bayes.moves import Cloud
from curvecast.ground.errors import demand

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
