"""Does a network converge to the exact Bayesian predictive, and to the posterior over priors?

Priors whose predictive is a formula: 64 or 8 known curves, a Gaussian process, and a mixture of four Gaussian processes.
The distance of a network is the Kullback-Leibler divergence (KL) between the two densities of a later point, computed on
a grid of values, for curves drawn from the prior. A further network names the process that a curve was drawn from.
Shapes: n = curves, T = epochs, Q = queries, G = places of the grid.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves.other_priors.exact_predictive import Finite, divergence
from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, Below, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import grouped, line, of_each_end, table
from reproduce.pictures.panels import legend, logarithmic, panels, ticks
from reproduce.priors import _which_prior
from reproduce.priors._which_prior import COMPARED, MIXTURE, naming
from reproduce.protocols.timing import threads
from reproduce.trainings import TINIEST

FINITE, FEW, PROCESS, MIXED = "64 known curves", "8 known curves", "Gaussian process", "mixture of processes"
PRIORS: dict[str, Any] = {FINITE: Finite(64), FEW: Finite(8), PROCESS: GaussianProcess(), MIXED: MIXTURE}
PRIOR_OF = {"finite": FINITE, "few": FEW, "process": PROCESS, "mixture": MIXED}  # by kind of part
COLOURS = {FINITE: "exact", FEW: "mcmc", PROCESS: "ours", MIXED: "paper"}
NEEDED = {FINITE: 0.01, FEW: 0.01, PROCESS: 0.02, MIXED: 0.02}  # nats per point, at most
ALL, GAP = "all", "gap"  # the mean over cutoffs or numbers of points; the loss less the entropy
MEDIAN = "median"  # over test curves
TEST_SEED = 20261126
AT_ONCE = 20  # curves that fit into the cache with their grids
SHOWN, EPOCH = 0, 60  # the test curve and the later epoch whose densities are drawn


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 4), batch=32, lr=2e-3, early=2.0)
    head_of_finite: str = "bars"  # a free logit for each bucket: densities of known curves have many peaks
    bars_of_finite: BarsConfig = BarsConfig(200)  # each much narrower than the noise
    finite: tuple[int, ...] = (4_096, 16_384, 65_536, 131_072)  # curves of each training
    few: int = 16_384
    process: int = 131_072  # 0: none is trained, here and of the next
    mixture: int = 131_072
    named: int = 131_072  # of the network that names the prior
    seeds: int = 3
    cutoffs: tuple[int, ...] = (1, 5, 10, 20, 40, 70)
    points: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 40, 70)  # after which the prior is named
    scored: int = 200  # test curves
    queries: int = 12
    places: int = 300  # of the grid

    def longest(self, prior: str) -> int:
        of = {FINITE: max(self.finite), FEW: self.few, PROCESS: self.process, MIXED: self.mixture}
        return of[prior]


SCALES = {
    "smoke": Config(
        replace(TINIEST["1x8"], curves=64, early=2.0), "bars", BarsConfig(50, curves=500),
        (64, 128), 64, 64, 64, 64, 2, (1, 20), (1, 20), 8, 2, 60,
    ),
    "laptop": Config(finite=(2_048, 8_192), few=8_192, process=0, mixture=8_192, named=0, seeds=2, scored=60),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    "kl": ("prior", "curves", "seed", "cutoff", "curve", "kl", "gap"),
    "densities": ("curves", "cutoff", "y", "exact", "network"),
    "weights": ("seed", "points", "curve", "kl", "without_prior"),
    "shown": ("case", "points", "prior", "exact", "network"),
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    kinds = [kind for kind in (*PRIOR_OF, "named") if getattr(config, kind)]
    each = [(kind, seed) for seed in range(config.seeds) for kind in kinds]
    return {f"{kind}-{seed}": {"kind": kind, "seed": seed} for kind, seed in each}


def needs(config: Config, kind: str, seed: int) -> list[TrainConfig]:
    train = replace(config.train, seed=seed)
    model = replace(config.train.model, head=config.head_of_finite)
    finite = replace(train, model=model, bars=config.bars_of_finite)
    by_kind: dict[str, list[TrainConfig]] = {
        "finite": [replace(finite, prior=PRIORS[FINITE], curves=n) for n in config.finite],
        "few": [replace(finite, prior=PRIORS[FEW], curves=config.few)],
        "process": [replace(train, prior=PRIORS[PROCESS], curves=config.process)],
        "mixture": [replace(train, prior=MIXTURE, curves=config.mixture)],
        "named": [naming(replace(train, prior=MIXTURE, curves=config.named))],
    }
    return by_kind[kind]


def measure(config: Config, kind: str, seed: int) -> Rows:
    networks = [trained(one) for one in needs(config, kind, seed)]
    with threads():
        if kind == "named":
            net = networks[0].model
            found = _which_prior.distances(net, config.points, config.scored, TEST_SEED)
            shown = {"shown": _which_prior.point_by_point(net, TEST_SEED)} if seed == 0 else {}
            return {"weights": found.assign(seed=seed)} | shown
        y = networks[0].config.prior.sample(config.scored, torch.Generator().manual_seed(TEST_SEED)).noisy
        found = distances(networks, y, config.cutoffs, config.queries, config.places)
        kl = {"kl": found.assign(prior=PRIOR_OF[kind])}
        if kind == "finite" and seed == 0:
            ends = [networks[0], networks[-1]]
            return kl | {"densities": densities(ends, y[SHOWN], config.cutoffs[:3], EPOCH)}
        return kl


def distances(
    networks: list[Forecaster], y: Tensor, cutoffs: tuple[int, ...], queries: int, places: int
) -> pd.DataFrame:
    """On each of these curves (n, T) after each cutoff, means over later epochs; all networks are of one prior."""
    own = []
    for cutoff in cutoffs:
        later = torch.linspace(cutoff + 1, y.shape[1], queries).round()  # (Q,)
        for i, some in enumerate(y.split(AT_ONCE)):
            curves = range(AT_ONCE * i, AT_ONCE * i + len(some))
            for train, kl, gap in compared(networks, some, cutoff, later, places):
                of = {"curves": train.curves, "seed": train.seed, "cutoff": cutoff, "curve": curves}
                own.append(pd.DataFrame(of | {"kl": kl.mean(1), "gap": gap.mean(1)}))
    return pd.concat(own)


def compared(
    networks: list[Forecaster], y: Tensor, cutoff: int, later: Tensor, places: int
) -> Iterator[tuple[TrainConfig, Tensor, Tensor]]:
    """KL(exact || network), and its one-draw estimate ln p - ln q at the curve's own values, each (n, Q)."""
    x, seen, future = torch.arange(1.0, cutoff + 1), y[:, :cutoff], y[:, later.long() - 1]
    exact = networks[0].config.prior.predictive(x, seen, later)
    grid = exact.grid(places)  # (n, Q, G)
    log_p, log_p_of_future = exact.log_density(grid), exact.log_density(future)
    for network in networks:
        q = network.model.density(x.expand(len(y), -1), seen, later.expand(len(y), -1))
        log_q = q[:, :, None].log_density(grid.float()).double()
        yield network.config, divergence(log_p, log_q, grid), log_p_of_future - q.log_density(future)


