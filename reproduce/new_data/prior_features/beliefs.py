"""Six priors, their mixture and real curves as beliefs: what each costs on the nine benchmarks of real curves.

Curves of the tuning set may train; those of the test set are forecast. The two are runs of different settings, often of one
source. Last, three properties of the simulator's noise are left out together: it is as large as on the paper's prior, does
not shrink by itself, and is not autocorrelated. Left out one by one, none of thirteen properties clearly mattered.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, style, there
from presswork.estimates import those_of
from reproduce.pictures.panels import dots, panels
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.beliefs import LONGER, MEASURED, MIXED, PRIORS, TITLES, Networks, clearly_above
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.scores_by_share import scores

ALL = (*PRIORS, MEASURED, MIXED, LONGER)
BASE = "paper"
EARLY = (10, 20, 40)  # per cent of the points observed
SCORES = ("network", "seed", "row", "curve", "crps", "in90")  # of a curve: means over the shares observed
THREE = ("quiet noise", "falling noise", "memory")  # that are left out
LOUD = ("seed", "row", "curve", "seen", "crps", "in90")  # scores without them


@dataclass(frozen=True)
class BeliefsConfig:
    networks: Networks = Networks(ALL, "2x96", benchmarks=tuple(ROWS))
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a benchmark, at most


SMOKE = BeliefsConfig(Networks(ALL, "1x8", 256, (0,), tuple(ROWS)), ("lcdb11", "nanogpt", "taskset"), 1)
LAPTOP = BeliefsConfig(Networks((BASE, "laws", MIXED), curves=12_032, benchmarks=tuple(ROWS)), curves=20)


def measure(config: BeliefsConfig, name: str, seed: int) -> Rows:
    ask = {name: forecasters.network(trained(config.networks.training(name, seed), progress=False))}
    each, read = [], []
    for row in config.rows:
        picked = chosen(row, TEST, config.curves, 0)
        found = scores([one.trial for one in picked], ask)
        own = found[found["seen"].isin(EARLY)].groupby("curve", as_index=False)[["crps", "in90"]].mean()
        each.append(own.assign(row=row))
        read.append(benchmarks.listed(row, TEST, picked)["read"])
    rows = pd.concat(each, ignore_index=True).assign(network=name, seed=seed)
    rows["crps"] = [float(f"{value:.4g}") for value in rows["crps"]]
    tables = {"beliefs": rows.round({"in90": 3})[list(SCORES)]}
    first = (name, seed) == (config.networks.names[0], config.networks.seeds[0])  # all read the same
    return tables | ({"read": pd.concat(read, ignore_index=True)} if first else {})


def estimates(found: pd.DataFrame) -> Estimates:
    """{("crps", network): over that of the paper’s prior, ("in90", network): coverage}, and by the names of the claims."""
    times = factors(found, BASE) | dict.fromkeys({BASE} & {*found["network"]}, Interval(1, 1, 1))
    by_score = {"crps": times, "in90": coverage(found)}
    return {(score, name): one for score, each in by_score.items() for name, one in each.items()} | there({
        "simulator_leads": worse_than(found, "laws"),
        "real_curves_teach_more": factors(found, MEASURED).get("laws"),
    })  # fmt: skip


def by_benchmark(found: pd.DataFrame, base: str) -> dict[str, pd.DataFrame]:
    """By network the mean logarithm of its CRPS over the base's, curve by curve: a line a seed, a column a benchmark."""
    log = found.assign(log=np.log(found["crps"] + 1e-6))
    wide = log.pivot(index=["seed", "row", "curve"], columns="network", values="log")
    if base not in wide:
        return {}
    apart = wide.sub(wide[base], axis=0).clip(-np.log(100), np.log(100))
    means = apart.groupby(["seed", "row"]).mean()
    return {name: means[name].unstack() for name in means if name != base and len(means[name].dropna())}


def by_source(means: pd.DataFrame) -> pd.DataFrame:
    """Columns of benchmarks -> of sources: three benchmarks are metrics of one source."""
    sources = [ROWS[row].source for row in means]
    return means.T.groupby(sources).mean().rename_axis("source").T


def factors(found: pd.DataFrame, base: str) -> Estimates:
    """By network: its CRPS over the base's, with equal weight for each source; seeds and sources vary."""
    each = by_benchmark(found, base)
    logs = there({name: Interval.of_seeds_and_curves(by_source(own)) for name, own in each.items()})
    return {name: one.exp() for name, one in logs.items()}


