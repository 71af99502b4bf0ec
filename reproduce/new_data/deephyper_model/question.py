"""How good is the learning-curve model of DeepHyper on our own runs, beside the network that ships and simpler rivals?

It is read in two ways: the curve alone, which is what the package predicts with, and with the noise of its own samples, since
what comes are points. Mended, its least squares have another residual (see reproduce/rival/deephyper_program.py).
The curves are the first of own_forecasts.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _factors
from reproduce.new_data._chosen_runs import ChosenRun, put
from reproduce.new_data.deephyper_model import forecasters
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
STOPWATCHES = ("rows.seconds",)

WAYS = {
    "points": "DeepHyper’s model, with its noise",
    "curve": "DeepHyper’s model, the curve alone",
    "mended points": "the same mended, with its noise",
    "mended curve": "the same mended, the curve alone",
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = ("accuracy-epoch",)  # of the report of own_forecasts
    curves: int = 12  # of a row
    shares: tuple[int, ...] = (10, 20, 40)  # per cent of the points, which a forecaster sees
    kinds: tuple[str, ...] = ("package", "mended")  # none where it is not installed
    threads: int = 1
    seed: int = 0


SCALES = {
    "smoke": Config(("accuracy-epoch", "loss-epoch"), curves=3, kinds=()),
    "laptop": Config(),
    "paper": Config(("accuracy-epoch", "loss-epoch"), curves=60),
}

NOT_AT_SMOKE_SCALE = {
    "kinds": "they ask the package, which smoke scale does without",
    "parts": "the part `again` asks the package as well",
}

DIVERGES = "one of six curves is of a network that diverges, and differs between chips"
TOLERANCES = dict.fromkeys(("rows.crps", "rows.error", "rows.in90"), (0.1, DIVERGES))

TABLES = {
    "curves": ("row", "curve", "run", "group"),
    "rows": ("row", *forecasters.SCORES),
    "starts": ("row", *forecasters.STARTS),
    "again": forecasters.AGAIN,
}


def parts(config: Config) -> list[str]:
    of_rows = [f"{kind}.{row}" for row in config.rows for kind in config.kinds]
    return ["ours", *of_rows, *(["again"] if config.kinds else [])]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    kind, _, row = part.partition(".")
    found = {name: put(read["own_curves"], name, config.curves, config.seed) for name in config.rows}
    trials = {name: [one.trial for one in puts] for name, puts in found.items()}
    if kind == "ours":
        frames = [
            forecasters.ours(some, config.shares, config.threads).assign(row=name)
            for name, some in trials.items()
        ]
        return {"rows": pd.concat(frames, ignore_index=True), "curves": _about(found)}
    with Rival(config.threads, PYTHON, forecasters.PROGRAM) as rival:
        if kind == "again":
            return {"again": forecasters.refit_vs_fresh(rival, trials[config.rows[0]][0], config.seed)}
        told = forecasters.theirs(rival, kind, trials[row], config.shares, config.seed)
    return {name: table.assign(row=row) for name, table in told.items()}


def _about(found: dict[str, list[ChosenRun]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, one.run.name, one.run.group) for row, puts in found.items() for i, one in enumerate(puts)],
        columns=list(TABLES["curves"]),
    )


def _common(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of those that every method gave."""
    if not {"rows", "curves"} <= set(rows):
        return pd.DataFrame()
    curves = rows["curves"].drop(columns="part", errors="ignore")
    found = rows["rows"].merge(curves, on=["row", "curve"])
    all_of_them = found.groupby("row")["method"].transform("nunique")
    given = found.dropna(subset=["crps"])
    told = given.groupby(["row", "curve", "seen"])["method"].transform("nunique")
    return given[told == all_of_them[given.index]]


def _title(method: str) -> str:
    return WAYS.get(method) or style.name(method)


def draw(rows: Rows) -> dict[str, Figure]:
    """The table says it all."""
    return {}


def tabulate(rows: Rows) -> Rows:
    found = _common(rows)
    return (
        {}
        if found.empty
        else {row.replace("-", "_"): _table(rows["rows"], own) for row, own in found.groupby("row")}
    )