def densities(nets: list[Forecaster], curve: Tensor, cutoffs: tuple[int, ...], epoch: int) -> pd.DataFrame:
    """Of one curve (T,) at one later epoch, after each of these cutoffs."""
    y, later, own = torch.linspace(-0.1, 1.1, 161)[None, None], torch.tensor([float(epoch)]), []
    for network in nets:
        for cutoff in cutoffs:
            x, seen = torch.arange(1.0, cutoff + 1), curve[None, :cutoff]
            exact = network.config.prior.predictive(x, seen, later).log_density(y)
            said = network.model.density(x[None], seen, later[None])[:, :, None].log_density(y)
            p, q = (log_density.exp()[0, 0] for log_density in (exact, said))
            of = {"curves": network.config.curves, "cutoff": cutoff, "y": y[0, 0]}
            own.append(pd.DataFrame(of | {"exact": p, "network": q}))
    return pd.concat(own)


# ------------------------------------------------------------------------------------------------- estimates


def by_seed(own: pd.DataFrame, value: str) -> pd.DataFrame:
    """(seeds, test curves), the mean over cutoffs or numbers of points"""
    return own.pivot_table(index="seed", columns="curve", values=value)


def means(rows: pd.DataFrame, by: list[str], value: str, name: Hashable = None) -> Estimates:
    """By these columns; with a name at the end of each key, if there is one."""
    found = grouped(rows, by, lambda own: Interval.of_seeds_and_curves(by_seed(own, value)))
    return found if name is None else {(*key, name): one for key, one in found.items()}


