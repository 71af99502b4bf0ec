"""What does the new prior improve on real curves, what does it cost on the paper’s own, and would another belief do better?

Networks of one size, budget and recipe are trained on different curves: each is the one of the new prior with one change. All
have twice the buckets of the small networks, since real curves are smoother than those of the paper's prior.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.curves.real_table import TEST
from curvecast.ground.config import later
from curvecast.scores.evaluate import likelihood
from curvecast.scores.metrics import estimate, paired
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import with_errors
from presswork.intervals import drawn, fewest, student
from reproduce.new_data import _forecasters
from reproduce.new_data._forecasters import NEW_PRIOR
from reproduce.new_data._scores import EARLY, number, over_sources
from reproduce.new_data.prior_features import beliefs
from reproduce.new_data.prior_features.beliefs import BeliefsConfig
from reproduce.pictures.panels import panels
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.benchmarks import TITLES as BENCHMARKS
from reproduce.protocols.empirical_prior import empirical
from reproduce.trainings import SMALL, TINIEST, TINY

STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}
NOT_AT_SMOKE_SCALE = {"beliefs.rows": "nine benchmarks with nine networks take too long"}
LABEL_FREE = {"simulator_leads": "a count of clear leads, of which seven sources show none under any name"}
BASE = "new"
RIVALS = ("old", BASE)  # on the paper's curves
CUTOFFS = (5, 10, 20, 40, 70)  # epochs observed of these
SHOWN = (10, 20, 40)
MOST = 0.10  # nats per point: the limit that was set for the cost

SEEDS = {"seed-1": 1, "seed-2": 2}
SHARES = {"real-25": 0.25, "real-75": 0.75, "laws-alone": 1.0}
MEASURED = {"measured": 1.0, "measured-half": 0.5}  # share of the groups of a batch that are real curves

TITLES = {
    "new": "new prior", "seed-1": "another seed", "seed-2": "a third seed", "old": "paper’s prior",
    "old-epochs": "paper’s prior, no per-curve scaling", "new-epochs": "no per-curve scaling",
    "real-25": "a quarter from the simulator", "real-75": "three quarters from the simulator",
    "laws-alone": "the simulator alone", "measured": "real curves of other sources",
    "measured-half": "half real curves, half new prior",
}  # fmt: skip
ALL = tuple(TITLES)


@dataclass(frozen=True)
class Config:
    """A long run on a CPU at paper scale: 19 networks, and 27 of beliefs, a minute or two each."""

    variants: tuple[str, ...] = ALL
    size: str = "2x96"
    side: str = TEST
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a row, at most
    tested: int = 1000  # curves of THE test set
    seed: int = 0
    beliefs: BeliefsConfig = BeliefsConfig()
    loud: tuple[int, ...] = later((0, 1, 2))  # seeds


SCALES = {
    "smoke": Config(size="1x8", curves=2, tested=10, beliefs=beliefs.SMOKE, loud=(0, 1)),
    "laptop": Config((BASE, "old", "laws-alone"), beliefs=beliefs.LAPTOP),
    "paper": Config(curves=100),
}  # fmt: skip

TABLES = {
    "curves": (*benchmarks.ABOUT, "side"),
    "rows": ("row", "curve", "seen", "method", "crps", "in90"),  # seen: per cent of the points observed
    "own": ("method", "cutoff", "rival", "ll", "gain", "se"),  # gain: nats per point above the rival
    "read": benchmarks.READ,
    "beliefs": beliefs.SCORES,
    "loud": beliefs.LOUD,
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Variants; beliefs by name and seed; and networks of the new prior without three properties, by seed alone."""
    seeds = config.loud if {BASE, *SEEDS} <= set(config.variants) else ()
    believed = {f"belief-{part}": values for part, values in config.beliefs.networks.parts().items()}
    variants = {name: {"method": name} for name in config.variants}
    return variants | believed | {f"loud-{seed}": {"seed": seed} for seed in seeds}


def needs(config: Config, method: str | None, name: str | None, seed: int) -> list[TrainConfig]:
    """A variant, by itself or once for each source that is left out, and those beside which it is put; or a belief."""
    if name:
        return [config.beliefs.networks.training(name, seed)]
    if not method:
        return []  # trained when it is measured: a network more would change the settings of all parts
    rivals = [variant(config.size, name) for name in RIVALS]
    own = on_the_papers(config.size, method, config.rows)
    return list(dict.fromkeys([*rivals, *networks(config.size, method, config.rows).values(), own]))


