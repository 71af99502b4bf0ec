"""How good are forecasts of our own real runs, and which kinds of curve break them?

Curves over training rows have sizes in place of epochs, which grow by a factor. The released model is given the number of
the observation, the size, or the share of all rows, as in an older blog. Curves over sizes that others measured (LCDB 1.1)
are a benchmark of real_curves.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.forecasting import shipped, torch_network
from curvecast.ground.config import later
from presswork import Above, Between, Claim, Estimates, Interval, Rows, where
from presswork.estimates import Columns, cells, grouped, table
from reproduce.new_data import _beside, _forecasters, _scores
from reproduce.new_data._forecasters import TINY, ForecastersConfig
from reproduce.new_data._our_runs import KINDS, TITLES, about, put
from reproduce.new_data._scores import DRAWN, OURS, over_groups
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, trial_of

WAYS = {
    "number": "number of the observation",
    "size": "size, rescaled to 1–100",
    "share": "share of all rows",
}
QUICK = ("simple", "networks")  # of the forecasters
FROM = SHARES[1]  # per cent observed, from which on these three count
LEAST = 20  # points of a curve over sizes
SIZES = "over training rows"


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(TITLES)
    curves: int = 60  # of a benchmark, at most
    asked: ForecastersConfig = ForecastersConfig(kinds=QUICK)
    seed: int = 0
    own: str = later("own_curves")  # the question whose rows are the runs
    sizes: int = later(80)  # curves over sizes of a metric, at most, to compare inputs


SCALES = {
    "smoke": Config(curves=2, asked=replace(TINY, kinds=QUICK), sizes=3),
    # sentences are about the released model
    "laptop": Config(curves=30, asked=ForecastersConfig("1x8", QUICK)),
    "paper": Config(own="own_curves/laptop"),
}

SHAKEN = "one of eight curves is of a network that diverges, and differs between chips"
TOLERANCES = dict.fromkeys(("rows.ll", "rows.crps", "rows.error", "rows.in50", "rows.in90"), (0.05, SHAKEN))
TABLES = {
    "curves": ("row", "curve", "run", "learner", "task", "group", "kind", "learns", "points", "clipped"),
    "rows": _forecasters.SCORES,
    "sized_curves": ("row", "curve", "run", "group", "learner", "points"),
    "sized": ("row", "curve", "seen", "method", *_beside.SCORES),
}

needs = _forecasters.needs


def parts(config: Config) -> dict[str, dict[str, Any]]:
    return _forecasters.parts(config, "sizes")


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, kind: str, read: dict[str, Rows]) -> Rows:
    runs = read[config.own]
    if kind == "sizes":
        return _forecasters.together([of_sizes(runs, of, config.sizes) for of in ("accuracy", "loss")])
    by_row = {row: put(runs, row, config.curves, config.seed) for row in config.rows}
    trials = {row: [one.trial for one in some] for row, some in by_row.items()}
    tables = _forecasters.measured(config.asked, kind, trials)
    if kind == "simple":  # these forecast all curves
        every = [about(row, some).round({"clipped": 4}) for row, some in by_row.items()]
        tables["curves"] = pd.concat(every, ignore_index=True)
    return tables


def of_sizes(rows: Rows, metric: str, most: int) -> Rows:
    """The released model with each input, on curves over training rows."""
    runs = [run for run in own_runs(rows, (metric,), LEAST) if run.x == "rows" and len(run.values) <= POINTS]
    puts = [(run, one) for run in runs[:most] if (one := trial_of(run)) is not None]
    net = torch_network.load(shipped.PATH)
    inputs = {way: [told(way, run.steps.astype(float)) for run, _ in puts] for way in WAYS}
    answers = {
        f"shipped, {way}": _beside.told(own, lambda x, y, later: net.predict(x, y.float(), later))
        for way, own in inputs.items()
    }
    lines = [  # a group is a task: all its curves are over the same rows
        (metric, i, run.name, run.task, run.settings["model"], len(run.steps))
        for i, (run, _) in enumerate(puts)
    ]
    scored = _beside.scores([one for _, one in puts], answers).assign(row=metric)
    return {
        "sized_curves": pd.DataFrame(lines, columns=list(TABLES["sized_curves"])),
        "sized": scored[list(TABLES["sized"])],
    }


def told(way: str, sizes: np.ndarray) -> np.ndarray:
    """The input in place of epochs, of sizes that rise.  (n,) -> (n,)"""
    if way == "number":
        return np.arange(1.0, len(sizes) + 1)
    if way == "size":
        return 1 + 99 * (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    return sizes / sizes[-1]


# ------------------------------------------------------------------------------------------------- estimates


def of_ours(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of the released model, and one more that counts it among all kinds of curve. Those over
    training rows are a kind of their own."""
    scored = where(_scores.each(rows), method=OURS)
    scored = scored.assign(kind=scored["kind"].where(~scored["row"].str.endswith("-rows"), SIZES))
    return pd.concat([scored, scored.assign(kind="all")])