def estimates(rows: Rows) -> Estimates:
    """{(prior, curves of the training, cutoff or ALL or GAP or MEDIAN): nats per point}, those of `of_weights`, and two
    differences by the names of their claims."""
    training, kl = ["prior", "curves"], rows["kl"]
    found = means(kl, [*training, "cutoff"], "kl")
    found |= means(kl, training, "kl", ALL) | means(kl, training, "gap", GAP)
    medians = grouped(kl, training, lambda own: Interval.of_median(by_seed(own, "kl").mean()))
    found |= {(*key, MEDIAN): one for key, one in medians.items()} | of_weights(rows["weights"])
    finite, weights = where(kl, prior=FINITE), rows["weights"]
    first, last = (where(finite, curves=which(finite["curves"], default=0)) for which in (min, max))
    differences = {
        "finite_falls": by_seed(first, "kl") - by_seed(last, "kl"),
        "prior_counts": by_seed(weights, "without_prior") - by_seed(weights, "kl"),
    }
    return found | there({name: Interval.of_seeds_and_curves(one) for name, one in differences.items()})


def of_weights(weights: pd.DataFrame) -> Estimates:
    """{(column of COMPARED, number of points or ALL): nats}"""
    long = weights.melt(["seed", "points", "curve"], [*COMPARED], "compared", "value")
    overall = {(one, ALL): found for one, found in means(long, ["compared"], "value").items()}
    return means(long, ["compared", "points"], "value") | overall


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    titles = ["64 known curves", "each prior, after its longest training"]
    up = "nats per point from the exact predictive"
    figure, (left, right) = panels(titles, (8.4, 4.0), up=up, sharey=True)
    draw_training(left, found, config)
    for name, colour in COLOURS.items():
        own = at_cutoffs(found, name, config)
        line(right, own, marker="o", markersize=4, color=style.colour(colour), label=name)
        right.axhline(NEEDED[name], color=style.colour(colour), linestyle=":", linewidth=1.2)
    right.set(xscale="log", xlabel="observed epochs")
    ticks(right, config.cutoffs)
    for axis in (left, right):
        logarithmic(axis, "y")
    legend(figure, [left, right])
    posterior = _which_prior.draw(rows["shown"], config.points)
    densities = draw_densities(rows["densities"], config)
    return {"distance": figure, "densities": densities, "posterior": posterior}


def at_cutoffs(found: Estimates, prior: str, config: Config) -> Estimates:
    """After the longest training."""
    return there({c: found.get((prior, config.longest(prior), c)) for c in config.cutoffs})