def measure(config: Config, method: str | None, name: str | None, seed: int) -> Rows:
    if name:
        return beliefs.measure(config.beliefs, name, seed)
    if not method:
        network = trained(beliefs.without_three(variant(config.size, BASE), seed))
        each = [_of_row(config, "loud", row, network)["rows"] for row in config.rows]
        return {"loud": pd.concat(each, ignore_index=True).assign(seed=seed)[list(beliefs.LOUD)]}
    asked, own = networks(config.size, method, config.rows), on_the_papers(config.size, method, config.rows)
    rivals = {name: variant(config.size, name) for name in RIVALS if name != method}
    loaded = {train: trained(train) for train in {*asked.values(), own, *rivals.values()}}
    tables = [_of_row(config, method, row, loaded[train]) for row, train in asked.items()]
    others = {name: loaded[train] for name, train in rivals.items()}
    return _forecasters.together(tables) | {"own": _beside(method, loaded[own], others, config.tested)}


def _of_row(config: Config, method: str, row: str, network: Forecaster) -> Rows:
    """Scores on the real curves of a benchmark."""
    picked = chosen(row, config.side, config.curves, config.seed)
    who, trials = {method: forecasters.network(network)}, [one.trial for one in picked]
    scores = _forecasters.scored(who, trials, row)
    tables = {"rows": scores[scores["seen"].isin(EARLY)][list(TABLES["rows"])]}
    if method == BASE:  # all see the same curves
        tables |= benchmarks.listed(row, config.side, picked)
    return tables


def _beside(name: str, network: Forecaster, rivals: dict[str, Forecaster], curves: int) -> pd.DataFrame:
    """Log-likelihood of future points on THE test set of the paper's prior, paired with the rivals'."""
    y = test_set(curves).noisy
    rows = []
    for cutoff in CUTOFFS:
        own = likelihood(network, y, cutoff)
        for rival, other in rivals.items():
            told = paired(own, likelihood(other, y, cutoff))
            rows.append((name, cutoff, rival, estimate(own).value, told.value, told.se))
    return pd.DataFrame(rows, columns=list(TABLES["own"])).round({"ll": 4, "gain": 4, "se": 5})


def networks(size: str, name: str, rows: tuple[str, ...]) -> dict[str, TrainConfig]:
    """The network that is scored on each benchmark; all the same unless trained on real curves."""
    if name not in MEASURED:
        return dict.fromkeys(rows, variant(size, name))
    return {row: empirical(variant(size, "new"), rows, row, MEASURED[name]) for row in rows}


def on_the_papers(size: str, name: str, rows: tuple[str, ...]) -> TrainConfig:
    """The network that is scored on curves of the paper's prior: no source needs to be left out there."""
    if name not in MEASURED:
        return variant(size, name)
    return empirical(variant(size, "new"), rows, None, MEASURED[name])


def variant(size: str, name: str) -> TrainConfig:
    small = (SMALL | TINY | TINIEST)[size]
    units, epochs = (replace(small.model, features=features) for features in ("spread", "epochs"))
    bars = replace(small.bars, buckets=2 * small.bars.buckets)
    new, paper = replace(small, model=units, prior=NEW_PRIOR, bars=bars), PriorConfig()
    if name in SEEDS:
        return replace(new, seed=SEEDS[name])
    if name in SHARES:
        return replace(new, prior=PriorConfig(real=SHARES[name]))
    others = {
        "new": new, "new-epochs": replace(new, model=epochs), "old": replace(new, prior=paper),
        "old-epochs": replace(new, prior=paper, model=epochs),
    }  # fmt: skip
    return others[name]


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(variant, epochs observed): the cost on the paper’s curves}, those of `beliefs`, and by the names of their claims."""
    own = rows["own"].assign(n=config.tested)
    price = prices(own)
    return price | beliefs.estimates(rows["beliefs"]) | there({
        **{f"price_{cutoff}": of_seeds(price, cutoff) for cutoff in (SHOWN[0], SHOWN[-1])},
        "raised": raised(held(rows)),
        "mixture_saves": prices(own, BASE).get(("laws-alone", 20)),
        **beliefs.what_three_bring(rows["rows"], rows["loud"], {BASE: 0, **SEEDS}),
    })  # fmt: skip


def prices(own: pd.DataFrame, rival: str = "old") -> Estimates:
    """By variant and epochs observed: how far the rival scores above, on the paper's curves, which vary; seeds do not."""
    some = where(own, rival=rival)
    return with_errors(some.assign(price=-some["gain"]), ["method", "cutoff"], "price", "se")


