"""How long must other methods run until they are as good as the network?

That is where a method's line of likelihood against the logarithm of time passes the network's. All three work on many curves
at once, each forecasts all future epochs, and what counts is the processor time of one thread: what else the machine does
meanwhile counts far less than it does in a stopwatch's time.

Shapes: P = curves at once, S = kept steps, W = walkers, D = dimensions, N = members of a forecast, T = epochs.
"""

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact, mcmc, posterior, start
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.exact_bayes.moves import Cloud
from curvecast.networks.model import PFN
from reproduce._press.estimates import Estimates, by_mean, there, where
from reproduce._press.intervals import Interval, means_again, named
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


def parts(until: Until) -> list[str]:
    return [f"{method}{cutoff}" for cutoff in until.cutoffs for method in METHODS]


def measure(until: Until, part: str, model: PFN, seed: int) -> pd.DataFrame:
    method, digits = re.fullmatch(r"([a-z]+)(\d+)", part).groups()  # type: ignore[union-attr]  # one of parts()
    y, cutoff = prior.test_set(until.curves).noisy, int(digits)
    if method == "network":
        scored = network(model, y, cutoff, until.at_once)
    elif method == "chains":
        scored = chains(until.chains, y[: until.chained], cutoff, until.at_once, seed)
    else:
        scored = exact_posterior(until.judge, y, cutoff, until.at_once, seed)
    frames = [
        pd.DataFrame({"steps": steps, "ll": ll.double().numpy(), "seconds": seconds})
        for steps, ll, seconds in scored
    ]
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


def seconds(rows: pd.DataFrame) -> pd.Series:
    """Of a curve, by cutoff, method and length, the shortest first."""
    return rows.groupby(["cutoff", "method", "steps"])["seconds"].mean()


def below_network(rows: pd.DataFrame) -> Estimates:
    """By cutoff, method and length: nats per point on the curves that both have."""
    net = where(rows, method="network")[["cutoff", "curve", "ll"]]
    both = rows.merge(net, on=["cutoff", "curve"], suffixes=("", "_network"))
    return by_mean(both.assign(below=both["ll_network"] - both["ll"]), ["cutoff", "method", "steps"], "below")


def slowdowns(rows: pd.DataFrame) -> Estimates:
    """By cutoff and method: its time at equal likelihood over the network's."""
    pairs = [(cutoff, method) for cutoff in sorted(set(rows["cutoff"])) for method in ("judge", "chains")]
    return there({(cutoff, method): slowdown(where(rows, cutoff=cutoff), method) for cutoff, method in pairs})


def slowdown(rows: pd.DataFrame, method: str) -> Interval | None:
    """Between two lengths the line is straight; test curves are drawn anew. What is better from its shortest length on has
    passed at that length or before; what is not as good at its longest has not passed: its time is infinite."""
    own, net = where(rows, method=method), where(rows, method="network")
    if own.empty or net.empty:
        return None
    lengths = own.groupby("steps")["seconds"].mean().sort_values()
    scores = own.pivot_table(index="curve", columns="steps", values="ll")[lengths.index]
    # (curves, lengths), above 0: better
    both = scores.sub(net.set_index("curve")["ll"], axis=0).dropna()
    logs = np.log(lengths.to_numpy())
    ratios = np.array([enough(logs, lead) for lead in means_again(both.to_numpy())]) / net["seconds"].mean()
    # no mean of a number and infinity
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Interval(float(ratios[0]), float(low), float(high), named(both.index.name, len(both)))


def times(found: Interval | None) -> str:
    """Its ends are in order; where a method did not arrive there is no number."""
    if found is None:
        return "…"
    value, low, high = ("never" if math.isinf(end) else f"{end:,.0f}" for end in found)
    return f"{value} [{low}, {high}]"