def _table(rows: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """A line for each method."""
    every = where(rows, row=own["row"].iloc[0])
    shares = sorted(own["seen"].unique())
    at = f"at {' / '.join(map(str, shares))} %"
    each = [
        method for method in ("shipped", *WAYS, "last", *forecasters.FITS) if method in set(own["method"])
    ]
    return pd.DataFrame([
        {"method": _title(method),
         "forecasts": f"{where(every, method=method)['crps'].notna().sum()} of {len(where(every, method=method))}",
         f"CRPS / last value {at}": _factors.by_share(own, method, "crps", shares),
         f"error / last value {at}": _factors.by_share(own, method, "error", shares),
         f"summed CRPS / last value {at}": _of_sums(own, method, "crps"),
         f"in the 90 % band {at}": _factors.by_share(own, method, "in90", shares),
         "seconds": f"{where(own, method=method)['seconds'].median():.2g}"}
        for method in each
    ])  # fmt: skip


def _of_sums(own: pd.DataFrame, method: str, score: str) -> str:
    """Mean over mean: here the curves with large scores weigh most, and not the flat ones."""
    sums = (
        where(own, method=method).groupby("seen")[score].sum()
        / where(own, method="last").groupby("seen")[score].sum()
    )
    return " / ".join(f"{ratio:.2f}" for ratio in sums.sort_index())


def claims(rows: Rows) -> list[Claim]:
    found = _common(rows)
    own = where(found, row="accuracy-epoch") if len(found) else found
    return [
        claim("start_stays", "The least squares that should centre the prior of DeepHyper 0.13.2 end where they began: no "
              "parameter moves: the farthest by {value:.0f}.", _farthest(rows, "package"), "between 0 and 0"),
        claim("blind_later", "A model that its stopper fits again draws the same whatever came after the fourth epoch: "
              "the two sets of draws differ by {value:.0f}.",
              _apart(rows, "again"), "between 0 and 0"),
        claim("mended_better", "With another residual in its place it forecasts better: its CRPS over points is {value:.2f} "
              "times as large.", _factors.factor(own, "mended points", "points"), "< 1"),
        claim("beats_last", "As it is, it beats the last value: its CRPS over points is {value:.2f} times as large.",
              _factors.factor(own, "points", "last"), "< 1"),
        claim("mended_beats_last", "Mended, it beats the last value: {value:.2f} times.",
              _factors.factor(own, "mended points", "last"), "< 1"),
        claim("ships_beats", "The network that ships beats it on the same accuracies: its CRPS is {value:.2f} times that of "
              "DeepHyper’s model over points.", _factors.factor(own, "shipped", "points"), "< 1"),
        claim("ships_beats_mended", "It beats the mended one: {value:.2f} times.",
              _factors.factor(own, "shipped", "mended points"), "< 1"),
        claim("beats_least_squares", "DeepHyper’s model beats least squares of the same family: its CRPS over points is "
              "{value:.2f} times as large.", _factors.factor(own, "points", "mmf4"), "< 1"),
        claim("curve_narrow", "The 90 % band of its curve alone is too narrow for points: it holds less than {most:.0%} of "
              "them, {value:.0%}.",
              _factors.mean(own, "curve", "in90"), "< 0.85"),
        claim("points_hold", "With its own noise the band holds {least:.0%} to {most:.0%}: {value:.0%}.",
              _factors.mean(own, "points", "in90"), "between 0.85 and 0.95"),
        claim("slower", "A forecast of the network that ships is at least {least:.0f} times as fast as one of it, by time "
              "on the processor, compilation included: {value:.1f} times.", _times(own), ">= 10"),
    ]  # fmt: skip


def _farthest(rows: Rows, kind: str) -> Interval | None:
    own = where(rows["starts"], kind=kind)["moved"].dropna() if "starts" in rows else []
    return Interval.exactly(float(max(own))) if len(own) else None


def _apart(rows: Rows, model: str) -> Interval | None:
    return (
        Interval.exactly(float(where(rows["again"], model=model)["apart"].iloc[0]))
        if "again" in rows
        else None
    )


def _times(own: pd.DataFrame) -> Interval | None:
    """Its seconds over ours."""
    both = _factors.pairs(own, "points", "shipped", "seconds")
    if both.empty:
        return None
    told = Interval.over_clusters(np.log(both["own"] / both["rival"]), both["group"])
    return Interval(*np.exp(told).tolist()) if told else None
