"""How good are forecasts of real curves, by source, by method, by share observed?

A benchmark is a source and one of its metrics; a cell is a benchmark at one share observed. The bounds of the claims were
set before the prior was made.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.ground.config import later
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.estimates import Rows, how_many, of_each_end, where
from reproduce._press.intervals import Interval, in_cell
from reproduce.new_data import _factors, _forecasters, _nine_quantiles, _scores_by_benchmark, _warned
from reproduce.new_data._forecasters import LONG, TINY, ForecastersConfig
from reproduce.new_data._scores_by_benchmark import EARLY, OLD, OURS, SIMPLE
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, TITLES, chosen
from reproduce.protocols.empirical_prior import ALONE
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
    "nine": _nine_quantiles.SCORES,
}
NOT_AT_SMOKE_SCALE = {"parts": "one asks Fracast-0, a package that only the published answer needs"}

models, needs = _forecasters.models, _forecasters.needs


def parts(config: Config) -> list[str]:
    """Fracast-0 is asked at paper scale alone."""
    return [*_forecasters.parts(config), "flat", *["nine"] * (config.asked == LONG)]


def measure(config: Config, part: str) -> Rows:
    kind, rows = _forecasters.part(part, config.rows)
    most = config.slow if kind in (*_forecasters.SLOW, "nine") else config.curves
    by_row = {row: chosen(row, config.side, most, config.seed) for row in rows}
    if kind == "flat":
        beginnings = [_warned.flat_beginnings(some, row) for row, some in by_row.items()]
        return {"flat": pd.concat(beginnings, ignore_index=True)}
    trials = {row: [one.trial for one in some] for row, some in by_row.items()}
    if kind == "nine":
        return {"nine": _nine_quantiles.scored(trials)}
    tables = _forecasters.measured(config.asked, kind, trials)
    if kind == "simple":  # these forecast all curves
        listed = [benchmarks.listed(row, config.side, some) for row, some in by_row.items()]
        tables |= _forecasters.together(listed)
    return tables


# ------------------------------------------------------------------------------------------------- estimates


def cells(
    found: pd.DataFrame, score: str, method: str = OURS, shares: tuple[int, ...] = EARLY
) -> dict[tuple[str, int], Interval]:
    """By benchmark and share observed, over groups of curves; none at all unless every cell was measured."""
    each = _scores_by_benchmark.cells(found, score, (method,))
    asked = [(method, row, seen) for row in ROWS for seen in shares]
    return {key[1:]: each[key] for key in asked} if set(asked) <= set(each) else {}


def itself(covered: pd.Series) -> pd.Series:
    return covered


def distance(covered: pd.Series) -> pd.Series:
    return (covered - NOMINAL).abs()


def coverage(found: pd.DataFrame, what: Callable[[pd.Series], pd.Series] = itself) -> Interval | None:
    """The mean coverage, or distance, of cells in per cent; a source counts once, whatever its metrics."""
    by_cell = what(100 * found.groupby(["row", "seen"])["in90"].mean())
    return _scores_by_benchmark.over_sources(by_cell.groupby("row").mean())


def gain(found: pd.DataFrame, method: str = OURS, rival: str = OLD) -> Interval | None:
    """How much more one of two covers, on the same curves, early in a curve; a source counts once."""
    both = _factors.pairs(found[found["seen"].isin(EARLY)], method, rival, "in90")
    more = both.assign(in90=both["own"] - both["rival"])
    return coverage(more) if set(more["row"]) == set(ROWS) else None


def leads_over_chains(found: pd.DataFrame) -> list[Interval]:
    """Of the previous release over MCMC with the same prior, by benchmark, in nats per point; groups of curves vary."""
    both = _factors.pairs(found, OLD, CHAINS, "ll")
    return [_factors.over_groups(own["own"] - own["rival"], own["group"]) for _, own in both.groupby("row")]


def rows_won(found: pd.DataFrame, *rivals: str) -> Interval | None:
    """On how many benchmarks the CRPS is below that of each of these; None unless all were measured."""
    worst: list[Interval | None] = []
    for row in ROWS:
        both = [_factors.pairs(where(found, row=row), OURS, rival, "crps") for rival in rivals]
        above = [_factors.over_groups(own["own"] - own["rival"], own["group"]) for own in both if len(own)]
        worst.append(of_each_end(max, above) if len(above) == len(rivals) else None)
    return None if None in worst else how_many(Below(0), filter(None, worst))


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
        "nine": _nine_quantiles.table(rows["nine"]),
    }
    return {name: table for name, table in made.items() if len(table)}


def _means(scored: pd.DataFrame, learning: float) -> pd.DataFrame:
    """`learning`: on such a share of the curves of a benchmark, or more, most of them learn."""
    early = scored[scored["seen"].isin(EARLY)]
    sets = {
        "all seven sources": early,
        "without Pythia": early[early["row"] != EXCLUDED],
        "three sources never looked at": early[early["row"].isin(ALONE)],
        "those on which most curves learn": early[
            early.groupby("row")["learns"].transform("mean") >= learning
        ],
        "all seven, curves that learn": where(early, learns=True),
        "all seven, 70 % observed": where(scored, seen=70),
    }
    each = {name: [where(some, method=method) for method in (OURS, OLD)] for name, some in sets.items()}
    return pd.DataFrame([
        {"mean over": name, "benchmarks": f"{own['row'].nunique()}",
         "coverage": in_cell(coverage(own), ".1f") + " %",
         "distance from 90 %": in_cell(coverage(own, distance), ".1f"),
         "coverage, previous release": in_cell(coverage(old), ".1f") + " %",
         "distance, previous release": in_cell(coverage(old, distance), ".1f")}
        for name, (own, old) in each.items() if len(own)
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    scored = _scores_by_benchmark.each(rows)
    covers, errors = cells(scored, "in90"), cells(scored, "ratio")
    leads = leads_over_chains(scored)

    def covered(method: str, but: str = "") -> Interval | None:
        own = where(scored, method=method)
        found = coverage(own[own["seen"].isin(EARLY) & (own["row"] != but)])
        return found.times(0.01) if found and cells(scored, "in90", method) else None

    return [
        Claim("bands_90", "Does the released model’s 90 % interval cover 82 to 98 % of the future points in nearly all of "
              "the 24 cells with 10 to 40 % observed, excluding Pythia?",
              how_many(Between(0.82, 0.98), (one for (row, _), one in covers.items() if row != EXCLUDED)),
              AtLeast(22), "cells"),
        Claim("mean_90", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on average over six sources, excluding Pythia?",
              covered(OURS, but=EXCLUDED), Between(0.88, 0.94), "%"),
        Claim("mean_nine", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on average over the seven sources?", covered(OURS), Between(0.88, 0.94), "%"),
        Claim("raised", "Does the 90 % interval of the released model cover more than that of the previous release, on "
              "average over the seven sources, with 10 to 40 % observed?",
              gain(scored), Above(0), "points"),
        Claim("exact_covers_more", "Does the 90 % interval of the exact posterior under the paper’s prior cover more than "
              "that of the previous release, on average over the seven sources, with 10 to 40 % observed?",
              gain(scored, "exact"), Above(0), "points"),
        Claim("never_worse", "Is the released model’s median error about the last value’s or smaller, even in the worst of "
              "the 27 cells with 10 to 40 % observed?", of_each_end(max, errors.values()), AtMost(1.02), "×"),
        Claim("worst_row", "Does the released model’s 90 % interval keep its coverage in every cell, Pythia and 70 % "
              "observed included?", of_each_end(min, cells(scored, "in90", OURS, SHARES).values()), AtLeast(0.82), "%"),
        Claim("old_mean", "Is the mean coverage of the previous release’s 90 % interval, under the paper’s prior, close to "
              "nominal with 10 to 40 % observed, on average over six sources, excluding Pythia?",
              covered(OLD, but=EXCLUDED), AtLeast(0.88), "%"),
        Claim("beats_simple", "Is the released model’s CRPS lower than every simple baseline’s on most of the nine "
              "benchmarks?", rows_won(scored, *SIMPLE), AtLeast(7)),
        Claim("beats_exact", "Is the released model’s CRPS lower than that of the exact posterior under the paper’s prior "
              "on every benchmark?", rows_won(scored, "exact"), AtLeast(9)),
        # the paper's own question: is a network significantly worse than MCMC with the same prior?
        Claim("never_below_chains", "Is the log-likelihood of the previous release significantly below that of MCMC with "
              "the same prior on none of the nine benchmarks?",
              Interval.exactly(sum(lead.high < 0 for lead in leads) if len(leads) == len(ROWS) else None), AtMost(0)),
        *_nine_quantiles.claims(rows["nine"]),
        *_warned.claims(rows),
    ]  # fmt: skip
