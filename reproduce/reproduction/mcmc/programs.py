"""The paper's chains in all their settings, networks with their seconds, and a race of all.

Chains are run as emcee's function calls, and for many curves at once. One chain serves all settings that have its number of
walkers: a setting takes `samples` steps after `burn` of it and keeps every `thin`-th. Its seconds are those of so many steps,
and of its own forecast; both programs forecast alike.

Shapes: P = curves, S = kept steps, W = walkers, D = dimensions, N = members of a forecast, T = epochs, Q = future points.
"""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import mcmc
from curvecast.exact_bayes.moves import Cloud
from curvecast.networks.model import PFN

CONFIG = prior.PriorConfig()
SHARE = 5  # the steps of all curves at once are timed on a fifth of them, their forecasts on as many states as the whole has
THINNED = "emcee, thinned"  # the same chain, forecast from as few of its states as the chains at once are
FORECAST = 20  # curves that chains and networks forecast in a round


class Setting(NamedTuple):
    samples: int
    walkers: int
    burn: int
    thin: int

    @property
    def name(self) -> str:  # as in the paper's table
        return "/".join(str(number) for number in self)


M1, M2, M3 = Setting(2000, 100, 500, 1), Setting(4000, 100, 100, 100), Setting(4000, 100, 500, 1)
GRID = (  # the paper's, from the cheapest to the most expensive; every twentieth state is ours
    Setting(100, 26, 0, 1), Setting(100, 26, 50, 1), Setting(250, 26, 100, 1), Setting(500, 50, 100, 1),
    Setting(1000, 50, 500, 1), Setting(1000, 100, 500, 10), M1._replace(thin=10), M1, M2,
    M3._replace(thin=100), M3._replace(thin=10), M3._replace(thin=20), M3,
)  # fmt: skip


class Chain(NamedTuple):
    """What either program hands over."""

    theta: Tensor  # (S, W, D) of one curve
    every: int  # steps between two kept ones
    seconds_a_step: float  # of one curve
    accepted: float


def function_calls(y: Tensor, walkers: int, steps: int, seed: int) -> Chain:
    """One curve (T',), with emcee."""
    from reproduce.reproduction.mcmc import emcee_chains  # emcee is not everywhere

    theta, seconds, accepted = emcee_chains.run(CONFIG, y, walkers, steps, seed)
    return Chain(theta, 1, seconds, accepted)


def kept(steps: int) -> int:
    """Of so many steps a vectorised chain keeps every such state: all of a long one would fill the memory."""
    return 10 if steps > 2000 else 1


def vectorised(y: Tensor, walkers: int, steps: int, seed: int, every: int) -> list[Chain]:
    """All curves (P, T') at once."""
    begin = time.perf_counter()
    chain = mcmc.chains(CONFIG, y, walkers, steps, torch.Generator().manual_seed(seed), thin=every)
    seconds = (time.perf_counter() - begin) / steps / len(y)
    return [
        Chain(theta, every, seconds, share)
        for theta, share in zip(chain.theta.unbind(1), chain.accepted.tolist(), strict=True)
    ]


def rows(
    method: str, curve: int, y: Tensor, cutoff: int, chain: Chain, settings: list[Setting]
) -> pd.DataFrame:
    """A row for each setting that the chain allows: its score on the future points of y (T,), and its seconds."""
    from reproduce.reproduction.mcmc import emcee_chains

    tau = chain.every * emcee_chains.tau(chain.theta.double().numpy())  # in steps
    lines = []
    for setting in (setting for setting in settings if setting.thin % chain.every == 0):
        ll, seconds = reached(chain, setting, y, cutoff)
        lines.append({
            "method": method, "setting": setting.name, "cutoff": cutoff, "curve": curve, "ll": ll, "seconds": seconds,
            "accepted": chain.accepted, "tau": tau, "converged": setting.samples >= 50 * tau,
        })  # fmt: skip
    return pd.DataFrame(lines)


