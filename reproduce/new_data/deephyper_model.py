"""How good is the learning-curve model of DeepHyper on our own runs, compared with the released model and simpler rivals?

It is read in two ways: the curve alone, which is what the package predicts with, and with the noise of its own samples, since
future points are noisy. Corrected, its least squares have another residual (see reproduce/rival/deephyper_program.py).
It is asked as its stopper sets it up, a new one for each forecast, in the environment of other programs.
The curves are the first of own_forecasts. Shapes: L = levels, A = epochs ahead.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.ground.errors import UserError
from curvecast.scores.quantile_scores import LEVELS
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _factors, _forecasters
from reproduce.new_data._our_runs import put
from reproduce.protocols import forecasters, timing
from reproduce.protocols.forecasters import Ask
from reproduce.protocols.real_curve import Trial, worth
from reproduce.rival.partner import PYTHON, Rival

ON_REQUEST = "make bench"
STOPWATCHES = ("rows.seconds",)
PROGRAM = ("-m", "reproduce.rival.deephyper_program")
LEAST = 4  # epochs: with fewer its stopper does not ask it
LATER = 20  # epochs that a model is fitted to again
FITS = ("mmf4", "sum")  # by least squares
READINGS = ("points", "curve")  # of its posterior
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
    "rows": ("row", "curve", "seen", "method", "crps", "error", "in90", "seconds"),
    "starts": ("row", "curve", "seen", "kind", "moved"),
    "again": ("model", "apart"),
}


def parts(config: Config) -> list[str]:
    of_rows = [f"{kind}.{row}" for row in config.rows for kind in config.kinds]
    return ["ours", *of_rows, *(["again"] if config.kinds else [])]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    kind, _, row = part.partition(".")
    chosen = {name: put(read["own_curves"], name, config.curves, config.seed) for name in config.rows}
    trials = {name: [one.trial for one in puts] for name, puts in chosen.items()}
    if kind == "ours":
        about = [
            (name, i, one.run.name, one.run.group)
            for name, puts in chosen.items()
            for i, one in enumerate(puts)
        ]
        frames = [ours(some, config.shares, config.threads).assign(row=name) for name, some in trials.items()]
        rows = pd.concat(frames, ignore_index=True)
        return {"rows": rows, "curves": pd.DataFrame(about, columns=list(TABLES["curves"]))}
    with Rival(config.threads, PYTHON, PROGRAM) as rival:
        if kind == "again":
            return {"again": refit_vs_fresh(rival, trials[config.rows[0]][0], config.seed)}
        told = theirs(rival, kind, trials[row], config.shares, config.seed)
    return {name: table.assign(row=row) for name, table in told.items()}


class Given(NamedTuple):
    """A forecast from the observed points of one curve."""

    quantiles: dict[str, np.ndarray]  # by method, (L, A); of those that do not refuse
    seconds: float = float("nan")  # of processor time
    moved: float = float("nan")  # from the start of its least squares to their end


class Beginning(NamedTuple):
    curve: int
    share: int  # per cent
    trial: Trial

    @property
    def seen(self) -> np.ndarray:
        return self.trial.seen[: self.trial.cutoff(self.share)]

    @property
    def ahead(self) -> int:
        return len(self.trial.values) - len(self.seen)


def beginnings(trials: list[Trial], shares: tuple[int, ...]) -> Iterator[Beginning]:
    yield from (Beginning(i, share, one) for i, one in enumerate(trials) for share in shares)


def ours(trials: list[Trial], shares: tuple[int, ...], threads: int) -> pd.DataFrame:
    """With as many threads as the other program, since waiting threads count as processor time as well."""
    fits = {name: ask for name, ask in forecasters.fits().items() if name in FITS}
    who = {"shipped": _forecasters.the_one_that_ships(), "last": forecasters.simple()["last"], **fits}
    frames = []
    with timing.threads(threads):
        for name, ask in who.items():
            _given(name, ask, trials[0].seen[:LEAST], 1)  # warms up
            for one in beginnings(trials, shares):
                frames.append(_scored(one, _given(name, ask, one.seen, one.ahead), [name]))
    return pd.concat(frames, ignore_index=True)


def _given(name: str, ask: Ask, seen: np.ndarray, ahead: int) -> Given:
    start = time.process_time()
    try:
        density = ask(torch.from_numpy(seen)[None], ahead)
    except UserError:
        return Given({})
    quantiles = torch.cat([density.quantile(float(level)) for level in LEVELS]).double().numpy()
    return Given({name: quantiles}, time.process_time() - start)


def methods(kind: str) -> list[str]:
    """As its rows call what it says: "points", and "mended points" where its least squares are mended."""
    return [reading if kind == "package" else f"{kind} {reading}" for reading in READINGS]


def theirs(rival: Rival, kind: str, trials: list[Trial], shares: tuple[int, ...], seed: int) -> Rows:
    rows, starts = [], []
    if kind == "mended":
        rival.ask("mend")
    for one in beginnings(trials, shares):
        luck = seed + 100 * one.curve + one.share  # the same for both kinds
        given = _fitted(rival, methods(kind), one, luck)
        rows.append(_scored(one, given, methods(kind)))
        starts.append((one.curve, one.share, kind, given.moved))
        print(
            f"deephyper_model: {kind}, curve {one.curve + 1} of {len(trials)}, {one.share} % seen", flush=True
        )
    return {
        "rows": pd.concat(rows, ignore_index=True),
        "starts": pd.DataFrame(starts, columns=list(TABLES["starts"][1:])),
    }


def _fitted(rival: Rival, named: list[str], one: Beginning, seed: int) -> Given:
    if len(one.seen) < LEAST:
        return Given({})
    told: dict[str, Any] = rival.ask(
        "forecast", y=one.seen.tolist(), ahead=one.ahead, levels=LEVELS.tolist(), seed=seed
    )
    if "refused" in told:
        return Given({})
    quantiles = {name: np.array(told[reading]) for name, reading in zip(named, READINGS, strict=True)}
    finite = {name: own for name, own in quantiles.items() if np.isfinite(own).all()}
    return Given(finite, told["seconds"], told["moved"])


def _scored(one: Beginning, given: Given, named: list[str]) -> pd.DataFrame:
    """A line for each method, without scores where it refused."""
    lines = []
    for method in named:
        scores = [np.nan] * 3
        if method in given.quantiles:
            told = worth(one.trial, len(one.seen), given.quantiles[method])
            scores = [told.crps, told.error, told.in90]
        lines.append((one.curve, one.share, method, *scores, given.seconds))
    return pd.DataFrame(lines, columns=list(TABLES["rows"][1:]))


def refit_vs_fresh(rival: Rival, trial: Trial, seed: int) -> pd.DataFrame:
    """Does a model that is fitted a second time see what came since? The other curve is upside down from there on."""
    y = trial.seen[:LATER]
    other = np.r_[y[:LEAST], 1 - y[LEAST:]]
    told = rival.ask("again", y=y.tolist(), other=other.tolist(), first=LEAST, seed=seed)
    return pd.DataFrame(list(told.items()), columns=list(TABLES["again"]))


# ------------------------------------------------------------------------------------------------- estimates


def common(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of those that every method gave."""
    frame = _factors.forecasts(rows)
    all_of_them = frame.groupby("row")["method"].transform("nunique")
    given = frame.dropna(subset=["crps"])
    told = given.groupby(["row", "curve", "seen"])["method"].transform("nunique")
    return given[told == all_of_them[given.index]]


