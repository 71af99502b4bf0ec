"""What does each belief about learning curves cost on real ones?

The networks of `priors_side_by_side`, and one that was trained on real curves, forecast the nine benchmarks. Curves of the
tuning set may train; those of the test set are forecast. The two are runs of different settings, often of one source.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from curvecast.ground.config import later
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.estimates import Estimates, table, there
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import panels
from reproduce.priors._beliefs import LONGER, MEASURED, MIXED, PRIORS, TITLES, Networks
from reproduce.priors._holm import clearly_above
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.scores_by_share import scores

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
NOT_AT_SMOKE_SCALE = {"rows": "nine benchmarks with nine networks take too long"}
ALL = (*PRIORS, MEASURED, MIXED, LONGER)
BASE = "paper"
EARLY = (10, 20, 40)  # per cent of the points observed


@dataclass(frozen=True)
class Config:
    """A long run on a CPU at paper scale."""

    networks: Networks = Networks(ALL, "2x96", benchmarks=tuple(ROWS))
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a benchmark, at most
    side: str = later(TEST)


SCALES = {
    "smoke": Config(Networks(ALL, "1x8", 256, (0,), tuple(ROWS)), ("lcdb11", "nanogpt", "taskset"), 1),
    "laptop": Config(Networks((BASE, "laws", MIXED), curves=12_032, benchmarks=tuple(ROWS)), curves=20),
    "paper": Config(),
}

TABLES = {
    "scores": (
        "network",
        "seed",
        "row",
        "curve",
        "crps",
        "in90",
    ),  # of a curve: means over the shares observed
    "read": benchmarks.READ,
}


def models(config: Config) -> list[TrainConfig]:
    return [config.networks.training(part) for part in config.networks.parts()]


def parts(config: Config) -> list[str]:
    return config.networks.parts()


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.networks.training(part)]


def measure(config: Config, part: str) -> Rows:
    name, _, seed = part.rpartition("-")
    ask = {name: forecasters.network(trained(config.networks.training(part), progress=False))}
    each, read = [], []
    for row in config.rows:
        picked = chosen(row, config.side, config.curves, 0)
        found = scores([one.trial for one in picked], ask)["rows"]
        own = found[found["seen"].isin(EARLY)].groupby("curve", as_index=False)[["crps", "in90"]].mean()
        each.append(own.assign(row=row))
        read.append(benchmarks.listed(row, config.side, picked)["read"])
    rows = pd.concat(each, ignore_index=True).assign(network=name, seed=int(seed))
    rows["crps"] = [float(f"{value:.4g}") for value in rows["crps"]]
    tables = {"scores": rows.round({"in90": 3})[list(TABLES["scores"])]}
    first = part == config.networks.parts()[0]  # all read the same
    return tables | ({"read": pd.concat(read, ignore_index=True)} if first else {})


# ------------------------------------------------------------------------------------------------- estimates


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
    return means.T.groupby([ROWS[row].source for row in means]).mean().T


def logs(found: pd.DataFrame, base: str) -> Estimates:
    """Seeds and sources vary."""
    each = by_benchmark(found, base)
    return there({name: Interval.of_seeds_and_curves(by_source(own)) for name, own in each.items()})


def factors(found: pd.DataFrame, base: str = BASE) -> Estimates:
    """By network: its CRPS over the base's, with equal weight for each source."""
    return {name: one.exp() for name, one in logs(found, base).items()}


def factors_by_row(found: pd.DataFrame) -> Estimates:
    """By network and benchmark, over seeds."""
    return there({
        (name, row): one and one.exp()
        for name, own in by_benchmark(found, BASE).items()
        for row in own if (one := Interval.of_mean(own[row])) is not None
    })  # fmt: skip


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


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """What to take home: the CRPS and the coverage of each belief on real curves."""
    found, names = rows["scores"], [name for name in ALL if (rows["scores"]["network"] == name).any()]
    places = {name: len(names) - i for i, name in enumerate(names)}
    times, covered = factors(found) | {BASE: Interval(1, 1, 1)}, coverage(found)
    figure, axes = panels(["CRPS / that of the paper’s prior", "coverage of the 90 % interval, %"],
                          (8.2, 0.9 + 0.32 * len(names)), sharey=True)  # fmt: skip
    how = {"marker": "o", "linestyle": "", "color": style.colour("ours"), "elinewidth": 1.4, "markersize": 4}
    dots(axes[0], [(places[name], times.get(name)) for name in names], **how)
    dots(axes[1], [(places[name], (one := covered.get(name)) and one.times(100)) for name in names], **how)
    axes[0].axvline(1, color=style.ink(), linewidth=1, linestyle=":")
    axes[1].axvspan(85, 95, color=style.faint(), alpha=0.5, linewidth=0)
    axes[0].set_yticks([*places.values()], [TITLES[name] for name in names])
    return {"cost": figure}


def tabulate(rows: Rows) -> Rows:
    titles = {name: TITLES[name] for name in ALL}
    others = {name: title for name, title in titles.items() if name != BASE}
    by_row, covered = factors_by_row(rows["scores"]), coverage(rows["scores"])
    each, column = {(name, 0): one for name, one in covered.items()}, {0: "coverage of the 90 % interval, %"}
    return {
        "crps": table(by_row, "CRPS / that of the paper’s prior", others, benchmarks.TITLES, ".2f"),
        "coverage": table(each, "belief", titles, column, ".1f", times=100),
    }


def claims(rows: Rows) -> list[Claim]:
    found = rows["scores"]
    over_laws, covered = factors(found, "laws"), coverage(found)
    return [
        Claim("simulator_leads", "On real curves, is the CRPS of the run simulator’s network lower than that of each other "
              "synthetic prior, corrected for five comparisons?", worse_than(found, "laws"), AtLeast(5)),
        Claim("mixture_suffices", "On real curves, is the CRPS of the mixture’s network about as low as the run simulator’s?",
              over_laws.get(MIXED), AtMost(1.05), "×"),
        Claim("real_curves_teach_more", "Does a training on real curves, for most benchmarks of the same source, give a "
              "lower CRPS than the run simulator?", factors(found, MEASURED).get("laws"), Above(1), "×"),
        Claim("eleven_help", "Do all eleven basis curves of the paper’s code give a lower CRPS on real curves than the three "
              "that the paper uses?", factors(found, "eleven").get(BASE), Above(1), "×"),
        Claim("simulator_covers", "With the run simulator, does the 90 % interval keep its coverage on real curves?",
              covered.get("laws"), Between(0.85, 0.95), "%"),
        Claim("real_curves_cover", "After a training on real curves, does the 90 % interval keep its coverage?",
              covered.get(MEASURED), Between(0.85, 0.95), "%"),
    ]  # fmt: skip