def of_seeds(price: Estimates, cutoff: int) -> Interval | None:
    """Over curves and seeds. All are scored on the same curves, so their mean keeps the sampling error; the rival is
    one training, of which another seed would move the difference as much as a seed here moves its own."""
    found = [price.get((name, cutoff)) for name in (BASE, *SEEDS)]
    known = [one for one in found if one]
    if len(known) < len(found):
        return None
    values, of_curves = pd.Series([one.value for one in known]), max(one.half for one in known)
    of_all = student(len(known)) * float(values.std()) * math.sqrt(1 / len(known) + 1)
    over = drawn(values.rename_axis("seed")) + fewest(*known)
    return Interval.around(float(values.mean()), math.hypot(of_curves, of_all), over)


def held(rows: Rows) -> pd.Series:
    """Coverage of the 90 % interval, by variant, benchmark and share observed."""
    return rows["rows"].groupby(["method", "row", "seen"])["in90"].mean()


def raised(covered: pd.Series) -> Interval | None:
    """How much more the new prior's network covers than that of the paper's prior, in points; a source counts once."""
    if not {BASE, "old"} <= set(covered.index.get_level_values("method")):
        return None
    more = 100 * (covered[BASE] - covered["old"]).groupby("row").mean()
    return over_sources(more) if len(more) == len(ROWS) else None


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    return {"price": _price(found), "beliefs": beliefs.draw(rows["beliefs"], found)}


def _price(found: Estimates) -> Figure:
    """The cost on curves of the paper's prior: how far a variant scores below that prior's network."""
    names = [name for name in TITLES if (name, SHOWN[0]) in found]
    across = "nats per point below the network of the paper’s prior (left is better)"
    titles, size = [f"{cutoff} epochs observed" for cutoff in SHOWN], (8.6, 1.1 + 0.2 * len(names))
    figure, axes = panels(titles, size, across=across, sharey=True)
    for ax, cutoff in zip(axes, SHOWN, strict=True):
        ax.axvline(MOST, color=style.ink(), linewidth=1, linestyle=":")
        ax.axvline(0.0, color=style.ink(), linewidth=1)
        for place, name in enumerate(names):
            told = found[name, cutoff]
            ax.plot([told.low, told.high], [place, place], color=style.colour("new"), linewidth=1.2)
            ax.plot(told.value, place, "o", color=style.colour("new"), markersize=4)
        ax.set_yticks(np.arange(len(names)), [TITLES[name] for name in names])
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.tick_params(labelsize=8)
    return figure


def tabulate(rows: Rows) -> Rows:
    """Coverage of the 90 % interval by variant, in per cent: a cell is a benchmark at 10, 20 or 40 % observed."""

    def percent(share: float) -> str:
        return number(100 * share, 0)

    covered, lines = held(rows), []
    for name in (name for name in TITLES if (rows["rows"]["method"] == name).any()):
        own = covered[name]
        shares = {row: " / ".join(map(percent, some)) for row, some in own.groupby("row")}
        lines.append({
            "coverage, %": TITLES[name], "on average": percent(own.mean()), "in the worst cell": percent(own.min()),
            "cells from 82 to 98 %": f"{own.between(0.82, 0.98).sum()} of {len(own)}",
        } | {title: shares.get(row, "–") for row, title in BENCHMARKS.items()})  # fmt: skip
    return {"held": pd.DataFrame(lines)}


def claims() -> list[Claim]:
    return [
        *(Claim(f"price_{cutoff}", f"On the paper’s curves with {cutoff} epochs observed, is the cost of the new prior "
                "within the limit that we set, at an equal training budget?",
                f"price_{cutoff}", AtMost(MOST), "nats per point") for cutoff in (SHOWN[0], SHOWN[-1])),
        Claim("raised", "Does the 90 % interval of a small network of the new prior cover more than that of one of the "
              "paper’s prior, on average over the seven sources, with 10 to 40 % observed?",
              "raised", Above(0), "points"),
        Claim("mixture_saves", "On the paper’s curves with 20 epochs observed, does the mixture score higher than the "
              "simulator alone?", "mixture_saves", Above(0), "nats per point"),
        *beliefs.claims(),
    ]  # fmt: skip
