"""How good are forecasts of real curves, by source, by method, by share observed?

A benchmark is a source and one of its metrics; a cell is a benchmark at one share observed. The bounds of the claims were
set before the prior was made.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.ground.config import later
from presswork.claim import Above, AtLeast, AtMost, Below, Between, Claim
from presswork.estimates import Estimates, Rows, cells, how_many, of_each_end, there, those_of, where
from presswork.intervals import Interval
from reproduce.new_data import _forecasters, _nine_quantiles, _scores, _warned
from reproduce.new_data._forecasters import LONG, TINY, ForecastersConfig
from reproduce.new_data._scores import DRAWN, EARLY, OLD, OURS, SIMPLE
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ROWS, TITLES, chosen
from reproduce.protocols.empirical_prior import ALONE
from reproduce.protocols.real_curve import SHARES

STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}
EVERY, BUT_PYTHIA = "all seven sources", "without Pythia"  # sets of forecasts
EXCLUDED = "pythia"  # zero-shot accuracies, half of which never leave chance
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

needs = _forecasters.needs


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Fracast-0 is asked at paper scale alone."""
    return _forecasters.parts(config, "flat", *["nine"] * (config.asked == LONG))


def measure(config: Config, kind: str, rows: tuple[str, ...]) -> Rows:
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


def estimates(rows: Rows, config: Config) -> Estimates:
    """{("in90", "in50" or "ratio", method, benchmark, share observed): over groups of curves}, {("mean" or "distance",
    method, set of forecasts): coverage in per cent}, and the others by the names of their claims."""
    scored = _scores.each(rows)
    found = {
        (score, *key): one
        for score, methods in (("in90", DRAWN), ("ratio", DRAWN), ("in50", (OURS,)))
        for key, one in _scores.by_cell(scored, score, methods).items()
    }
    for (name, some), method in product(sets(scored, config.learning).items(), (OURS, OLD, "paper")):
        own = where(some, method=method)
        both = {
            ("mean", method, name): coverage(own),
            ("distance", method, name): coverage(own, distance=True),
        }
        found |= there(both)
    return found | _warned.estimates(rows) | there({
        **of_claims(found),
        "raised": gain(scored, OURS),
        "exact_covers_more": gain(scored, "exact"),
        "beats_simple": rows_won(scored, *SIMPLE),
        "beats_exact": rows_won(scored, "exact"),
        "never_below_chains": below_chains(scored),
        "beats_fracast": _nine_quantiles.lead(rows["nine"]),
    })  # fmt: skip


def of_claims(found: Estimates) -> dict[str, Interval | None]:
    """What the cells have in common; None unless every cell was measured."""
    covers = every_cell(found, "in90")

    def mean(name: str, method: str) -> Interval | None:
        whole = found.get(("mean", method, name)) if every_cell(found, "in90", method) else None
        return whole and whole.times(0.01)

    return {
        "bands_90": how_many(Between(0.82, 0.98), (one for (row, _), one in covers.items() if row != EXCLUDED)),
        "mean_90": mean(BUT_PYTHIA, OURS),
        "mean_nine": mean(EVERY, OURS),
        "old_mean": mean(BUT_PYTHIA, OLD),
        "never_worse": of_each_end(max, every_cell(found, "ratio").values()),
        "worst_row": of_each_end(min, every_cell(found, "in90", OURS, SHARES).values()),
    }  # fmt: skip


def every_cell(
    found: Estimates, score: str, method: str = OURS, shares: tuple[int, ...] = EARLY
) -> dict[tuple[str, int], Interval]:
    """By benchmark and share observed; none at all unless every cell was measured."""
    asked = [(row, seen) for row in ROWS for seen in shares]
    each = {key: found.get((score, method, *key)) for key in asked}
    return there(each) if None not in each.values() else {}


def sets(scored: pd.DataFrame, learning: float) -> dict[str, pd.DataFrame]:
    """`learning`: on such a share of the curves of a benchmark, or more, most of them learn."""
    early = scored[scored["seen"].isin(EARLY)]
    learnt = early["learns"]
    return {
        EVERY: early,
        BUT_PYTHIA: early[early["row"] != EXCLUDED],
        "three sources never looked at": early[early["row"].isin(ALONE)],
        "those on which most curves learn": early[learnt.groupby(early["row"]).transform("mean") >= learning],
        "all seven, curves that learn": where(early, learns=True),
        "all seven, 70 % observed": where(scored, seen=70),
    }


def coverage(found: pd.DataFrame, distance: bool = False) -> Interval | None:
    """The mean coverage of cells in per cent, or its distance from 90; a source counts once, whatever its metrics."""
    by_cell = 100 * found.groupby(["row", "seen"])["in90"].mean()
    by_cell = (by_cell - 90).abs() if distance else by_cell
    return _scores.over_sources(by_cell.groupby("row").mean())