def estimates(rows: Rows) -> Estimates:
    """{("in90" or "in50", kind of curve): coverage, over all benchmarks and shares observed; runs of one setting form a
    group}, {("kinds", "curves", kind): how many}, {(method, benchmark, share observed): coverage}, and over sizes {("CRPS",
    method, metric): over that with the number}, {("covered", method, metric): in90}"""
    own, ours = sized(rows), of_ours(rows)
    long = ours.melt(["kind", "group"], ["in90", "in50"], "score")
    by = ["score", "kind"]
    found = grouped(long, by, lambda some: over_groups(some["value"], some["group"]).of_share())
    curves = grouped(ours, "kind", lambda some: Interval.exactly(some.groupby(["row", "curve"]).ngroups))
    found |= {("kinds", "curves", kind): one for kind, one in curves.items()}
    found |= {("CRPS", *key): one for key, one in _scores.over(own, "shipped, number", "row").items()}
    found |= _scores.by_cell(_scores.each(rows), "in90", DRAWN)
    return found | {("covered", *key): one for key, one in _scores.means(own, "in90", "row").items()}


def sized(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of an accuracy over sizes from which on inputs are compared."""
    scored = _scores.forecasts(rows, "sized", "sized_curves")
    return scored[(scored["row"] == "accuracy") & (scored["seen"] >= FROM)]


def draw(found: Estimates) -> dict[str, Figure]:
    return {"coverage": _scores.coverage(found, TITLES)}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """Scores by kind of curve, and by input where sizes take the place of epochs."""
    return {"kinds": _by_kind(of_ours(rows), found), "sizes": _by_input(found)}


def _by_kind(scored: pd.DataFrame, found: Estimates) -> pd.DataFrame:
    columns = {
        ("kinds", "curves", ...): ("curves", "{0.value:.0f}".format), ("in90", ...): "coverage of the 90 % interval",
        ("in50", ...): "of the 50 % interval",
    }  # fmt: skip
    return pd.DataFrame([
        {"kind": kind, "which": words} | cells(found, kind, columns, lambda one: f"{100 * one.value:.0f} %")
        | {"error / last value’s": f"{own['ratio'].median():.2f}"}
        for kind, words in (KINDS | {SIZES: "of whatever kind"}).items() if len(own := scored[scored["kind"] == kind])
    ])  # fmt: skip


def _by_input(found: Estimates) -> pd.DataFrame:
    ways = {f"shipped, {way}": title for way, title in WAYS.items()}
    columns: Columns = {
        ("CRPS", ..., "accuracy"): "CRPS / that with the number", ("covered", ..., "accuracy"): (
            "coverage of the 90 % interval", lambda one: one.times(100).plus_minus(".0f") + " %"
        ),
    }  # fmt: skip
    return table(found, "input", ways, columns, missing="…", only_measured=True)


def claims() -> list[Claim]:
    return [
        Claim("bands_hold", "On our own runs, is the coverage of the released model’s 90 % interval close to nominal?",
              ("in90", "all"), Between(0.85, 0.95), "%"),
        Claim("risers_hold", "On those of our own runs by epoch or tree that simply rise, is the coverage of the "
              "released model’s 90 % interval close to nominal?", ("in90", "rises"), Between(0.85, 0.95), "%"),
        Claim("numbers_beat_sizes", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "size as its input than with the number of the observation?",
              ("CRPS", "shipped, size", "accuracy"), Above(1), "×"),
        Claim("numbers_beat_shares", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "share of all rows as its input than with the number of the observation?",
              ("CRPS", "shipped, share", "accuracy"), Above(1), "×"),
        Claim("sizes_are_covered", "On accuracy by training-set size, is the coverage of the released model’s 90 % interval "
              "close to nominal?", ("covered", "shipped, number", "accuracy"), Between(0.85, 0.95), "%"),
    ]  # fmt: skip
