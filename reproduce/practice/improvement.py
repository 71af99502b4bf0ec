"""Is an improvement more than noise, and does it pay to ask?"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from curvecast.curves import prior
from curvecast.curves.real_table import TEST
from curvecast.forecasting.first_passage import improved
from presswork import AtMost, Below, Between, Claim, Estimates, Interval, Rows
from presswork.estimates import there
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, chosen

SINCE = 10  # checks
CHANCE = 0.05  # stop when a run has at most this to be better than it ever was up to so many checks ago
PATIENCE = 23  # checks: trains about as much on the tuning set
STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(ROWS)
    side: str = TEST
    curves: int = 15  # of a benchmark, at most
    priors: int = 500  # curves of the prior
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 80)
    back: tuple[int, ...] = (1, 2, 3, 4)  # checks
    draws: int = 200
    seed: int = 0


SCALES = {
    "smoke": Config(curves=1, priors=20, cutoffs=(5, 20), draws=20),
    "laptop": Config(),
    "paper": Config(curves=60, priors=4000),
}
PARTS = ("prior", "{row}")
TABLES = {
    "told": ("curve", "seen", "back", "told", "better"),
    "stops": ("source", "curve", "rule", "trained", "lost"),
    "read": benchmarks.READ,
}


def measure(config: Config, row: str | None) -> Rows:
    if row is None:
        return {"told": pd.DataFrame(of_the_prior(config))}
    found = chosen(row, config.side, config.curves, config.seed)
    lines: list[dict[str, Any]] = []
    for number, (_, trial) in enumerate(found):
        y = trial.seen
        for rule, end in (("improved", stop(config, y)), ("patience", patient(y))):
            lost = (y.max() - y[:end].max()) / max(y.max() - y[0], 1e-9)
            about = {"source": ROWS[row].source, "curve": number, "rule": rule}
            lines.append(about | {"trained": end / len(y), "lost": lost})
    listed = benchmarks.listed(row, config.side, found)
    return {"stops": pd.DataFrame(lines, columns=list(TABLES["stops"])), "read": listed["read"]}


def of_the_prior(config: Config) -> list[dict[str, Any]]:
    """Whose curves are known without their noise."""
    curves = prior.second_test_set(config.priors)
    pairs, lines = [*product(config.cutoffs, config.back)], []
    for number, (noisy, clean) in enumerate(zip(curves.noisy.numpy(), curves.clean.numpy(), strict=True)):
        seen, back = pairs[number % len(pairs)]
        steps, before = np.arange(1.0, seen + 1), seen - back
        told = improved(steps, noisy[:seen].astype(float), before, config.draws, config.seed)
        better = int(clean[seen - 1] > clean[:before].max())
        lines.append({"curve": number, "seen": seen, "back": back, "told": told, "better": better})
    return lines


def stop(config: Config, y: np.ndarray) -> int:
    """After so many points."""
    steps = np.arange(1.0, len(y) + 1)
    for n in range(SINCE + 2, len(y)):
        if improved(steps[:n], y[:n], n - SINCE, config.draws, config.seed) <= CHANCE:
            return n
    return len(y)


def patient(y: np.ndarray) -> int:
    """After so many points: the first at which as many checks have brought nothing better."""
    best = np.maximum.accumulate(y)
    ends = [n for n in range(PATIENCE + 1, len(y)) if best[n - 1] <= best[n - PATIENCE - 1]]
    return ends[0] if ends else len(y)


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: Rows) -> Estimates:
    """{"off": points that the told chance is too high, over curves of the prior}; over sources, each of which counts once,
    {"more trained", "more lost": points, in place of patience}"""
    told = rows["told"].set_index("curve")
    found = {"off": Interval.of_mean(100 * (told["told"] - told["better"]))}
    for what in ("trained", "lost"):
        means = rows["stops"].pivot_table(index="source", columns="rule", values=what)
        if len(means):
            found[f"more {what}"] = Interval.of_mean(100 * (means["improved"] - means["patience"]))
    return there(found)


def claims() -> list[Claim]:
    stop = "Does a stop where a run has at most 5 % to be better than ten checks ago"
    than = f"than a patience of {PATIENCE} checks, on average over sources"
    return [
        Claim("told", "On curves of the prior, is the told chance that a run has improved within three points of how often "
              "it has, on average?", "off", Between(-3, 3), "points"),
        Claim("lost", f"{stop} lose less of what a real run gains {than}?", "more lost", Below(0), "points"),
        Claim("trained", f"{stop} train at most three points more of a real run {than}?", "more trained", AtMost(3),
              "points"),
    ]  # fmt: skip
