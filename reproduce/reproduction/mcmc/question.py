"""How near to the exact posterior do Markov chains come, at what cost, and when are they as good as the network?"""

import math
import time
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.config import later
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Below, Between, Claim, Estimates, Interval, Rows, there, where
from presswork.estimates import by_mean, minus, table, those_of
from reproduce.pictures.panels import panels
from reproduce.printed import numbers
from reproduce.protocols.timing import threads
from reproduce.reproduction import _method_scores
from reproduce.reproduction.mcmc import equal_likelihood, plane, programs
from reproduce.reproduction.mcmc.equal_likelihood import PAPERS_LONGEST, Until
from reproduce.reproduction.mcmc.plane import shown
from reproduce.reproduction.mcmc.programs import GRID, THINNED, Setting
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

SIZES = {name: LARGE[name].model for name in ("P1", "P2", "P3")}  # timed untrained: weights cost no time


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: {"3x128": SMALL["3x128"]})
    best: str = "3x128"
    called: int = 3  # curves of THE test set, the first ones, on which emcee runs
    curves: int = 40  # on which all others run
    cutoffs: tuple[int, ...] = (10,)
    settings: tuple[Setting, ...] = GRID
    sizes: dict[str, ModelConfig] = field(default_factory=lambda: SIZES)
    judge: PosteriorConfig = PosteriorConfig()
    seed: int = 0
    raced: int = later(100)  # curves that chains move at once when their time is taken
    until: Until = Until()  # others are as good as the network


SCALES = {
    "smoke": Config(
        TINY, "1x16", 2, 4, (10,), (Setting(200, 26, 10, 20), Setting(200, 26, 10, 1)),
        {"P1": TINY_PAPER.model}, PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2), raced=4,
        until=Until(6, 4, 3, chains=(50, 100), judge=(
            PosteriorConfig(bank=2000, islands=2, population=8, moves=2, steps=4, keep=2),
            PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
        )),
    ),
    "laptop": Config(called=1, curves=4, until=Until(10, 8, 8, chains=(500, PAPERS_LONGEST))),
    "paper": Config(
        SMALL, called=100, curves=100, cutoffs=(10, 20),
        until=Until(400, 100, 25, (10, 20), (500, 1500, PAPERS_LONGEST, 3 * PAPERS_LONGEST)),
    ),
}  # fmt: skip

TABLES = {
    "rows": ("method", "cutoff", "curve", "ll", "seconds", "setting", "accepted", "tau", "converged"),
    "race": ("cutoff", "round", "method", "seconds"),
    "whole": ("method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se"),
    "time": ("method", "steps", "cutoff", "curve", "ll", "seconds"),
    # of the network over chains as long as M3, in nats per point, on the first curves of THE test set, as in exact_bayes
    "thousand": ("cutoff", "curve", "lead"),
}  # fmt: skip
JUDGED = "exact_bayes/paper"
TIMED = True
STOPWATCHES = ("race.seconds", "rows.seconds", "time.seconds")


def parts(config: Config) -> dict[str, dict[str, Any]]:
    longer = product(config.until.cutoffs, equal_likelihood.METHODS)
    return {
        **{f"cutoff{cutoff}": {"cutoff": cutoff} for cutoff in config.cutoffs}, "race": {}, "whole": {},
        **{f"{method}{cutoff}": {"method": method, "cutoff": cutoff} for cutoff, method in longer}, "thousand": {},
    }  # fmt: skip


def reads(config: Config) -> list[str]:
    return [JUDGED]


def measure(config: Config, part: str, method: str | None, cutoff: int | None, read: dict[str, Rows]) -> Rows:
    """`rows`: likelihood and seconds of all methods on the same curves, in one run on one core; and what else is shown."""
    if part == "thousand":
        known = {c: where(read[JUDGED]["rows"], cutoff=c) for c in config.until.cutoffs}
        each = {c: minus(rows, "method", "3x128", "chains", "ll") for c, rows in known.items()}
        return {part: pd.concat(each, names=["cutoff"]).rename("lead").reset_index().round(5)}
    with threads():
        if cutoff and method:
            best = trained(config.models[config.best]).model
            return {"time": equal_likelihood.measure(config.until, method, cutoff, best, config.seed)}
        if cutoff:
            return {"rows": _rows(config, cutoff)}
        return {part: _raced(config) if part == "race" else _whole(config)}