def coverage(found: pd.DataFrame) -> Estimates:
    """Of the 90 % interval, by network: equal weight for each source, which vary as seeds do."""
    means = by_source(found.groupby(["network", "seed", "row"])["in90"].mean().unstack())
    each = there({name: Interval.of_seeds_and_curves(own) for name, own in means.groupby("network")})
    return {name: one.of_share() for name, one in each.items()}


def worse_than(found: pd.DataFrame, base: str) -> Interval | None:
    """How many of the other synthetic priors have a larger CRPS than this one, corrected for all of them."""
    each = {name: by_source(own) for name, own in by_benchmark(found, base).items() if name in PRIORS}
    others = {name: own for name, own in each.items() if len(own) > 1}
    whole = len(others) == len(PRIORS) - 1
    return Interval.exactly(float(sum(clearly_above(others).values()))) if whole else None


def without_three(new: TrainConfig, seed: int) -> TrainConfig:
    return replace(new, seed=seed, prior=replace(new.prior, without=THREE))


def what_three_bring(rows: pd.DataFrame, loud: pd.DataFrame, seeds: dict[str, int]) -> Estimates:
    """By the names of the claims, what the three bring: points of coverage, and the CRPS without them over that with them;
    and what the new prior brings without them, beside the paper's. Seeds and sources vary."""
    full = rows[rows["method"].isin([*seeds])]
    old = rows[rows["method"] == "old"].assign(seed=0, network="old")
    if full.empty or loud.empty or old.empty:
        return {}
    full = full.assign(seed=full["method"].map(seeds), network="full")
    every = pd.concat([full, loud.assign(network="loud"), old])
    each = every.groupby(["network", "seed", "row", "curve"], as_index=False)[["crps", "in90"]].mean()
    covered = by_source(each.groupby(["network", "seed", "row"])["in90"].mean().unstack())
    more = (100 * (covered.loc["full"] - covered.loc["loud"])).dropna()
    without = 100 * (covered.loc["loud"] - covered.loc["old"].iloc[0])
    by_seed = without.mean(axis=1)
    # the rival is one training: its seed moves the difference as much as a seed of ours moves its own
    apart = without.add((np.sqrt(len(by_seed) + 1) - 1) * (by_seed - by_seed.mean()), axis=0)
    return there({
        "raised_without_three": Interval.of_seeds_and_curves(apart),
        "three_raise_coverage": Interval.of_seeds_and_curves(more),
        "three_lower_crps": factors(each, "full").get("loud"),
    })  # fmt: skip


def draw(rows: pd.DataFrame, found: Estimates) -> Figure:
    """The CRPS and the coverage of each belief on real curves."""
    names = [name for name in ALL if (rows["network"] == name).any()]
    places = {name: len(names) - i for i, name in enumerate(names)}
    covered = {name: one.times(100) for name, one in those_of(found, "in90").items()}
    figure, axes = panels(["CRPS / that of the paper’s prior", "coverage of the 90 % interval, %"],
                          (8.2, 0.9 + 0.32 * len(names)), sharey=True)  # fmt: skip
    how = {"marker": "o", "linestyle": "", "color": style.colour("ours"), "elinewidth": 1.4, "markersize": 4}
    dots(axes[0], [(places[name], found.get(("crps", name))) for name in names], **how)
    dots(axes[1], [(places[name], covered.get(name)) for name in names], **how)
    axes[0].axvline(1, color=style.ink(), linewidth=1, linestyle=":")
    axes[1].axvspan(85, 95, color=style.faint(), alpha=0.5, linewidth=0)
    axes[0].set_yticks([*places.values()], [TITLES[name] for name in names])
    return figure


def claims() -> list[Claim]:
    without = "without small, shrinking and autocorrelated noise in its simulator"
    return [
        Claim("simulator_leads", "On real curves, is the CRPS of the run simulator’s network lower than that of each other "
              "synthetic prior, corrected for five comparisons?", "simulator_leads", AtLeast(5)),
        Claim("real_curves_teach_more", "Does a training on real curves, for most benchmarks of the same source, give a "
              "lower CRPS than the run simulator?", "real_curves_teach_more", Above(1), "×"),
        Claim("raised_without_three", "Does the 90 % interval of a small network of the new prior cover more of real curves "
              f"than that of one of the paper’s prior, even {without}?",
              "raised_without_three", Above(0), "points"),
        Claim("three_raise_coverage", "Does the 90 % interval of a small network of the new prior cover more of real curves "
              f"than that of one {without}?", "three_raise_coverage", Above(0), "points"),
        Claim("three_lower_crps", "On real curves, is the CRPS of a small network of the new prior lower than that of one "
              f"{without}?", "three_lower_crps", Above(1), "×"),
    ]  # fmt: skip
