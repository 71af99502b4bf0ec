"""Is an improvement more than noise, and does it pay to ask?"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.real_table import TEST
from curvecast.forecasting.improvement import improved
from presswork import Above, AtMost, Between, Claim, Estimates, Interval, Rows, style
from presswork.estimates import there
from reproduce.pictures.panels import panels
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, chosen

RULE, PATIENCE = "improved", "patience"
SINCE, CHANCE = (
    10,
    0.05,
)  # stop when the run has so little chance to be better than it ever was up to ten checks ago
LIKE = 25  # the patience that trains about as much on the tuning set
STAND_IN = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(ROWS)
    side: str = TEST
    curves: int = 15  # of a benchmark, at most
    priors: int = 500  # curves of the prior, others than those that chose the odds
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 80)
    back: tuple[int, ...] = (1, 2, 3, 4)  # checks
    patience: tuple[int, ...] = (5, 10, 15, 20, LIKE, 30, 40)
    draws: int = 200
    seed: int = 0


SCALES = {
    "smoke": Config(curves=1, priors=20, cutoffs=(5, 20), draws=20),
    "laptop": Config(),
    "paper": Config(curves=60, priors=4000),
}
PARTS = ("prior", "{row}")
TABLES = {
    "told": ("curve", "seen", "back", "told", "better", "above"),
    "stops": ("source", "curve", "rule", "patience", "trained", "lost"),
    "read": benchmarks.READ,
}


def measure(config: Config, row: str | None) -> Rows:
    if row is None:
        return {"told": pd.DataFrame(of_the_prior(config))}
    found = chosen(row, config.side, config.curves, config.seed)
    lines: list[dict[str, Any]] = []
    for number, (_, trial) in enumerate(found):
        y = trial.seen
        if len(y) > SINCE + 2:
            rules = {(PATIENCE, p): patient(y, p) for p in config.patience} | {(RULE, SINCE): stop(config, y)}
            lines += [
                {"source": ROWS[row].source, "curve": number, "rule": rule, "patience": p, "trained": end / len(y),
                 "lost": (y.max() - y[:end].max()) / max(y.max() - y[0], 1e-9)} for (rule, p), end in rules.items()
            ]  # fmt: skip
    listed = benchmarks.listed(row, config.side, found)
    return {"stops": pd.DataFrame(lines, columns=list(TABLES["stops"])), "read": listed["read"]}


def of_the_prior(config: Config) -> list[dict[str, Any]]:
    """Whose curves are known without their noise."""
    curves = prior.test_set(config.priors)
    pairs, lines = [*product(config.cutoffs, config.back)], []
    for number, (noisy, clean) in enumerate(zip(curves.noisy.numpy(), curves.clean.numpy(), strict=True)):
        seen, back = pairs[number % len(pairs)]
        steps, before = np.arange(1.0, seen + 1), seen - back
        told = improved(steps, noisy[:seen].astype(float), before, config.draws, config.seed)
        better, above = (int(y[seen - 1] > y[:before].max()) for y in (clean, noisy))
        lines.append(
            {"curve": number, "seen": seen, "back": back, "told": told, "better": better, "above": above}
        )
    return lines


def patient(y: np.ndarray, patience: int) -> int:
    """After so many points: the first at which as many checks have brought nothing better."""
    best = np.maximum.accumulate(y)
    ends = [n for n in range(patience + 1, len(y)) if best[n - 1] <= best[n - patience - 1]]
    return ends[0] if ends else len(y)


def stop(config: Config, y: np.ndarray) -> int:
    steps = np.arange(1.0, len(y) + 1)
    for n in range(SINCE + 2, len(y)):
        if improved(steps[:n], y[:n], n - SINCE, config.draws, config.seed) <= CHANCE:
            return n
    return len(y)


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: Rows) -> Estimates:
    """Over curves of the prior {"off": points too high, "brier gain": over taking a new best for an improvement}; over
    sources that count alike {("trained" or "lost", rule, patience)} and, in points, {(either, "less than patience")}"""
    told = rows["told"].set_index("curve")
    off, naive = told["told"] - told["better"], told["above"] - told["better"]
    found: dict[Any, Interval | None] = {
        "off": Interval.of_mean(100 * off), "brier gain": Interval.of_mean(naive**2 - off**2)
    }  # fmt: skip
    for what in ("trained", "lost"):
        means = rows["stops"].groupby(["rule", "patience", "source"])[what].mean()
        found |= {
            (what, *key): Interval.of_mean(own.droplevel([0, 1])) for key, own in means.groupby(level=[0, 1])
        }
        pair = [means.get((RULE, SINCE)), means.get((PATIENCE, LIKE))]
        if all(one is not None for one in pair):
            found[what, "less than patience"] = Interval.of_mean(100 * (pair[1] - pair[0]).dropna())
    return there(found)


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    figure, (told, lost) = panels(("curves of the prior", "real runs"), (8, 3.8))
    bins = rows["told"].assign(bin=np.minimum((rows["told"]["told"] * 10).astype(int), 9)).groupby("bin")
    means = 100 * bins[["told", "better"]].mean()
    told.plot([0, 100], [0, 100], color=style.ink(), linewidth=1, linestyle=":")
    told.plot(means["told"], means["better"], "o-", color=style.colour("shipped"))
    told.set(xlabel="told chance that it is better, %", ylabel="better, %")
    for rule, look, name in ((PATIENCE, "last", "patience"), (RULE, "shipped", "not better but for noise")):
        keys = [key for key in found if isinstance(key, tuple) and key[:2] == ("lost", rule)]
        places = [[100 * found[what, *key[1:]].value for key in keys] for what in ("trained", "lost")]
        lost.plot(*places, "o-", color=style.colour(look), label=name)
    lost.set(xlabel="trained, % of the points", ylabel="lost, % of all that was gained")
    lost.legend(frameon=False)
    return {"pays": figure}


def claims(found: Estimates) -> list[Claim]:
    return [
        Claim("told", "On curves of the prior, is the told chance that a run has improved within three points of how often "
              "it has, on average?", found.get("off"), Between(-3, 3), "points"),
        Claim("brier", "Is its Brier score on curves of the prior better than that of taking each new best value for an "
              "improvement?", found.get("brier gain"), Above(0)),
        Claim("lost", "On real runs, does a stop where a run has at most 5 % to be better than ten checks ago lose less than "
              f"a patience of {LIKE} checks, on average over sources?", ("lost", "less than patience"), Above(0), "points"),
        Claim("trained", "Does it train at most three points more of a run, on average over sources?",
              _more(found), AtMost(3), "points"),
    ]  # fmt: skip


def _more(found: Estimates) -> Interval | None:
    less = found.get(("trained", "less than patience"))
    return less and less.negated()
