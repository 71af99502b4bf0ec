"""Network, chains and exact posterior on the same curves, each in several lengths, with the processor time of a curve.

Processor time, of one thread: what else the machine does meanwhile counts far less than it does in a stopwatch's time. All
three work on many curves at once, and each forecasts all future epochs.

Shapes: P = curves at once, S = kept steps, W = walkers, D = dimensions, N = members of a forecast, T = epochs.
"""

import time
from collections.abc import Iterator

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact, mcmc, posterior, start
from curvecast.exact_bayes.cloud import Cloud
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.networks.model import PFN

LAW = prior.PriorConfig()
WALKERS = 100  # as in the paper's longest chains
BURN_IN = 9  # their burn-in is a ninth of all steps
STATES = 200  # of each walker, at most: more change nothing, and cost time
Found = Iterator[tuple[int, Tensor, float]]  # steps, log-likelihood (P,), seconds a curve


def table(method: str, cutoff: int, found: Found) -> pd.DataFrame:
    """A row for each curve and number of steps."""
    frames = [
        pd.DataFrame({"method": method, "steps": steps, "cutoff": cutoff, "ll": ll.double().numpy(), "seconds": seconds})
        for steps, ll, seconds in found
    ]  # fmt: skip
    rows = pd.concat(frames, ignore_index=True)
    return rows.assign(curve=rows.groupby("steps").cumcount())


def network(net: PFN, y: Tensor, cutoff: int, at_once: int) -> Found:
    """Without steps; a first call warms it up."""
    x, parts = torch.arange(1.0, y.shape[1] + 1), y.split(at_once)
    with torch.no_grad():
        for number, some in enumerate((parts[0], *parts)):
            epochs, begin = x.expand(len(some), -1), time.process_time()
            ll = net.log_density(epochs[:, :cutoff], some[:, :cutoff], epochs[:, cutoff:], some[:, cutoff:])
            seconds = (time.process_time() - begin) / len(some)
            if number:
                yield 0, ll.mean(1), seconds


def chains(lengths: tuple[int, ...], y: Tensor, cutoff: int, at_once: int, seed: int) -> Found:
    """One run serves all lengths: a shorter chain is the beginning of a longer one."""
    generator, every = torch.Generator().manual_seed(seed), max(1, min(lengths) // 25)
    for some in y.split(at_once):
        seen, begin = some[:, :cutoff], time.process_time()
        run = mcmc.ensemble(
            lambda theta, seen=seen: posterior.log_density(LAW, theta, seen),  # type: ignore[misc]  # seen is bound
            start.ball(LAW, seen, WALKERS, generator), max(lengths), generator, thin=every,
            rule=lambda theta: posterior.allowed(LAW, theta),
        )  # fmt: skip
        a_step = (time.process_time() - begin) / max(lengths)
        for steps in lengths:
            begin = time.process_time()
            states = run.theta[steps // BURN_IN // every : steps // every]  # (S, P, W, D)
            states = states[:: -(-len(states) // STATES)].transpose(0, 1).flatten(1, 2)  # (P, N, D)
            ll = [
                _score(mcmc.cloud(LAW, theta), one, cutoff)
                for theta, one in zip(states.split(1), some.split(1), strict=True)
            ]
            seconds = a_step * steps + time.process_time() - begin
            yield steps, torch.cat(ll), seconds / len(some)


def exact_posterior(
    efforts: tuple[PosteriorConfig, ...], y: Tensor, cutoff: int, at_once: int, seed: int
) -> Found:
    """Its bank is made once for all curves, and each pays a share of it."""
    for how in efforts:
        generator, begin = torch.Generator().manual_seed(seed), time.process_time()
        bank = exact.bank(LAW, how.bank, generator)
        share = (time.process_time() - begin) / len(y)
        for some in y.split(at_once):
            begin = time.process_time()
            ll = _score(
                exact.exact_posterior(LAW, some[:, :cutoff], bank, generator, how).cloud, some, cutoff
            )
            yield how.steps, ll, share + (time.process_time() - begin) / len(some)


def _score(cloud: Cloud, y: Tensor, cutoff: int) -> Tensor:
    return cloud.later(cutoff).log_density(y[:, cutoff:]).mean(1)