def gain(found: pd.DataFrame, method: str, rival: str = OLD) -> Interval | None:
    """How much more one of two covers, on the same curves, early in a curve; a source counts once."""
    both = _scores.pairs(found[found["seen"].isin(EARLY)], method, rival, "in90")
    more = both.assign(in90=both["own"] - both["rival"])
    return coverage(more) if set(more["row"]) == set(ROWS) else None


def below_chains(found: pd.DataFrame) -> Interval | None:
    """On how many benchmarks the previous release is clearly below MCMC with the same prior; groups of curves vary."""
    both = _scores.pairs(found, OLD, CHAINS, "ll")
    leads = [_scores.over_groups(own["own"] - own["rival"], own["group"]) for _, own in both.groupby("row")]
    return Interval.exactly(sum(lead.high < 0 for lead in leads)) if len(leads) == len(ROWS) else None


def rows_won(found: pd.DataFrame, *rivals: str) -> Interval | None:
    """On how many benchmarks the CRPS is below that of each of these; None unless all were measured."""
    worst: list[Interval | None] = []
    for row in ROWS:
        both = [_scores.pairs(where(found, row=row), OURS, rival, "crps") for rival in rivals]
        above = [_scores.over_groups(own["own"] - own["rival"], own["group"]) for own in both if len(own)]
        worst.append(of_each_end(max, above) if len(above) == len(rivals) else None)
    return None if None in worst else how_many(Below(0), filter(None, worst))


def draw(found: Estimates) -> dict[str, Figure]:
    return {
        "coverage": _scores.coverage(those_of(found, "in90"), TITLES),
        "error": _scores.error(those_of(found, "ratio"), TITLES),
    }


def tabulate(rows: Rows, found: Estimates, config: Config) -> Rows:
    scored = _scores.each(rows)
    made = {
        "means": _means(sets(scored, config.learning), found),
        "bands": _scores.bands(found, TITLES),
        "crps": _scores.crps(scored, TITLES),
        "warned": _warned.table(rows, TITLES),
        "nine": _nine_quantiles.table(rows["nine"]),
    }
    return {name: table for name, table in made.items() if len(table)}


def _means(each: dict[str, pd.DataFrame], found: Estimates) -> pd.DataFrame:
    columns = {
        ("mean", OURS, ...): ("coverage", ".1f %"), ("distance", OURS, ...): "distance from 90 %",
        ("mean", OLD, ...): ("coverage, previous release", ".1f %"), ("distance", OLD, ...): "distance, previous release",
    }  # fmt: skip
    return pd.DataFrame([
        {"mean over": name, "benchmarks": f"{own['row'].nunique()}"} | cells(found, name, columns, ".1f", "…")
        for name, some in each.items() if len(own := where(some, method=OURS))
    ])  # fmt: skip


def claims() -> list[Claim]:
    return [
        Claim("bands_90", "Does the released model’s 90 % interval cover 82 to 98 % of the future points in nearly all of "
              "the 24 cells with 10 to 40 % observed, excluding Pythia?",
              "bands_90", AtLeast(22), "cells"),
        Claim("mean_90", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on average over six sources, excluding Pythia?",
              "mean_90", Between(0.88, 0.94), "%"),
        Claim("mean_nine", "Is the mean coverage of the released model’s 90 % interval close to nominal with 10 to 40 % "
              "observed, on average over the seven sources?", "mean_nine", Between(0.88, 0.94), "%"),
        Claim("raised", "Does the 90 % interval of the released model cover more than that of the previous release, on "
              "average over the seven sources, with 10 to 40 % observed?",
              "raised", Above(0), "points"),
        Claim("exact_covers_more", "Does the 90 % interval of the exact posterior under the paper’s prior cover more than "
              "that of the previous release, on average over the seven sources, with 10 to 40 % observed?",
              "exact_covers_more", Above(0), "points"),
        Claim("never_worse", "Is the released model’s median error about the last value’s or smaller, even in the worst of "
              "the 27 cells with 10 to 40 % observed?", "never_worse", AtMost(1.02), "×"),
        Claim("worst_row", "Does the released model’s 90 % interval keep its coverage in every cell, Pythia and 70 % "
              "observed included?", "worst_row", AtLeast(0.82), "%"),
        Claim("old_mean", "Is the mean coverage of the previous release’s 90 % interval, under the paper’s prior, close to "
              "nominal with 10 to 40 % observed, on average over six sources, excluding Pythia?",
              "old_mean", AtLeast(0.88), "%"),
        Claim("beats_simple", "Is the released model’s CRPS lower than every simple baseline’s on most of the nine "
              "benchmarks?", "beats_simple", AtLeast(7)),
        Claim("beats_exact", "Is the released model’s CRPS lower than that of the exact posterior under the paper’s prior "
              "on every benchmark?", "beats_exact", AtLeast(9)),
        # the paper's own question: is a network significantly worse than MCMC with the same prior?
        Claim("never_below_chains", "Is the log-likelihood of the previous release significantly below that of MCMC with "
              "the same prior on none of the nine benchmarks?",
              "never_below_chains", AtMost(0)),
        *_nine_quantiles.claims(),
        *_warned.claims(),
    ]  # fmt: skip