def draw_training(axis: Axes, found: Estimates, config: Config) -> None:
    """The mean, and a pale line for each cutoff with its number at the end, in two columns since some ends are close."""
    colour = style.colour(COLOURS[FINITE])
    ways = (*config.cutoffs, ALL)
    lines = {at: there({n: found.get((FINITE, n, at)) for n in config.finite}) for at in ways}
    ends = sorted((one.value, cutoff) for cutoff, one in at_cutoffs(found, FINITE, config).items())
    for i, (height, cutoff) in enumerate(ends):
        own = {curves: one.value for curves, one in lines[cutoff].items()}
        axis.plot([*own], [*own.values()], color=colour, linewidth=1, alpha=0.5)
        axis.text(max(own) * (1.15, 1.45)[i % 2], height, f"{cutoff}", va="center", fontsize=8)
    line(axis, lines[ALL], marker="o", markersize=4, color=colour)
    axis.set(xscale="log", xlabel="curves of the training (at a line: observed epochs)")
    ticks(axis, config.finite, ",")


def draw_densities(rows: pd.DataFrame, config: Config) -> Figure:
    cutoffs, (fewest, most) = config.cutoffs[:3], (min(config.finite), max(config.finite))
    titles, across = [f"observed epochs: {cutoff}" for cutoff in cutoffs], f"value at epoch {EPOCH}"
    figure, axes = panels(titles, (8.4, 2.9), across=across, up="density")
    looks: dict[int, dict[str, Any]] = {fewest: {"color": style.colour("paper"), "linestyle": "--"},
                                        most: {"color": style.colour("ours")}}  # fmt: skip
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        exact = where(rows, cutoff=cutoff, curves=most)[["y", "exact"]].astype(float)  # objects, if empty
        axis.fill_between(exact["y"], exact["exact"], color=style.colour("exact"), alpha=0.25, linewidth=0,
                          label="exact predictive")  # fmt: skip
        for curves, look in looks.items():
            own = where(rows, cutoff=cutoff, curves=curves)
            axis.plot(own["y"], own["network"], label=f"network after {curves:,} curves", **look)
        axis.set_yticks([])
    legend(figure, axes)
    return figure


def tabulate(found: Estimates, config: Config) -> Rows:
    trainings = [(FINITE, curves) for curves in config.finite]
    trainings += [(name, config.longest(name)) for name in (FEW, PROCESS, MIXED)]
    lines = {(name, curves): f"{name}, {curves:,}" for name, curves in trainings}
    cutoffs: dict[Hashable, str] = {cutoff: str(cutoff) for cutoff in config.cutoffs}
    cutoffs |= {ALL: "mean", MEDIAN: "median curve", GAP: "loss − entropy"}
    points = {n: str(n) for n in config.points} | {ALL: "mean"}
    return {
        "distance": table(found, "prior, curves of the training", lines, cutoffs, ".3f"),
        "posterior": table(found, "network from", COMPARED, points, ".3f"),
    }


def claims(found: Estimates, config: Config) -> list[Claim]:
    """Over seeds and test curves. The bounds were set before the run."""
    worst = of_each_end(max, at_cutoffs(found, PROCESS, config).values())
    return [
        Claim("finite_kl", "On 64 known curves, does the longest training come close to the exact predictive?",
              (FINITE, max(config.finite), ALL), Below(NEEDED[FINITE]), "nats per point"),
        Claim("finite_falls", "On 64 known curves, does the distance to the exact predictive fall with the training?",
              "finite_falls", Above(0), "nats per point"),
        Claim("gp_kl_worst_cutoff", "On a Gaussian process, is the network close to the exact predictive at every cutoff?",
              worst, Below(NEEDED[PROCESS]), "nats per point"),
        Claim("mixture_kl", "On a mixture of four processes, is the network close to the exact predictive?",
              (MIXED, config.mixture, ALL), Below(NEEDED[MIXED]), "nats per point"),
        Claim("weights_agree", "Does a network that names the prior agree with the posterior over priors?",
              ("kl", ALL), Below(0.02), "nats"),
        Claim("prior_counts", "Is this network closer to likelihood times prior than to the likelihood alone?",
              "prior_counts", Above(0), "nats"),
    ]  # fmt: skip