def _raced(config: Config) -> pd.DataFrame:
    """The longest chains, in three to ten rounds, at the cutoffs that are drawn."""
    y, (sparse, longest) = prior.test_set(config.raced).noisy, config.settings[-2:]
    networks = {config.best: trained(config.models[config.best]).model, **_untrained(config)}
    n = min(10, max(3, config.called))
    return programs.rounds(n, y, config.cutoffs[:2], longest, sparse, networks, config.seed)


def _whole(config: Config) -> pd.DataFrame:
    """The network's score on many curves, sampling variation of their noise removed: the figure is drawn relative to it."""
    best, many = trained(config.models[config.best]), prior.test_set(min(10_000, 100 * config.curves))
    return pd.DataFrame(_method_scores.likelihoods(config.best, best, many, config.cutoffs))


def _untrained(config: Config) -> dict[str, PFN]:
    return {name: PFN(size, torch.linspace(-1, 2, 1001)).eval() for name, size in config.sizes.items()}


def _rows(config: Config, cutoff: int) -> pd.DataFrame:
    curves = prior.test_set(config.curves)
    y = curves.noisy
    noise = torch.distributions.Normal(curves.clean[:, cutoff:], curves.sigma[:, None])
    known = noise.log_prob(y[:, cutoff:]).mean(1).tolist()
    frames = [_exact_posterior(config, y, cutoff), *_run_chains(config, y, cutoff)]
    for name, train in config.models.items():
        frames.append(programs.network_forecasts(name, trained(train).model, y, cutoff))
    for name, untrained in _untrained(config).items():
        frames.append(programs.network_forecasts(name, untrained, y, cutoff).assign(ll=math.nan))
    oracle = programs.frame("oracle", cutoff, known, [math.nan] * len(y))
    return pd.concat([*frames, oracle], ignore_index=True)


def _exact_posterior(config: Config, y: Tensor, cutoff: int) -> pd.DataFrame:
    generator = torch.Generator().manual_seed(config.seed)
    bank = exact.bank(prior.PriorConfig(), config.judge.bank, generator)
    ll, seconds = [], []
    for some in y.split(10):
        begin = time.perf_counter()
        told = exact.exact_posterior(prior.PriorConfig(), some[:, :cutoff], bank, generator, config.judge)
        ll += told.cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1).tolist()
        seconds += [(time.perf_counter() - begin) / len(some)] * len(some)
    return programs.frame("exact", cutoff, ll, seconds)


def _run_chains(config: Config, y: Tensor, cutoff: int) -> list[pd.DataFrame]:
    """Both programs, for each number of walkers a chain as long as its longest setting."""
    frames = []
    for walkers in sorted({setting.walkers for setting in config.settings}):
        settings = [setting for setting in config.settings if setting.walkers == walkers]
        steps = max(setting.burn + setting.samples for setting in settings)
        for i, curve in enumerate(y[: config.called]):
            chain = programs.function_calls(curve[:cutoff], walkers, steps, config.seed + i)
            frames.append(programs.rows("emcee", i, curve, cutoff, chain, settings))
        at_once = programs.vectorised(y[:, :cutoff], walkers, steps, config.seed, programs.kept(steps))
        for i, chain in enumerate(at_once):
            frames.append(programs.rows("vectorised", i, y[i], cutoff, chain, settings))
    return frames


def estimates(rows: Rows, config: Config) -> Estimates:
    """{("lost", cutoff, program): nats per point below the exact posterior, ("race", method, cutoff): seconds a curve,
    ("slower", cutoff, method): its time over the network's when it is as good}; about the first cutoff, {(slow, fast): how
    often the seconds of one go into those of the other}; and the last three by the names of their claims."""
    time, best = rows["time"], config.best
    slower = equal_likelihood.slowdowns(time, rows["thousand"])
    raced_in = by_mean(rows["race"], ["method", "cutoff"], "seconds")
    by_kind = {"lost": plane.below_exact(rows["rows"]), "race": raced_in, "slower": slower}
    raced = (THINNED, "vectorised"), ("emcee", best), ("emcee", "P2"), ("vectorised", f"{best}, all at once")
    race = where(rows["race"], cutoff=config.cutoffs[0])
    below = equal_likelihood.chains_below_network(time, rows["thousand"], 10)
    return {(kind, *key): one for kind, found in by_kind.items() for key, one in found.items()} | there({
        **{pair: times_as_long(race, *pair) for pair in raced},
        "judge_reaches_network_at_10": equal_likelihood.where_known(slower.get((10, "judge"))),
        "chains_reach_network_at_10": equal_likelihood.at_least(slower.get((10, "chains")), time, 10),
        "chains_below_network_at_10": below.get(max(config.until.chains)),
    })  # fmt: skip


