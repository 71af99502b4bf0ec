"""How good are forecasts of real curves, by source, by method, by share observed?

A benchmark is a source and one of its metrics; a cell is a benchmark at one share observed. The bounds of the claims were
set before the prior was made.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.ground.config import later
from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.estimates import Rows, where
from reproduce._press.intervals import Interval, in_cell
from reproduce.new_data import _factors, _forecasters, _scores_by_benchmark, _warned
from reproduce.new_data._forecasters import LONG, TINY, ForecastersConfig
from reproduce.new_data._scores_by_benchmark import EARLY, OLD, OURS, SIMPLE
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, TITLES, chosen
from reproduce.protocols.real_curve import SHARES

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
EXCLUDED = "pythia"  # zero-shot accuracies, half of which never leave chance
NOMINAL = 90
CHAINS = "vector"  # MCMC with the prior of the previous release, all curves at once


@dataclass(frozen=True)
class Config:
    side: str = TEST  # TUNING while something is chosen
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 120  # of a benchmark, at most
    slow: int = 10  # of them, the first ones, for slow forecasters
    asked: ForecastersConfig = ForecastersConfig()
    seed: int = 0
    learning: float = later(0.5)  # share of the curves of a benchmark that must learn: most do


SCALES = {
    "smoke": Config(curves=1, slow=1, asked=TINY),
    "laptop": Config(),
    "paper": Config(curves=180, slow=100, asked=LONG),
}

PATHS = "after a rounding difference a chain, or a draw by weights, may take another path"
MOVED = ("rows.ll", "rows.crps", "rows.error", "rows.in50", "rows.in90")
TOLERANCES = dict.fromkeys(MOVED, (0.02, PATHS)) | {
    "flat.in90": (0.02, "a point near the end of an interval may fall on either side of it")
}
TABLES = {
    "curves": (*benchmarks.ABOUT, "side"),
    "rows": _forecasters.SCORES,
    "warned": _warned.CHANCES,
    "flat": _warned.FLAT,
    "read": benchmarks.READ,
}

models, needs = _forecasters.models, _forecasters.needs


def parts(config: Config) -> list[str]:
    return [*_forecasters.parts(config), "flat"]


def measure(config: Config, part: str) -> Rows:
    kind, rows = _forecasters.part(part, config.rows)
    most = config.slow if kind in _forecasters.SLOW else config.curves
    by_row = {row: chosen(row, config.side, most, config.seed) for row in rows}
    if kind == "flat":
        beginnings = [_warned.flat_beginnings(some, row) for row, some in by_row.items()]
        return {"flat": pd.concat(beginnings, ignore_index=True)}
    trials = {row: [one.trial for one in some] for row, some in by_row.items()}
    tables = _forecasters.measured(config.asked, kind, trials)
    if kind == "simple":  # these forecast all curves
        listed = [benchmarks.listed(row, config.side, some) for row, some in by_row.items()]
        tables |= _forecasters.together(listed)
    return tables


# ------------------------------------------------------------------------------------------------- estimates


def cells(found: pd.DataFrame, method: str, shares: tuple[int, ...] = EARLY) -> pd.DataFrame:
    """Coverage of both intervals and the median error in every cell, each curve with the same weight; NaN where missing."""
    by_cell = where(found, method=method).groupby(["row", "seen"])
    made = by_cell.agg(in90=("in90", "mean"), in50=("in50", "mean"), ratio=("ratio", "median"))
    return made.reindex(pd.MultiIndex.from_product([ROWS, shares], names=["row", "seen"]))


def of_all(values: pd.Series, what: Callable[[pd.Series], float] = np.mean) -> Interval | None:
    """A number of these cells; None unless all of them were measured."""
    return None if values.isna().any() else Interval.exactly(float(what(values)))


def itself(covered: pd.Series) -> pd.Series:
    return covered


def distance(covered: pd.Series) -> pd.Series:
    return (covered - NOMINAL).abs()


def coverage(found: pd.DataFrame, what: Callable[[pd.Series], pd.Series] = itself) -> Interval | None:
    """The mean coverage, or distance, of cells in per cent; a benchmark counts once."""
    return Interval.of_mean(what(100 * found.groupby(["row", "seen"])["in90"].mean()).groupby("row").mean())


def of_groups(found: pd.DataFrame) -> float:
    """Half of the interval of the coverage if only the groups of curves in these benchmarks vary."""
    curves = found.groupby(["row", "group", "curve"], as_index=False)["in90"].mean()
    ends = [_factors.over_groups(100 * some["in90"], some["group"]) for _, some in curves.groupby("row")]
    return math.hypot(*((one.high - one.low) / 2 for one in ends)) / len(ends)


def gain(found: pd.DataFrame) -> Interval | None:
    """How much more the released model covers than the previous release, early in a curve; a source counts once."""
    more = 100 * (cells(found, OURS)["in90"] - cells(found, OLD)["in90"])
    by_source = more.groupby("row").mean().groupby(lambda row: ROWS[row].source).mean()
    return None if more.isna().any() else Interval.of_mean(by_source)


def leads_over_chains(found: pd.DataFrame) -> list[Interval]:
    """Of the previous release over MCMC with the same prior, by benchmark, in nats per point; groups of curves vary."""
    both = _factors.pairs(found, OLD, CHAINS, "ll")
    return [_factors.over_groups(own["own"] - own["rival"], own["group"]) for _, own in both.groupby("row")]


def rows_won(found: pd.DataFrame, *rivals: str) -> Interval | None:
    """On how many benchmarks the CRPS is below that of all these; None unless all were measured."""
    ratios = [[_scores_by_benchmark.crps_ratio(found, row, OURS, rival) for rival in rivals] for row in ROWS]
    worst = pd.Series(np.max(ratios, axis=1))
    return of_all(worst, lambda ratio: (ratio < 1).sum())


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    scored = _scores_by_benchmark.each(rows)
    return {
        "coverage": _scores_by_benchmark.coverage(scored, TITLES),
        "error": _scores_by_benchmark.error(scored, TITLES),
    }


def tabulate(rows: Rows, config: Config) -> Rows:
    scored = _scores_by_benchmark.each(rows)
    made = {
        "means": _means(scored, config.learning),
        "bands": _scores_by_benchmark.bands(scored, TITLES),
        "crps": _scores_by_benchmark.crps(scored, TITLES),
        "warned": _warned.table(rows, TITLES),
    }
    return {name: table for name, table in made.items() if len(table)}


def _means(scored: pd.DataFrame, learning: float) -> pd.DataFrame:
    """`learning`: on such a share of the curves of a benchmark, or more, most of them learn."""
    early = scored[scored["seen"].isin(EARLY)]
    sets = {
        "all nine benchmarks": early,
        "without Pythia": early[early["row"] != EXCLUDED],
        "those on which most curves learn": early[
            early.groupby("row")["learns"].transform("mean") >= learning
        ],
        "all nine, curves that learn": where(early, learns=True),
        "all nine, 70 % observed": where(scored, seen=70),
    }
    each = {name: [where(some, method=method) for method in (OURS, OLD)] for name, some in sets.items()}
    return pd.DataFrame([
        {"mean over": name, "benchmarks": f"{own['row'].nunique()}",
         "coverage": in_cell(coverage(own), ".1f") + " %", "± over groups": f"{of_groups(own):.1f}",
         "distance from 90 %": in_cell(coverage(own, distance), ".1f"),
         "coverage, previous release": in_cell(coverage(old), ".1f") + " %",
         "distance, previous release": in_cell(coverage(old, distance), ".1f")}
        for name, (own, old) in each.items() if len(own)
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    scored = _scores_by_benchmark.each(rows)
    nine, old = cells(scored, OURS), cells(scored, OLD)
    late = cells(scored, OURS, SHARES[-1:])
    eight, old_eight, late_eight = (some.drop(EXCLUDED, level="row") for some in (nine, old, late))
    leads = leads_over_chains(scored)
    return [
        Claim("bands_90", "Does the released model’s 90 % interval cover 82 to 98 % of the future points in nearly all of "
              "the 24 cells with 10 to 40 % observed, excluding Pythia?",
              of_all(eight["in90"], lambda held: held.between(0.82, 0.98).sum()), AtLeast(22), "cells"),
        Claim("mean_90", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, excluding Pythia?", of_all(eight["in90"]), Between(0.88, 0.94), "%"),
        Claim("mean_nine", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on the nine benchmarks?", of_all(nine["in90"]), Between(0.88, 0.94), "%"),
        Claim("mean_off", "Is the coverage of the released model’s 90 % interval near to nominal in the average cell of the "
              "nine benchmarks, with 10 to 40 % observed?",
              of_all(distance(100 * nine["in90"])), AtMost(5), "points"),
        Claim("raised", "Does the 90 % interval of the released model cover more than that of the previous release, on "
              "average over the seven sources, with 10 to 40 % observed?",
              gain(scored), Above(0), "points"),
        Claim("never_worse", "Is the released model’s median error about the last value’s or smaller, even in the worst of "
              "the 27 cells with 10 to 40 % observed?", of_all(nine["ratio"], max), AtMost(1.02), "×"),
        Claim("worst_row", "Does the released model’s 90 % interval keep its coverage in every cell, Pythia and 70 % "
              "observed included?", of_all(cells(scored, OURS, SHARES)["in90"], min), AtLeast(0.82), "%"),
        Claim("old_mean", "Is the mean coverage of the previous release’s 90 % interval, under the paper’s prior, close to "
              "nominal with 10 to 40 % observed, excluding Pythia?", of_all(old_eight["in90"]), AtLeast(0.88), "%"),
        Claim("late_mean", "Is the mean coverage of the released model’s 90 % interval close to nominal with 70 % observed, "
              "excluding Pythia?", of_all(late_eight["in90"]), AtLeast(0.88), "%"),
        Claim("beats_simple", "Is the released model’s CRPS lower than every simple baseline’s on most of the nine "
              "benchmarks?", rows_won(scored, *SIMPLE), AtLeast(7)),
        Claim("beats_exact", "Is the released model’s CRPS lower than that of the exact posterior under the paper’s prior "
              "on every benchmark?", rows_won(scored, "exact"), AtLeast(9)),
        # the paper's own question: is a network significantly worse than MCMC with the same prior?
        Claim("never_below_chains", "Is the log-likelihood of the previous release significantly below that of MCMC with "
              "the same prior on none of the nine benchmarks?",
              Interval.exactly(sum(lead.high < 0 for lead in leads) if len(leads) == len(ROWS) else None), AtMost(0)),
        *_warned.claims(rows),
    ]  # fmt: skip
