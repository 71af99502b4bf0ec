"""What does each property of the new prior improve on real curves, and what does it cost on the paper’s own?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.prior import test_set
from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.scores.evaluate import likelihood
from curvecast.scores.metrics import estimate, paired
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.estimates import Estimates, those_of
from reproduce._press.estimates import table as tabled
from reproduce._press.where import Rows, where
from reproduce.new_data import _forecasters
from reproduce.new_data._forecasters import ForecastersConfig
from reproduce.new_data._scores_by_benchmark import EARLY, number
from reproduce.new_data.prior_features import estimates
from reproduce.new_data.prior_features.estimates import BASE
from reproduce.new_data.prior_features.variants import (
    ALL,
    SEEDS,
    TITLES,
    WITHOUT,
    networks,
    on_the_papers,
    variant,
)
from reproduce.pictures.panels import around, panels, ticks
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.benchmarks import TITLES as BENCHMARKS

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
RIVALS = ("old", BASE)  # on the paper's curves
CUTOFFS = (5, 10, 20, 40, 70)  # epochs observed of these
SHOWN = (10, 20, 40)
STEPS = (1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)  # factors that an axis may name
MOST = 0.10  # nats per point: the limit that was set for the cost


@dataclass(frozen=True)
class Config:
    """A long run on a CPU at paper scale: 32 networks, a minute or two each."""

    variants: tuple[str, ...] = ALL
    size: str = "2x96"
    side: str = TEST  # TUNING while something is chosen
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a row, at most
    tested: int = 1000  # curves of THE test set
    seed: int = 0


SCALES = {
    "smoke": Config(size="1x8", curves=2, tested=10),
    "laptop": Config((BASE, "old", "laws-alone")),
    "paper": Config(curves=100),
}  # fmt: skip

TABLES = {
    "curves": (*benchmarks.ABOUT, "side"),
    "rows": ("row", "curve", "seen", "method", "crps", "in90"),  # seen: per cent of the points observed
    "own": ("method", "cutoff", "rival", "ll", "gain", "se"),  # gain: nats per point above the rival
    "read": benchmarks.READ,
}


def models(config: Config) -> list[TrainConfig]:
    return list(dict.fromkeys(model for part in parts(config) for model in needs(config, part)))


def needs(config: Config, part: str) -> list[TrainConfig]:
    """A variant, by itself or once for each source that is left out, and those beside which it is put."""
    rivals = [variant(config.size, name) for name in RIVALS]
    own = on_the_papers(config.size, part, config.rows)
    return list(dict.fromkeys([*rivals, *networks(config.size, part, config.rows).values(), own]))


def parts(config: Config) -> list[str]:
    return list(config.variants)


def measure(config: Config, part: str) -> Rows:
    asked, own = networks(config.size, part, config.rows), on_the_papers(config.size, part, config.rows)
    rivals = {name: variant(config.size, name) for name in RIVALS if name != part}
    loaded = {train: trained(train) for train in {*asked.values(), own, *rivals.values()}}
    tables = [_of_row(config, part, row, loaded[train]) for row, train in asked.items()]
    beside = _beside_rivals(
        part, loaded[own], {name: loaded[train] for name, train in rivals.items()}, config.tested
    )
    return _forecasters.together(tables) | {"own": beside}


def _of_row(config: Config, part: str, row: str, network: Forecaster) -> Rows:
    """Scores on the real curves of a benchmark."""
    picked = chosen(row, config.side, config.curves, config.seed)
    who, trials = {part: forecasters.network(network)}, [one.trial for one in picked]
    scores = _forecasters.scored(ForecastersConfig(), "network", who, trials, row)["rows"]
    tables = {"rows": scores[scores["seen"].isin(EARLY)][list(TABLES["rows"])]}
    if part == BASE:  # all see the same curves
        tables |= benchmarks.listed(row, config.side, picked)
    return tables


def _beside_rivals(
    name: str, network: Forecaster, rivals: dict[str, Forecaster], curves: int
) -> pd.DataFrame:
    """Log-likelihood of future points on THE test set of the paper's prior, paired with the rivals'."""
    y = test_set(curves).noisy
    rows = []
    for cutoff in CUTOFFS:
        own = likelihood(network, y, cutoff)
        for rival, other in rivals.items():
            told = paired(own, likelihood(other, y, cutoff))
            rows.append((name, cutoff, rival, estimate(own).value, told.value, told.se))
    return pd.DataFrame(rows, columns=list(TABLES["own"])).round({"ll": 4, "gain": 4, "se": 5})


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """A line for each variant, and a panel for each benchmark, or for each number of observed epochs."""
    scored = estimates.each(rows)
    measured = [name for name in estimates.there(scored) if name not in (BASE, *SEEDS)]
    asked = {"features": [name for name in measured if name in WITHOUT],
             "priors": [name for name in measured if name not in WITHOUT]}  # fmt: skip
    drawn = {
        figure: _real(scored, names) for figure, names in asked.items() if names
    }  # features: at paper scale alone
    return drawn | {"price": _price(estimates.prices(rows["own"]))}


def _real(scored: pd.DataFrame, names: list[str]) -> Figure:
    """CRPS divided by the new prior's; grey: seed-to-seed variation."""
    ratios = estimates.ratios(scored)
    figure, axes = _panels([*BENCHMARKS.values()], names)
    for ax, row in zip(axes, BENCHMARKS, strict=True):
        moved = estimates.luck(where(scored, row=row))
        if moved:
            ax.axvspan(1 / moved, moved, color=style.faint(), alpha=0.6, linewidth=0)
        ax.set_xscale("log")
        _dots(ax, names, {name: ratios[name, row] for name in names if (name, row) in ratios}, 1.0)
        ticks(ax, _around_one(*ax.get_xlim()), ".3g")
    around(figure, "CRPS / that of the new prior’s network (right is worse; grey: seed-to-seed variation)")
    return figure


