"""How long must other methods run until they are as good as the network?

That is where a method's line of likelihood against the logarithm of time passes the network's. All three work on many curves
at once, each forecasts all future epochs, and what counts is the processor time of one thread: what else the machine does
meanwhile counts far less than it does in a stopwatch's time.

Shapes: P = curves at once, S = kept steps, W = walkers, D = dimensions, N = members of a forecast, T = epochs.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact, mcmc
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.exact_bayes.moves import Cloud
from curvecast.networks.model import PFN
from presswork import Estimates, Interval, there, where
from presswork.intervals import means_again, named
from reproduce.reproduction._lines import enough

LAW = prior.PriorConfig()
METHODS = ("chains", "judge", "network")
WALKERS = 100  # as in the paper's longest chains
BURN_IN = 9  # their burn-in is a ninth of all steps
STATES = 200  # of each walker, at most: more change nothing, and cost time

LADDER = (  # of the exact posterior, from the shortest run to the one used elsewhere; each has another number of steps
    PosteriorConfig(bank=8_000, islands=2, population=8, moves=1, steps=2, keep=1),
    PosteriorConfig(bank=8_000, islands=4, population=16, moves=1, steps=3, keep=1),
    PosteriorConfig(bank=16_000, islands=4, population=16, moves=2, steps=5, keep=2),
    PosteriorConfig(bank=30_000, population=16, moves=3, steps=10, keep=5),
    PosteriorConfig(bank=125_000, moves=5, steps=40, keep=20),
    PosteriorConfig(),
)
PAPERS_LONGEST = 4500  # steps of a chain


@dataclass(frozen=True)
class Until:
    curves: int = 40  # of THE test set, the first ones
    chained: int = 20  # of them: chains cost most
    at_once: int = 20
    cutoffs: tuple[int, ...] = (10,)
    chains: tuple[int, ...] = (500, 1500, PAPERS_LONGEST)  # steps
    judge: tuple[PosteriorConfig, ...] = LADDER


def measure(until: Until, method: str, cutoff: int, model: PFN, seed: int) -> pd.DataFrame:
    y = prior.test_set(until.curves).noisy
    if method == "network":
        scored = network(model, y, cutoff, until.at_once)
    elif method == "chains":
        scored = chains(until.chains, y[: until.chained], cutoff, until.at_once, seed)
    else:
        scored = exact_posterior(until.judge, y, cutoff, until.at_once, seed)
    frames = [pd.DataFrame({"steps": n, "ll": ll.double().numpy(), "seconds": s}) for n, ll, s in scored]
    rows = pd.concat(frames, ignore_index=True)
    return rows.assign(method=method, cutoff=cutoff, curve=rows.groupby("steps").cumcount())


Found = Iterator[tuple[int, Tensor, float]]  # steps, log-likelihood (P,), seconds a curve


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
        begin = time.process_time()
        run = mcmc.chains(LAW, some[:, :cutoff], WALKERS, max(lengths), generator, thin=every)
        a_step = (time.process_time() - begin) / max(lengths)
        for steps in lengths:
            begin = time.process_time()
            states = run.theta[steps // BURN_IN // every : steps // every]  # (S, P, W, D)
            states = states[:: -(-len(states) // STATES)].transpose(0, 1).flatten(1, 2)  # (P, N, D)
            ll = [
                score(mcmc.cloud(LAW, theta), one, cutoff)
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
            ll = score(exact.exact_posterior(LAW, some[:, :cutoff], bank, generator, how).cloud, some, cutoff)
            yield how.steps, ll, share + (time.process_time() - begin) / len(some)


def score(cloud: Cloud, y: Tensor, cutoff: int) -> Tensor:
    return cloud.later(cutoff).log_density(y[:, cutoff:]).mean(1)


def controlled(leads: pd.DataFrame, known: pd.Series) -> np.ndarray:
    """Means of leads (curves, lengths), with another lead as control variate that is known on many more curves: first as
    found, then of curves drawn anew.  -> (1 + resamples, lengths)"""
    x, mean = known[leads.index].to_numpy(), known.mean()
    slopes = np.polyfit(x, leads.to_numpy(), 1)[0]  # (lengths,)
    left = leads.to_numpy() - np.outer(x - mean, slopes)
    return means_again(left) + np.outer(means_again(known.to_numpy()) - mean, slopes)


def leads(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """Over the network, on the curves that both have: a row a curve, a column a length, the quickest first."""
    own, net = where(rows, method=method), where(rows, method="network")
    lengths = own.groupby("steps")["seconds"].mean().sort_values().index
    scores = own.pivot_table(index="curve", columns="steps", values="ll").reindex(columns=lengths)
    return scores.sub(net.set_index("curve")["ll"], axis=0).dropna()


def chains_below_network(rows: pd.DataFrame, thousand: pd.DataFrame, cutoff: int) -> Estimates:
    """By length: nats per point, of all curves of `thousand`."""
    ahead = leads(where(rows, cutoff=cutoff), "chains")
    if ahead.empty or thousand.empty:
        return {}
    again = controlled(-ahead, where(thousand, cutoff=cutoff).set_index("curve")["lead"])
    over = named(ahead.index.name, len(ahead))
    return {steps: Interval.of_resamples(one, over) for steps, one in zip(ahead, again.T, strict=True)}


def slowdowns(rows: pd.DataFrame, thousand: pd.DataFrame) -> Estimates:
    """By cutoff and method: its time at equal likelihood over the network's. Chains ran on few curves: the lead of the
    network on those of `thousand` tells how lucky these are."""
    known = {c: own.set_index("curve")["lead"] for c, own in thousand.groupby("cutoff")}
    asked: dict[tuple[int, str], pd.Series | None]
    asked = {(c, "judge"): None for c in sorted(set(rows["cutoff"]))}
    asked |= {(c, "chains"): known[c] for c, _ in asked if c in known}
    return there({key: slowdown(where(rows, cutoff=key[0]), key[1], own) for key, own in asked.items()})


def slowdown(rows: pd.DataFrame, method: str, known: pd.Series | None) -> Interval | None:
    """Between two lengths the line is straight; test curves are drawn anew. What is better from its shortest length on has
    passed at that length or before; what is not as good at its longest has not passed: its time is infinite."""
    net, both = where(rows, method="network"), leads(rows, method)
    if both.empty:
        return None
    seconds = where(rows, method=method).groupby("steps")["seconds"].mean()[both.columns]
    logs, again = np.log(seconds.to_numpy()), means_again(both.to_numpy())
    again = again if known is None else -controlled(-both, known)
    ratios = np.array([enough(logs, lead) for lead in again]) / net["seconds"].mean()
    # no mean of a number and infinity
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Interval(float(ratios[0]), float(low), float(high), named(both.index.name, len(both)))


def where_known(found: Interval | None) -> Interval | None:
    """An end beyond the longest run is not known."""
    return found and found.ends(*(math.nan if math.isinf(end) else end for end in found))


def at_least(found: Interval | None, rows: pd.DataFrame, cutoff: int) -> Interval | None:
    """An end is at least the time of the longest run, which is too short."""
    spent = where(rows, cutoff=cutoff).groupby(["method", "steps"])["seconds"].mean()
    return found and found.ends(*(min(end, spent["chains"].max() / spent["network"].max()) for end in found))


def times(found: Interval) -> str:
    """Its ends are in order; where a method did not arrive there is no number."""
    value, low, high = ("never" if math.isinf(end) else f"{end:,.0f}" for end in found)
    return f"{value} [{low}, {high}]"