def reached(chain: Chain, setting: Setting, y: Tensor, cutoff: int) -> tuple[float, float]:
    """Log-likelihood of the future points of y (T,), and the seconds of the steps and of the forecast by the members that
    the setting keeps."""
    begin, thin = time.perf_counter(), setting.thin // chain.every
    states = chain.theta[setting.burn // chain.every : (setting.burn + setting.samples) // chain.every]
    ll = log_density(mcmc.cloud(CONFIG, states[thin - 1 :: thin].flatten(0, 1)[None]), y, cutoff)
    return ll, chain.seconds_a_step * (setting.burn + setting.samples) + time.perf_counter() - begin


def log_density(cloud: Cloud, y: Tensor, cutoff: int, portion: int = 4000) -> float:
    """Mean over the future points of y (T,), from some members at a time, which stay in the cache."""
    f, sigma, hidden = cloud.f[0, :, cutoff:], cloud.sigma[0, :, 0], y[cutoff:]
    parts = [
        Cloud(some[None], sd[None]).log_density(hidden[None])[0] + math.log(len(some) / len(f))
        for some, sd in zip(f.split(portion), sigma.split(portion), strict=True)
    ]
    return torch.stack(parts).logsumexp(0).mean().item()


# ------------------------------------------------------------ networks


def network_forecasts(name: str, model: PFN, y: Tensor, cutoff: int) -> pd.DataFrame:
    """One curve a call, as emcee works, and all in one call, as the vectorised chains do; each is warmed up once."""
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    frames = []
    with torch.no_grad():
        for method, calls in ((name, y.split(1)), (f"{name}, all at once", y.split(len(y)))):
            ll, seconds = [], []
            for some in (calls[0], *calls):
                n, begin = len(some), time.perf_counter()
                nats = model.log_density(x[:n, :cutoff], some[:, :cutoff], x[:n, cutoff:], some[:, cutoff:])
                ll += nats.mean(1).tolist()
                seconds += [(time.perf_counter() - begin) / n] * n
            frames.append(frame(method, cutoff, ll[-len(y) :], seconds[-len(y) :]))
    return pd.concat(frames, ignore_index=True)


def frame(method: str, cutoff: int, ll: list[float], seconds: list[float]) -> pd.DataFrame:
    columns = {"method": method, "cutoff": cutoff, "curve": range(len(ll)), "ll": ll, "seconds": seconds}
    return pd.DataFrame(columns)


# ------------------------------------------------------------ the race


def rounds(
    n: int, y: Tensor, cutoffs: Sequence[int], longest: Setting, sparse: Setting, networks: dict[str, PFN], seed: int
) -> pd.DataFrame:  # fmt: skip
    """Seconds a curve of all, n times; emcee takes one curve of y (P, T) in a round, chains at once all, networks some.

    In each round every one of them runs once, so that a busy moment of the machine hits all, and a round is one measurement:
    what was run for many curves at once is one time and not many.
    """
    return pd.DataFrame(
        {"cutoff": cutoff, "round": number, "method": method, "seconds": seconds}
        for number, cutoff in product(range(n), cutoffs)
        for method, seconds in _round(y, cutoff, longest, sparse, networks, seed + number, number % len(y))
    )


def _round(
    y: Tensor, cutoff: int, longest: Setting, sparse: Setting, networks: dict[str, PFN], seed: int, curve: int
) -> Iterator[tuple[str, float]]:
    steps, few = longest.burn + longest.samples, y[:FORECAST]
    chain = function_calls(y[curve, :cutoff], longest.walkers, steps, seed)
    yield "emcee", reached(chain, longest, y[curve], cutoff)[1]
    yield THINNED, reached(chain, sparse, y[curve], cutoff)[1]
    every = kept(steps)  # as the whole chain would: to keep a state costs time
    chains = vectorised(y[:, :cutoff], sparse.walkers, steps // SHARE, seed, every)[: len(few)]
    whole_ones = [one._replace(theta=one.theta.repeat(SHARE, 1, 1)) for one in chains]
    seconds = [reached(one, sparse, mine, cutoff)[1] for one, mine in zip(whole_ones, few, strict=True)]
    begin = time.perf_counter()
    mcmc.ball(CONFIG, y[:, :cutoff], sparse.walkers, torch.Generator().manual_seed(seed))
    again = (SHARE - 1) * (time.perf_counter() - begin) / len(y)  # a whole chain is begun once
    yield "vectorised", sum(seconds) / len(few) - again
    for name, model in networks.items():
        for method, mine in network_forecasts(name, model, few, cutoff).groupby("method"):
            yield str(method), mine["seconds"].mean()