def _around_one(low: float, high: float) -> list[float]:
    """1 and the widest round factor that fits on either side of it."""
    reach = max(high, 1 / low)
    step = max((step for step in STEPS if step <= reach), default=STEPS[0])
    return [tick for tick in (1 / step, 1.0, step) if low <= tick <= high]


def _price(found: Estimates) -> Figure:
    """The cost on curves of the paper's prior: how far a variant scores below that prior's network."""
    names = [name for name in TITLES if those_of(found, name)]
    figure, axes = _panels([f"{cutoff} epochs observed" for cutoff in SHOWN], names)
    for ax, cutoff in zip(axes, SHOWN, strict=True):
        ax.axvline(MOST, color=style.ink(), linewidth=1, linestyle=":")
        _dots(ax, names, {name: found[name, cutoff] for name in names}, 0.0)
    around(figure, "nats per point below the network of the paper’s prior (left is better)")
    return figure


def _panels(titles: list[str], names: list[str]) -> tuple[Figure, list[Axes]]:
    columns = min(3, len(titles))
    lines = -(-len(titles) // columns)
    return panels(titles, (2 + 2.2 * columns, 0.6 + lines * (0.5 + 0.2 * len(names))), columns, sharey=True)


def _dots(ax: Axes, names: list[str], found: Estimates, none: float) -> None:
    ax.axvline(none, color=style.ink(), linewidth=1)
    for place, name in enumerate(names):
        if told := found.get(name):
            ax.plot([told.low, told.high], [place, place], color=style.colour("new"), linewidth=1.2)
            ax.plot(told.value, place, "o", color=style.colour("new"), markersize=4)
    ax.set_yticks(np.arange(len(names)), [TITLES[name] for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(labelsize=8)


def tabulate(rows: Rows) -> Rows:
    """What each variant improves and costs."""
    scored, price = estimates.each(rows), estimates.prices(rows["own"])
    names = estimates.there(scored)
    variants = {name: TITLES[name] for name in TITLES if those_of(price, name)}
    after = {cutoff: f"after {cutoff} epochs" for cutoff in CUTOFFS}
    return {
        "bought": _bought(scored, price, names),
        "held": _held(estimates.held(rows), names),
        "price": tabled(price, "nats per point below the paper’s prior", variants, after, ".3f"),
        "read": _read(rows["read"]),
    }


def _bought(scored: pd.DataFrame, price: Estimates, names: list[str]) -> pd.DataFrame:
    """CRPS divided by the new prior's; last, the cost of the variant on the paper's curves."""
    ratios, every = estimates.ratios(scored), estimates.over_rows(scored)

    def cell(told: Estimates, key: object) -> str:
        return number(told[key].value) if key in told else "–"

    return pd.DataFrame([
        {"CRPS / the new prior’s": TITLES[name]}
        | {title: cell(ratios, (name, row)) for row, title in BENCHMARKS.items()}
        | {"all benchmarks": cell(every, name),
           f"cost in nats per point at {' / '.join(map(str, SHOWN))} epochs":
           " / ".join(cell(price, (name, cutoff)) for cutoff in SHOWN)}
        for name in names
    ])  # fmt: skip


def _held(covered: pd.Series, names: list[str]) -> pd.DataFrame:
    """Coverage of the 90 % interval by variant, in per cent: a cell is a benchmark at 10, 20 or 40 % observed."""

    def percent(share: float) -> str:
        return number(100 * share, 0)

    lines = []
    for name in names:
        own = covered[name]
        shares = {row: " / ".join(map(percent, some)) for row, some in own.groupby("row")}
        lines.append({
            "coverage, %": TITLES[name], "on average": percent(own.mean()), "in the worst cell": percent(own.min()),
            "cells from 82 to 98 %": f"{own.between(0.82, 0.98).sum()} of {len(own)}",
        } | {title: shares.get(row, "–") for row, title in BENCHMARKS.items()})  # fmt: skip
    return pd.DataFrame(lines)


def _read(own: pd.DataFrame) -> pd.DataFrame:
    """Which tables of real curves were read, in the words of the page."""
    said = {"row": BENCHMARKS, "side": {TUNING: "tuning set", TEST: "test set"}}
    return (
        own[list(benchmarks.READ)]
        .astype(str)
        .replace(said)
        .rename(columns={"row": "benchmark", "side": "set"})
    )


def claims(rows: Rows) -> list[Claim]:
    scored, price = estimates.each(rows), estimates.prices(rows["own"])
    covered, times = estimates.held(rows), estimates.over_seeds(scored)
    mixture = estimates.prices(rows["own"], BASE)
    return [
        *(Claim(f"price_{cutoff}", f"On the paper’s curves with {cutoff} epochs observed, is the cost of the new prior "
                "within the limit that we set, at an equal training budget?",
                estimates.of_seeds(price, cutoff), AtMost(MOST), "nats per point") for cutoff in (SHOWN[0], SHOWN[-1])),
        Claim("buys", "On real curves, is the CRPS of the network of the paper’s prior larger than that of the new "
              "prior’s network, with equal weight for each benchmark?", times.get("old"), Above(1), "×"),
        Claim("buys_everywhere", "Is the CRPS of the new prior’s network lower than that of the paper’s prior on every "
              "benchmark?", estimates.rows_won(scored, "old"), AtLeast(9)),
        Claim("holds_new", "Is the mean coverage of the new prior’s 90 % interval close to nominal, with a small "
              "network, 10 to 40 % observed and excluding Pythia?",
              estimates.held_on_average(covered, "new"), Between(0.88, 0.94), "%"),
        Claim("holds_old", "Is the mean coverage of the 90 % interval under the paper’s prior close to nominal, with a "
              "small network, 10 to 40 % observed and excluding Pythia?",
              estimates.held_on_average(covered, "old"), AtLeast(0.88), "%"),
        Claim("mixture", "On real curves, is the CRPS with the simulator alone at least about as large as that of the "
              "mixture with the paper’s prior?", times.get("laws-alone"), AtLeast(0.97), "×"),
        Claim("mixture_saves", "On the paper’s curves with 20 epochs observed, does the mixture score higher than the "
              "simulator alone?", mixture.get(("laws-alone", 20)), Above(0), "nats per point"),
        Claim("units_real", "On real curves, is the CRPS without per-curve scaling larger than with it?",
              times.get("new-epochs"), Above(1), "×"),
        Claim("units_own", "On the paper’s curves with 20 epochs observed, does per-curve scaling raise the "
              "log-likelihood, or lower it only slightly?", estimates.units(price), AtLeast(-0.02), "nats per point"),
        Claim("laws_that_pay", "Does leaving out a property of the simulator raise the CRPS by more than seed-to-seed "
              "variation for most of the thirteen properties?", estimates.paying(scored), AtLeast(7)),
        Claim("other_sources", "On real curves, is the CRPS of a network trained on real curves of the other sources "
              "larger than that of the new prior’s network?", times.get("measured"), Above(1), "×"),
    ]  # fmt: skip
