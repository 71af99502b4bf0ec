"""How good is the learning-curve model of DeepHyper on our own runs, compared with the released model and simpler rivals?

It is read in two ways: the curve alone, which is what the package predicts with, and with the noise of its own samples, since
future points are noisy. Corrected, its least squares have another residual (see reproduce/rival/deephyper_program.py).
The curves are the first of own_forecasts.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _factors
from reproduce.new_data._our_runs import ChosenRun, put
from reproduce.new_data.deephyper_model import forecasters
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
STOPWATCHES = ("rows.seconds",)

WAYS = {
    "points": "DeepHyper, with its noise",
    "curve": "DeepHyper, curve alone",
    "mended points": "DeepHyper corrected, with its noise",
    "mended curve": "DeepHyper corrected, curve alone",
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = ("accuracy-epoch",)  # benchmarks of own_forecasts
    curves: int = 12  # of a benchmark
    shares: tuple[int, ...] = (10, 20, 40)  # per cent of the points observed
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
    found = _factors.forecasts(rows)
    if found.empty:
        return found
    all_of_them = found.groupby("row")["method"].transform("nunique")
    given = found.dropna(subset=["crps"])
    told = given.groupby(["row", "curve", "seen"])["method"].transform("nunique")
    return given[told == all_of_them[given.index]]


def _title(method: str) -> str:
    return WAYS.get(method) or style.name(method)


def draw(rows: Rows) -> dict[str, Figure]:
    """No figure: the table is enough."""
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
    at = f"at {' / '.join(map(str, shares))} % observed"
    each = [
        method for method in ("shipped", *WAYS, "last", *forecasters.FITS) if method in set(own["method"])
    ]
    return pd.DataFrame([
        {"method": _title(method),
         "forecasts": f"{where(every, method=method)['crps'].notna().sum()} of {len(where(every, method=method))}",
         f"CRPS / last value’s {at}": _factors.by_share(own, method, "crps", shares),
         f"error / last value’s {at}": _factors.by_share(own, method, "error", shares),
         f"summed CRPS / last value’s {at}": _of_sums(own, method, "crps"),
         f"coverage of the 90 % interval {at}": _factors.by_share(own, method, "in90", shares),
         "seconds": f"{where(own, method=method)['seconds'].median():.2g}"}
        for method in each
    ])  # fmt: skip


def _of_sums(own: pd.DataFrame, method: str, score: str) -> str:
    """Ratio of means: curves with large scores weigh most, flat ones hardly at all."""
    sums = (
        where(own, method=method).groupby("seen")[score].sum()
        / where(own, method="last").groupby("seen")[score].sum()
    )
    return " / ".join(f"{ratio:.2f}" for ratio in sums.sort_index())


def claims(rows: Rows) -> list[Claim]:
    found = _common(rows)
    own = where(found, row="accuracy-epoch") if len(found) else found
    return [
        Claim("start_stays", "Do the least squares that are meant to centre the prior of DeepHyper 0.13.2 end exactly "
              "where they began, so that no parameter moves?", _farthest(rows, "package"), Between(0, 0)),
        Claim("blind_later", "When DeepHyper’s stopper fits its model again, are the draws exactly the same whatever "
              "came after the fourth epoch?", _apart(rows, "again"), Between(0, 0)),
        Claim("mended_better", "Is the CRPS of DeepHyper’s model lower with a corrected residual than as published?",
              _factors.factor(own, "points", "mended points"), Above(1), "×"),
        Claim("beats_last", "Is the CRPS of DeepHyper’s model lower than the last value’s?",
              _factors.factor(own, "last", "points"), Above(1), "×"),
        Claim("mended_beats_last", "Is the CRPS of DeepHyper’s model with a corrected residual lower than the last "
              "value’s?",
              _factors.factor(own, "last", "mended points"), Above(1), "×"),
        Claim("ships_beats", "Is the CRPS of the released model lower than that of DeepHyper’s model on the same "
              "accuracies?",
              _factors.factor(own, "points", "shipped"), Above(1), "×"),
        Claim("ships_beats_mended", "Is the CRPS of the released model lower than that of DeepHyper’s model with a "
              "corrected residual?", _factors.factor(own, "mended points", "shipped"), Above(1), "×"),
        Claim("beats_least_squares", "Is the CRPS of DeepHyper’s model lower than that of least squares of the same "
              "family?",
              _factors.factor(own, "mmf4", "points"), Above(1), "×"),
        Claim("curve_narrow", "Is the 90 % interval of DeepHyper’s curve alone too narrow for the points?",
              _factors.mean(own, "curve", "in90"), Below(0.85), "%"),
        Claim("points_hold", "Is the coverage of the 90 % interval of DeepHyper’s model with its own noise close to "
              "nominal?",
              _factors.mean(own, "points", "in90"), Between(0.85, 0.95), "%"),
        Claim("slower", "Is a forecast of the released model much faster than one of DeepHyper’s model, in processor "
              "time and with compilation?", _times(own), AtLeast(10), "×"),
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
    """Seconds of DeepHyper's model divided by those of the released model."""
    both = _factors.pairs(own, "points", "shipped", "seconds")
    if both.empty:
        return None
    log = Interval.over_clusters(np.log(both["own"] / both["rival"]), both["group"])
    return log and log.exp()