def times_as_long(race: pd.DataFrame, slow: str, fast: str) -> Interval | None:
    """The geometric mean over the rounds in which both ran."""
    logs = race.assign(log=np.log(race["seconds"].astype(float)))
    found = Interval.of_mean(minus(logs, "method", slow, fast, "log", "round"))
    return found and found.exp()


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    cutoffs, lost = config.cutoffs[:2], those_of(found, "lost")
    titles = [f"{c} epochs observed" for c in cutoffs]
    figure, axes = panels(titles, (8.2, 3.8 * len(cutoffs)), 1, sharex=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        axis.margins(x=0.07)
        own = {name: where(rows[name], cutoff=cutoff) for name in ("rows", "whole")}
        plane.draw(axis, own, those_of(lost, cutoff), cutoff, config.best)
        axis.margins(x=0.11)
        axis.set(xscale="log", ylabel="log-likelihood, nats per point\n(higher is better)")
    axes[-1].set_xlabel("seconds per curve (lower is better)")
    return {"plane": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """Seconds a curve in the race: the mean of its rounds, in which every program runs once; and how many times the network's
    time a method takes until it is as good."""
    race, time = rows["race"], rows["time"]
    programs = {method: shown(method) for method in dict.fromkeys(race["method"])}
    raced = {("race", ..., c): f"{c} epochs" for c in sorted(set(race["cutoff"]))}
    seconds = table(found, "program", programs, raced, lambda one: one.in_brackets(".3g"), "")
    slower = {("slower", c, ...): f"{c} epochs" for c in sorted(set(time["cutoff"]))}
    methods = {"judge": shown("exact"), "chains": shown("vectorised")}
    return {
        "race": seconds.assign(rounds=str(race["round"].nunique())),
        "as_good": table(found, "method", methods, slower, equal_likelihood.times, "…"),
    }


def claims(config: Config) -> list[Claim]:
    """About the first cutoff, where the posterior is widest."""
    about, best, size = config.cutoffs[0], config.best, config.best.replace("x", " × ")
    after, section = f"After {about} epochs", "as the paper’s Section 4.1 says?"
    chains = "the longest chains run with emcee"

    network, longest = f"this {size} network", max(config.until.chains)
    m3 = numbers.value("M3", "seconds per curve") or math.nan
    p3 = numbers.value("PFN", "seconds per curve, at most") or math.nan
    return [
        Claim("vectorised_is_faster", f"{after}, is moving all walkers of all curves at once much faster than emcee, from as "
              "many states?", (THINNED, "vectorised"), AtLeast(20), "×"),
        Claim("ten_thousand_times", f"{after}, is a forecast by a {size} network as many times faster than {chains} as the "
              "paper’s abstract says?", ("emcee", best), AtLeast(10000), "×",
              numbers.value("LC-PFN", "times faster than MCMC")),
        Claim("fifteen_thousand_times", f"{after}, is a forecast by a network of the size of P2 as many times faster than "
              f"{chains} {section}", ("emcee", "P2"), AtLeast(15000), "×",
              numbers.value("P2", "times faster than M3")),
        Claim("hundreds_of_times", f"{after}, with many curves in one call for both, is a {size} network far faster than "
              "MCMC, though by less than printed?", ("vectorised", f"{best}, all at once"),
              Between(100, 1000), "×"),
        Claim("chains_take_seconds", f"{after}, are {chains} faster here than the paper prints for M3?",
              ("race", "emcee", about), Below(m3), "s", m3),
        Claim("a_tenth_of_a_second", f"Is a forecast by a network of the size of P3, on one core, as quick {section}",
              ("race", "P3", about), AtMost(p3), "s", p3),
        Claim("judge_reaches_network_at_10", "After 10 epochs, does the exact posterior, computed just long enough "
              f"to match {network}, take only a moderate multiple of its time?",
              "judge_reaches_network_at_10", Below(100), "×"),
        Claim("chains_reach_network_at_10", f"After 10 epochs, do Markov chains need far more time than {network} to "
              "match it, or do they fail to match it at all?", "chains_reach_network_at_10", Above(100), "×"),
        Claim("chains_below_network_at_10", f"After 10 epochs, is {network} still above Markov chains of {longest:,} "
              f"steps, {longest / PAPERS_LONGEST:.3g} times as long as M3?",
              "chains_below_network_at_10", Above(0), "nats per point"),
    ]  # fmt: skip
