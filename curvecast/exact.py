"""The judge: a forecast by the exact posterior, as nearly as sampling can have it.

Three steps. A bank of curves of the prior is weighted by each observed beginning; the noise is integrated out, so a
weight needs nothing but a sum of squares. Where few of the bank carry all the weight, the beginning is first believed
only by a share beta, at which enough of them count; then beta rises to 1 in steps that keep half of the population
effective, and between the steps the population moves by Markov chains that leave the tempered posterior as it is.
At last the chains run on, and their states are the cloud that forecasts.

Shapes: P = observed curves, M = bank, N = population of each, D = dimensions without ln sigma, T' = observed epochs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast import moves, posterior
from curvecast.cloud import Cloud
from curvecast.moves import State, Target, clean, take
from curvecast.noise import Noise
from curvecast.prior import PriorConfig, passes


@dataclass(frozen=True)
class JudgeConfig:
    bank: int = 500_000  # M
    population: int = 256  # N
    moves: int = 10  # of each member between two temperatures
    steps: int = 600  # of the chains at beta = 1
    keep: int = 20  # states of each chain that make the cloud


class Bank(NamedTuple):
    """Curves of the prior with the parameters that made them."""

    theta: Tensor  # (M, D)
    f: Tensor  # (M, T)


class Verdict(NamedTuple):
    cloud: Cloud  # at all epochs 1 .. T
    ess_bank: Tensor  # (P,) effective number of the bank's curves
    temperatures: Tensor  # (P,) how many rises of beta were needed; 0: the bank was enough
    accepted: Tensor  # (P,) share of the moves that were taken at beta = 1
    ess: Tensor  # (P,) effective number of states if all chains began independently; N: none moved


def bank(config: PriorConfig, size: int, generator: torch.Generator) -> Bank:
    laws = posterior.laws(config)[:-1]
    x = torch.arange(1.0, config.length + 1)
    kept, found = [], 0
    while found < size:
        u, z = (make(1 << 15, len(laws), generator=generator) for make in (torch.rand, torch.randn))
        theta = torch.stack(
            [u[:, i] * (law.b - law.a) + law.a if law.kind == "uniform" else z[:, i] * law.b + law.a
             for i, law in enumerate(laws)], 1,
        )  # fmt: skip
        few = x[[0, 1, 4, config.length // 3, -1]]
        theta = theta[passes(clean(config, theta, few))]
        f = clean(config, theta, x)
        keep = passes(f)
        kept.append(Bank(theta[keep], f[keep]))
        found += int(keep.sum())
    return Bank(*(torch.cat(parts)[:size] for parts in zip(*kept, strict=True)))


def judge(
    config: PriorConfig, y: Tensor, bank: Bank, generator: torch.Generator, how: JudgeConfig = JudgeConfig()
) -> Verdict:  # fmt: skip
    """Observed beginnings y (P, T') -> the forecast of the exact posterior at all epochs."""
    posterior.check(config, y)
    P, n, N = len(y), y.shape[1], how.population
    noise = Noise(config, n)
    S = _squares(bank.f[:, :n], y)  # (P, M)
    log_like = noise.log_likelihood(S)
    ess_bank = _ess(log_like)
    beta = _raise(log_like, torch.zeros(P), 2.0 * N)  # (P,)
    pick = _resample(beta[:, None] * log_like, N, generator)  # (P, N)
    theta = bank.theta[pick]  # (P, N, D)
    target = Target(config, y, noise)
    state = State(theta, *target(theta))
    rises = torch.zeros(P, dtype=torch.long)
    while (beta < 1).any():
        for _ in range(how.moves):
            state, _ = moves.differ(state, target, beta, generator)
        higher = _raise(state.log_like, beta, N / 2)
        pick = _resample((higher - beta)[:, None] * state.log_like, N, generator)
        state = State(*(take(part, pick) for part in state))
        rises += beta < 1
        beta = higher
    kept, accepted = [], torch.zeros(P)
    every = max(1, how.steps // how.keep)
    for step in range(how.steps):
        state, _ = moves.differ(state, target, beta, generator)
        state = moves.along_lines(state, target, generator)
        state, share = moves.bend(state, target, generator)
        accepted += share / how.steps
        if step >= how.steps // 4 and step % every == every - 1:
            kept.append((clean(config, state.theta, target.x), noise.draw(state.squares, generator)))
    f, sigma = (torch.cat(parts, 1) for parts in zip(*kept, strict=True))
    ends = torch.stack([part[..., -1] for part, _ in kept])  # (keep, P, N)
    return Verdict(Cloud(f, sigma), ess_bank, rises, accepted, _chain_ess(ends))


def _squares(f: Tensor, y: Tensor) -> Tensor:
    """Sum over epochs of (f - y)^2 for every curve of the bank and every beginning.  (M, T'), (P, T') -> (P, M)

    Around the mean of y, so that the products stay small and few digits cancel."""
    centre = y.mean()
    f, y = f - centre, y - centre
    return (y.square().sum(1)[:, None] - 2 * y @ f.T + f.square().sum(1)).clamp(min=0)


def _ess(log_w: Tensor) -> Tensor:
    """(sum w)^2 / sum w^2 over the last axis."""
    return torch.exp(2 * log_w.logsumexp(-1) - (2 * log_w).logsumexp(-1))


def _raise(log_like: Tensor, beta: Tensor, wanted: float) -> Tensor:
    """The largest exponent up to 1 from which on the weights would be worth fewer than `wanted`, by bisection."""
    low, high = beta.clone(), torch.ones_like(beta)
    enough = _ess((high - beta)[:, None] * log_like) >= wanted
    for _ in range(20):
        middle = (low + high) / 2
        good = _ess((middle - beta)[:, None] * log_like) >= wanted
        low, high = torch.where(good, middle, low), torch.where(good, high, middle)
    return torch.where(enough, 1.0, torch.maximum(low, beta + 1e-6)).clamp(max=1.0)


def _resample(log_w: Tensor, n: int, generator: torch.Generator) -> Tensor:
    """Systematic: n places of each row (P, M), a weight w is taken n w times, rounded up or down.  -> (P, n)"""
    cumulative = log_w.double().softmax(1).cumsum(1)
    points = (torch.arange(n) + torch.rand(len(log_w), 1, generator=generator)) / n
    return torch.searchsorted(cumulative, points.double() * cumulative[:, -1:]).clamp(max=log_w.shape[1] - 1)


def _chain_ess(values: Tensor) -> Tensor:
    """Effective number of states (S, P, N) of N chains each, from how the chains' means differ.  -> (P,)

    Chains that moved enough have means that differ by what S independent states would: the ratio of the variances
    within and between chains says how many states one chain is worth. It cannot say whether the N began independently,
    so it is never below N: it measures how far chains move, not whether the population was right to begin with."""
    S, _, N = values.shape
    within, means = values.var(0).mean(-1), values.mean(0)  # (P,), (P, N)
    between = means.var(-1)
    return (N * (within + between) / between.clamp(min=1e-30)).clamp(max=S * N)
