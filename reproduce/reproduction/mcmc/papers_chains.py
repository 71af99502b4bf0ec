"""The paper's chains in all their settings: emcee's function calls, and the same chains for many curves at once.

One chain serves all settings that have its number of walkers: a setting takes `samples` steps after `burn` of it and
keeps every `thin`-th. Its seconds are those of so many steps, and of its own forecast; both programs forecast alike.

Shapes: P = curves, S = kept steps, W = walkers, D = dimensions, N = members of a forecast, T = epochs, Q = future points.
"""

import math
import time
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import mcmc, posterior, start
from curvecast.exact_bayes.cloud import Cloud

CONFIG = prior.PriorConfig()


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

    run = emcee_chains.run(CONFIG, y, walkers, steps, seed)
    return Chain(run.theta, 1, run.seconds_a_step, run.accepted)


def kept(steps: int) -> int:
    """Of so many steps a vectorised chain keeps every such state: all of a long one would fill the memory."""
    return 10 if steps > 2000 else 1


def vectorised(y: Tensor, walkers: int, steps: int, seed: int, every: int) -> list[Chain]:
    """All curves (P, T') at once."""
    generator = torch.Generator().manual_seed(seed)
    begin = time.perf_counter()
    chain = mcmc.ensemble(
        lambda theta: posterior.log_density(CONFIG, theta, y), start.ball(CONFIG, y, walkers, generator), steps,
        generator, thin=every, rule=lambda theta: posterior.allowed(CONFIG, theta),
    )  # fmt: skip
    seconds = (time.perf_counter() - begin) / steps / len(y)
    return [
        Chain(theta, every, seconds, share)
        for theta, share in zip(chain.theta.unbind(1), chain.accepted.tolist(), strict=True)
    ]


def forecast(chain: Chain, setting: Setting) -> Cloud:
    """The members that a setting keeps, as the forecast of one curve at all epochs."""
    thin = setting.thin // chain.every
    states = chain.theta[setting.burn // chain.every : (setting.burn + setting.samples) // chain.every]
    return mcmc.cloud(CONFIG, states[thin - 1 :: thin].flatten(0, 1)[None])


def rows(
    method: str, curve: int, y: Tensor, cutoff: int, chain: Chain, settings: list[Setting]
) -> pd.DataFrame:
    """A row for each setting that the chain allows: its score on the future points of y (T,), and its seconds."""
    from reproduce.reproduction.mcmc import emcee_chains

    tau = chain.every * emcee_chains.tau(chain.theta.double().numpy())  # in steps
    found = []
    for setting in (setting for setting in settings if setting.thin % chain.every == 0):
        ll, seconds = reached(chain, setting, y, cutoff)
        found.append({
            "method": method, "setting": setting.name, "cutoff": cutoff, "curve": curve, "ll": ll, "seconds": seconds,
            "accepted": chain.accepted, "tau": tau, "converged": setting.samples >= 50 * tau,
        })  # fmt: skip
    return pd.DataFrame(found)


def reached(chain: Chain, setting: Setting, y: Tensor, cutoff: int) -> tuple[float, float]:
    """Log-likelihood of the future points of y (T,), and the seconds of the steps and of the forecast."""
    begin = time.perf_counter()
    ll = log_density(forecast(chain, setting), y, cutoff)
    return ll, chain.seconds_a_step * (setting.burn + setting.samples) + time.perf_counter() - begin


def log_density(cloud: Cloud, y: Tensor, cutoff: int, portion: int = 4000) -> float:
    """Mean over the future points of y (T,), from some members at a time, which stay in the cache."""
    f, sigma, hidden = cloud.f[0, :, cutoff:], cloud.sigma[0, :, 0], y[cutoff:]
    parts = [
        Cloud(some[None], sd[None]).log_density(hidden[None])[0] + math.log(len(some) / len(f))
        for some, sd in zip(f.split(portion), sigma.split(portion), strict=True)
    ]
    return torch.stack(parts).logsumexp(0).mean().item()
