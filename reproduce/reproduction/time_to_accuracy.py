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
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact, mcmc, posterior, start
from curvecast.exact_bayes.cloud import Cloud
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.networks.model import PFN
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.estimates import Estimates, by_mean, line, there
from reproduce._press.intervals import Interval, means_again
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import panels
from reproduce.protocols.timing import threads
from reproduce.reproduction._crossing import enough
from reproduce.trainings import SMALL, TINY

STYLE = {"chains": "vector", "judge": "exact", "network": "ours"}
NAMES = {"chains": style.name("vector"), "judge": style.name("exact"), "network": "network"}
LAW = prior.PriorConfig()
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
class Config:
    network: TrainConfig = SMALL["3x128"]
    curves: int = 40  # of THE test set, the first ones
    chained: int = 20  # of them: chains cost most
    at_once: int = 20
    cutoffs: tuple[int, ...] = (10,)
    chains: tuple[int, ...] = (500, 1500, PAPERS_LONGEST)  # steps
    judge: tuple[PosteriorConfig, ...] = LADDER
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY["1x16"], 6, 4, 3, chains=(50, 100), judge=(
            PosteriorConfig(bank=2000, islands=2, population=8, moves=2, steps=4, keep=2),
            PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
        ),
    ),
    "laptop": Config(curves=20, chained=10, at_once=10),
    "paper": Config(curves=400, chained=100, at_once=25, cutoffs=(10, 20), chains=(500, 1500, PAPERS_LONGEST, 13_500)),
}  # fmt: skip
TABLES = {"rows": ("method", "steps", "cutoff", "curve", "ll", "seconds")}
STOPWATCHES = ("rows.seconds",)


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.network] if part.startswith("network") else []


def parts(config: Config) -> list[str]:
    return [f"{method}{cutoff}" for cutoff in config.cutoffs for method in STYLE]


def measure(config: Config, part: str) -> pd.DataFrame:
    method, digits = re.fullmatch(r"([a-z]+)(\d+)", part).groups()  # type: ignore[union-attr]  # one of parts()
    y, cutoff = prior.test_set(config.curves).noisy, int(digits)
    with threads():
        if method == "network":
            scored = network(trained(config.network).model, y, cutoff, config.at_once)
        elif method == "chains":
            scored = chains(config.chains, y[: config.chained], cutoff, config.at_once, config.seed)
        else:
            scored = exact_posterior(config.judge, y, cutoff, config.at_once, config.seed)
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
    both = scores.sub(net.set_index("curve")["ll"], axis=0).dropna().to_numpy()
    logs = np.log(lengths.to_numpy())
    ratios = np.array([enough(logs, lead) for lead in means_again(both)]) / net["seconds"].mean()
    # no mean of a number and infinity
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Interval(float(ratios[0]), float(low), float(high))


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    """A method is as good as the network where its line meets the dotted one, and better below it."""
    found, spent, n = below_network(rows), seconds(rows), len(config.cutoffs)
    figure, axes = panels([f"{c} epochs observed" for c in config.cutoffs], (4.2 * n + 1.5, 3.8), sharey=True)
    for axis, cutoff in zip(axes, config.cutoffs, strict=True):
        for method, kind in STYLE.items():
            points = {spent[key]: one for key, one in found.items() if key[:2] == (cutoff, method)}
            points = dict(sorted(points.items()))
            if points:
                colour = style.colour(kind)
                heights = line(axis, points, color=colour, marker="o", markersize=4, elinewidth=0.7)
                axis.annotate(NAMES[method], (min(points), heights[0]), xytext=(9, 6), textcoords="offset points",
                              color=colour, fontsize=9)  # fmt: skip
        axis.axhline(0, color=style.colour(STYLE["network"]), linewidth=0.8, linestyle=":")
        axis.set(xscale="log", xlabel="seconds per curve, one core")
    axes[0].set_ylabel("nats per point below the network\n(lower is better)")
    return {"time": figure}


def tabulate(rows: pd.DataFrame) -> Rows:
    below, spent, slower = below_network(rows), seconds(rows), slowdowns(rows)
    counts = rows.groupby(["cutoff", "method", "steps"]).size()
    time = [
        {"method": NAMES[method] + ("" if method == "network" else f", {steps:,} steps"), "observed epochs": str(cutoff),
         "curves": str(counts[cutoff, method, steps]), "seconds per curve": f"{spent[cutoff, method, steps]:.2g}",
         "below the network": below[cutoff, method, steps].plus_minus(".3f")}
        for cutoff, method, steps in sorted(below, key=lambda key: (*key[:2], spent[key]))
    ]  # fmt: skip
    reached = [
        {"method": NAMES[method], "observed epochs": str(cutoff),
         "times the network’s time": times(slower.get((cutoff, method)))}
        for cutoff in sorted(set(rows["cutoff"])) for method in ("judge", "chains")
    ]  # fmt: skip
    return {"time": pd.DataFrame(time), "equal_likelihood": pd.DataFrame(reached)}


def times(found: Interval | None) -> str:
    """Its ends are in order; where a method did not arrive there is no number."""
    if found is None:
        return "…"
    value, low, high = ("never" if math.isinf(end) else f"{end:,.0f}" for end in found)
    return f"{value} [{low}, {high}]"


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    slower, below, spent = slowdowns(rows), below_network(rows), seconds(rows)
    network = f"this {config.network.model.label.replace('x', ' × ')} network"
    # an end beyond the longest run is not known; of chains it is at least the time of that run, which is too short
    judge, chains, longest = slower.get((10, "judge")), slower.get((10, "chains")), max(config.chains)
    known = judge and Interval(*(math.nan if math.isinf(end) else end for end in judge))
    if chains:
        most = spent[10, "chains"].max() / spent[10, "network"].max()
        chains = Interval(*(min(end, most) for end in chains))
    return [
        Claim("judge_reaches_network_at_10", "After 10 epochs, does the exact posterior, computed just long enough "
              f"to match {network}, take only a moderate multiple of its time?", known, Below(100), "×"),
        Claim("chains_reach_network_at_10", f"After 10 epochs, do Markov chains need far more time than {network} to "
              "match it, or do they fail to match it at all?", chains, Above(100), "×"),
        Claim("chains_below_network_at_10", f"After 10 epochs, is {network} still above Markov chains of {longest:,} "
              f"steps, {longest / PAPERS_LONGEST:.3g} times as long as M3?", below.get((10, "chains", longest)),
              Above(0), "nats per point"),
    ]  # fmt: skip
