"""How many times faster? Chains of function calls, chains moved all at once and networks, in turns on the same core.

In each round every one of them runs once, so that a busy moment of the machine hits all, and a round is one measurement:
what was run for many curves at once is one time and not many.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import product

import pandas as pd
import torch
from torch import Tensor

from curvecast.exact_bayes import start
from curvecast.networks.model import PFN
from reproduce.reproduction.mcmc import papers_chains, timed_networks
from reproduce.reproduction.mcmc.papers_chains import Setting

SHARE = 5  # the steps of all curves at once are timed on a fifth of them, their forecasts on as many states as the whole has
THINNED = "emcee, thinned"  # the same chain, forecast from as few of its states as the chains at once are
FORECAST = 20  # curves that chains and networks forecast in a round


def rounds(
    n: int,
    y: Tensor,
    cutoffs: Sequence[int],
    longest: Setting,
    sparse: Setting,
    networks: dict[str, PFN],
    seed: int,
) -> pd.DataFrame:
    """Seconds a curve of all, n times; emcee takes one curve of y (P, T) in a round, chains at once all, networks some."""
    found = []
    for number, cutoff in product(range(n), cutoffs):
        for method, seconds in _round(y, cutoff, longest, sparse, networks, seed + number, number % len(y)):
            found.append({"cutoff": cutoff, "round": number, "method": method, "seconds": seconds})
    return pd.DataFrame(found)


def _round(
    y: Tensor, cutoff: int, longest: Setting, sparse: Setting, networks: dict[str, PFN], seed: int, curve: int
) -> Iterator[tuple[str, float]]:
    steps, few = longest.burn + longest.samples, y[:FORECAST]
    chain = papers_chains.function_calls(y[curve, :cutoff], longest.walkers, steps, seed)
    yield "emcee", papers_chains.reached(chain, longest, y[curve], cutoff)[1]
    yield THINNED, papers_chains.reached(chain, sparse, y[curve], cutoff)[1]
    every = papers_chains.kept(steps)  # as the whole chain would: to keep a state costs time
    chains = papers_chains.vectorised(y[:, :cutoff], sparse.walkers, steps // SHARE, seed, every)[: len(few)]
    whole_ones = [one._replace(theta=one.theta.repeat(SHARE, 1, 1)) for one in chains]
    seconds = [
        papers_chains.reached(one, sparse, mine, cutoff)[1] for one, mine in zip(whole_ones, few, strict=True)
    ]
    again = (SHARE - 1) * _start(y[:, :cutoff], sparse.walkers, seed) / len(y)  # a whole chain is begun once
    yield "vectorised", sum(seconds) / len(few) - again
    for name, model in networks.items():
        for method, mine in timed_networks.forecasts(name, model, few, cutoff).groupby("method"):
            yield str(method), mine["seconds"].mean()


def _start(y: Tensor, walkers: int, seed: int) -> float:
    """Seconds that the least-squares start of all curves takes."""
    begin = time.perf_counter()
    start.ball(papers_chains.CONFIG, y, walkers, torch.Generator().manual_seed(seed))
    return time.perf_counter() - begin