def times_slower(own: pd.DataFrame) -> Interval | None:
    """Seconds of DeepHyper's model divided by those of the released model."""
    both = _factors.pairs(own, "points", "shipped", "seconds")
    log = Interval.over_clusters(np.log(both["own"] / both["rival"]), both["group"]) if len(both) else None
    return log and log.exp()


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """No figure: the table is enough."""
    return {}


def tabulate(rows: Rows) -> Rows:
    """Of each benchmark a line for each method."""
    frame = common(rows)
    return {
        row.replace("-", "_"): _table(where(rows["rows"], row=row), own) for row, own in frame.groupby("row")
    }


def _table(every: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    (row,), shares = own["row"].unique(), sorted(own["seen"].unique())
    at = f"at {' / '.join(map(str, shares))} % observed"
    crps, error = (_factors.over(own, "last", "row", "seen", score=score) for score in ("crps", "error"))
    inside = _factors.means(own, "in90", "row", "seen")
    sums = own.groupby(["method", "seen"])[
        "crps"
    ].sum()  # curves with large scores weigh most, flat ones hardly at all
    lines = []
    for method in (name for name in ("shipped", *WAYS, "last", *FITS) if name in sums):
        asked = where(every, method=method)["crps"]
        lines.append({
            "method": WAYS.get(method) or style.name(method),
            "forecasts": f"{asked.notna().sum()} of {len(asked)}",
            f"CRPS / last value’s {at}": _factors.in_one_cell(crps, (method, row), shares),
            f"error / last value’s {at}": _factors.in_one_cell(error, (method, row), shares),
            f"summed CRPS / last value’s {at}": " / ".join(f"{ratio:.2f}" for ratio in sums[method] / sums["last"]),
            f"coverage of the 90 % interval {at}": _factors.in_one_cell(inside, (method, row), shares),
            "seconds": f"{where(own, method=method)['seconds'].median():.2g}",
        })  # fmt: skip
    return pd.DataFrame(lines)


def claims(rows: Rows) -> list[Claim]:
    own = where(common(rows), row="accuracy-epoch")
    moved = where(rows["starts"], kind="package")["moved"].max()
    apart = where(rows["again"], model="again")["apart"].max()
    return [
        Claim("start_stays", "Do the least squares that are meant to centre the prior of DeepHyper 0.13.2 end exactly "
              "where they began, so that no parameter moves?", Interval.exactly(moved), Between(0, 0)),
        Claim("blind_later", "When DeepHyper’s stopper fits its model again, are the draws exactly the same whatever "
              "came after the fourth epoch?", Interval.exactly(apart), Between(0, 0)),
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
              "time and with compilation?", times_slower(own), AtLeast(10), "×"),
    ]  # fmt: skip
