"""The exact posterior of a curve, by tempered sequential Monte Carlo.

Three steps. A bank of curves of the prior is weighted by each observed beginning; the noise is integrated out, so a
weight needs nothing but a sum of squares. Where few of the bank carry all the weight, the beginning is first believed
only by a share beta, at which enough of them count; then beta rises to 1 in steps that keep half of the population
effective, and between the steps the population moves by Markov chains that leave the tempered posterior as it is.
At last the chains run on, and their states are the cloud that forecasts.

All this happens on several islands that share nothing, neither curves of the bank nor moves. What their answers differ
by says how well the whole is known, whatever made them differ.

Shapes: P = observed curves, R = islands, M = bank of an island, N = population of an island, D = dimensions without
ln sigma, T' = observed epochs. Rows (R P) are islands one after another, each with all curves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import Noise, PriorConfig, passes
from curvecast.exact_bayes import moves, posterior
from curvecast.exact_bayes.moves import Cloud, State, Target, clean, take
from curvecast.ground.errors import demand


@dataclass(frozen=True)
class PosteriorConfig:
    bank: int = 500_000  # of all islands
    islands: int = 8  # R
    population: int = 32  # N
    moves: int = 10  # of each member between two temperatures
    steps: int = 160  # of the chains at beta = 1
    # states of each chain, evenly spaced; those of the first quarter are left out of the cloud
    keep: int = 20

    def __post_init__(self) -> None:
        fits = self.islands >= 2 and self.population >= 2 and self.population % 2 == 0
        demand(fits, "choose two islands or more, and an even population: its halves move in turn")


class Bank(NamedTuple):
    """Curves of the prior with the parameters that made them."""

    theta: Tensor  # (M, D)
    f: Tensor  # (M, T)


class Posterior(NamedTuple):
    cloud: Cloud  # at all epochs 1 .. T
    ess_bank: Tensor  # (P,) effective number of the bank's curves, of all islands
    rises: Tensor  # (P,) how often beta had to rise, most of any island; 0: the bank was enough
    accepted: Tensor  # (P,) share of the moves that were taken at beta = 1
    ess: Tensor  # (P,) effective size of the cloud, by what its islands differ


def bank(config: PriorConfig, size: int, generator: torch.Generator) -> Bank:
    laws = posterior.laws(config)[:-1]
    x = torch.arange(1.0, config.length + 1)
    few = x[[0, 1, 4, config.length // 3, -1]]  # most that break a rule break it here
    kept, count = [], 0
    while count < size:
        u, z = (make(1 << 15, len(laws), generator=generator) for make in (torch.rand, torch.randn))
        theta = torch.stack(
            [u[:, i] * (law.b - law.a) + law.a if law.kind == "uniform" else z[:, i] * law.b + law.a
             for i, law in enumerate(laws)], 1,
        )  # fmt: skip
        theta = theta[passes(clean(config, theta, few))]
        f = clean(config, theta, x)
        keep = passes(f)
        kept.append(Bank(theta[keep], f[keep]))
        count += int(keep.sum())
    return Bank(*(torch.cat(parts)[:size] for parts in zip(*kept, strict=True)))


def exact_posterior(
    config: PriorConfig, y: Tensor, bank: Bank, generator: torch.Generator, how: PosteriorConfig = PosteriorConfig()
) -> Posterior:  # fmt: skip
    """Observed beginnings y (P, T') -> the forecast of the exact posterior at all epochs."""
    posterior.check(config, y)
    y = y.float()
    noise = Noise(config, y.shape[1])
    parts = zip(*(part.chunk(how.islands) for part in bank), strict=True)
    begun = (_from_bank(y, Bank(*part), noise, how, generator) for part in parts)
    theta, beta, ess_bank = zip(*begun, strict=True)
    target = Target(config, y.repeat(how.islands, 1), noise)  # (R P, T')
    start = torch.cat(theta)
    state, rises = _rise(State(start, *target(start)), target, torch.cat(beta), how.moves, generator)
    f, sigma, accepted = _run_on(state, target, how, generator)  # (S, R P, N, T)
    ess = _island_ess(f.unflatten(1, (how.islands, len(y))), y.shape[1])

    def whole(part: Tensor) -> Tensor:  # (S, R P, N, ...) -> (P, R S N, ...)
        return part.unflatten(1, (how.islands, len(y))).transpose(0, 2).flatten(1, 3)

    by_island = (how.islands, len(y))
    return Posterior(
        Cloud(whole(f), whole(sigma)), torch.stack(ess_bank).sum(0),
        rises.view(by_island).amax(0), accepted.view(by_island).mean(0), ess,
    )  # fmt: skip


def _from_bank(
    y: Tensor, bank: Bank, noise: Noise, how: PosteriorConfig, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """A population for each beginning, the share beta to which it believes it, and how many of the bank would count."""
    log_like = noise.log_likelihood(_squares(bank.f[:, : y.shape[1]], y))  # (P, M)
    beta = _raise(log_like, torch.zeros(len(y)), 2.0 * how.population)  # (P,)
    pick = resample(beta[:, None] * log_like, how.population, generator)  # (P, N)
    return bank.theta[pick], beta, _ess(log_like)


def _rise(
    state: State, target: Target, beta: Tensor, moves_between: int, generator: torch.Generator
) -> tuple[State, Tensor]:
    """To beta = 1 in steps that keep half of each population effective; and how many steps that took."""
    N = state.theta.shape[1]
    rises = torch.zeros(len(beta), dtype=torch.long)
    while (beta < 1).any():
        for _ in range(moves_between):
            state, _ = moves.differ(state, target, beta, generator)
        higher = _raise(state.log_like, beta, N / 2)
        pick = resample((higher - beta)[:, None] * state.log_like, N, generator)
        state = State(*(take(part, pick) for part in state))
        rises += beta < 1
        beta = higher
    return state, rises


def _run_on(
    state: State, target: Target, how: PosteriorConfig, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """The chains at beta = 1: curves f (S, R P, N, T) and sigma (S, R P, N) on their way, and the share of moves taken."""
    rows = len(state.theta)
    kept, accepted, every = [], torch.zeros(rows), max(1, how.steps // how.keep)
    for step in range(how.steps):
        state, _ = moves.differ(state, target, torch.ones(rows), generator)
        state = moves.along_lines(state, target, generator)
        state, share = moves.bend(state, target, generator)
        accepted += share / how.steps
        if step >= how.steps // 4 and step % every == every - 1:
            f = clean(target.config, state.theta, target.x)
            kept.append((f, target.noise.draw(state.squares, generator)))
    f, sigma = (torch.stack(parts) for parts in zip(*kept, strict=True))
    return f, sigma, accepted


def _squares(f: Tensor, y: Tensor) -> Tensor:
    """Sum over epochs of (f - y)^2 for every curve of the bank and every beginning.  (M, T'), (P, T') -> (P, M)

    Around the mean of y, so that the products stay small and few digits cancel."""
    centre = y.mean()
    f, y = f - centre, y - centre
    return (y.square().sum(1)[:, None] - 2 * y @ f.T + f.square().sum(1)).clamp(min=0)


def _ess(log_w: Tensor) -> Tensor:
    """(sum w)^2 / sum w^2 over the last axis."""
    w = (log_w - log_w.amax(-1, keepdim=True)).exp_()
    return w.sum(-1).square() / w.square_().sum(-1)


def _raise(log_like: Tensor, beta: Tensor, wanted: float) -> Tensor:
    """The largest exponent up to 1 for which the weights of a rise to it are worth `wanted`, by bisection."""
    low, high = torch.zeros_like(beta), (1 - beta).sqrt()  # of the root of the rise, which may be very small

    def enough(root: Tensor) -> Tensor:
        return _ess(root.square()[:, None] * log_like) >= wanted

    at_once = enough(high)
    if at_once.all():
        return torch.ones_like(beta)
    for _ in range(14):
        middle = (low + high) / 2
        good = enough(middle)
        low, high = torch.where(good, middle, low), torch.where(good, high, middle)
    return torch.where(at_once, 1.0, beta + low.square().clamp(min=1e-6)).clamp(max=1.0)


def resample(log_w: Tensor, n: int, generator: torch.Generator) -> Tensor:
    """Systematic: n places of each row (P, M), a weight w is taken n w times, rounded up or down.  -> (P, n)"""
    cumulative = log_w.double().softmax(1).cumsum(1)
    points = (torch.arange(n) + torch.rand(len(log_w), 1, generator=generator)) / n
    return torch.searchsorted(cumulative, points.double() * cumulative[:, -1:]).clamp(max=log_w.shape[1] - 1)


def _island_ess(f: Tensor, seen: int) -> Tensor:
    """Effective size of curves f (S, R, P, N, T) on R islands, from how the islands' answers differ.  -> (P,)

    The answers are the shares of curves below the quartiles of all, at three hidden epochs. A share of n independent
    curves has the variance q (1 - q) / n; what it really varies by between islands gives n. Nine answers are averaged,
    since a variance over R islands is itself poorly known. Never more than the number of curves."""
    S, R, P, N, T = f.shape
    where = torch.tensor([seen, (seen + T) // 2, T - 1]).clamp(max=T - 1)
    values = f[..., where].permute(1, 2, 4, 0, 3).reshape(R, P, 3, S * N)
    ratios = []
    for q in (0.25, 0.5, 0.75):
        level = values.transpose(0, 2).flatten(2).quantile(q, 2)  # (3, P)
        shares = (values <= level.T[None, :, :, None]).float().mean(-1)  # (R, P, 3)
        ratios.append(shares.var(0) / (q * (1 - q)))
    one = torch.cat(ratios, 1).mean(1)  # (P,): 1 / effective size of one island
    return R / one.clamp(min=1 / (S * N))
