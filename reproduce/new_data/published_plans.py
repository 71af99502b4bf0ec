"""Does a planned drop of the learning rate, told to the network, mend the forecasts that fail before it?

Two sources of published curves have one plan for all of their runs: AdaBelief's code divides the rate by ten after 150 of 200
epochs, and Pythia's settings anneal it by a cosine to a tenth, after a warm-up of a hundredth of the run. The network with
seed 0 is the one that ships. The same training with other seeds shows how far an answer depends on the seed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from curvecast.training.train import TrainConfig
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _beside, _factors, _planned_forecasts
from reproduce.new_data._planned_forecasts import NEXT
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.benchmarks import TITLES, Chosen, chosen
from reproduce.protocols.real_curve import POINTS, SHARES

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
METHODS = ("told", "untold", "shipped", "last")
TABLES = {
    "curves": (*benchmarks.ABOUT, "side"),
    "rows": ("row", "curve", "seen", "method", "seed", *_beside.SCORES),
    "read": benchmarks.READ,
}
TOLERANCES = {"rows.in90": (0.02, "a point near the end of an interval may fall on either side of it")}


@dataclass(frozen=True)
class Config:
    size: str = NEXT
    curves: int = 180  # of a source, at most
    seed: int = 0  # of the choice of curves
    trainings: tuple[int, ...] = (0, 1, 2, 3)  # their seeds


SCALES = {
    "smoke": Config("1x8", 2, trainings=(0, 1)),
    "laptop": Config("1x64", 60, trainings=(0,)),
    "paper": Config(),
}


def dropped(steps: np.ndarray) -> np.ndarray:
    """AdaBelief's, of an epoch counted from 1."""
    return np.where(steps > 150, 0.1, 1.0)


def annealed(steps: np.ndarray) -> np.ndarray:
    """Pythia's, of a step: up to 143,000."""
    warm, last = 1430, 143_000
    share = ((steps - warm) / (last - warm)).clip(0, 1)
    return np.minimum(np.maximum(steps, 1) / warm, 1) * (0.1 + 0.45 * (1 + np.cos(np.pi * share)))


PLANS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"adabelief": dropped, "pythia": annealed}


def models(config: Config) -> list[TrainConfig]:
    return [_planned_forecasts.training(config.size, seed) for seed in config.trainings]


def parts(config: Config) -> list[str]:
    return [f"seed{seed}" for seed in config.trainings]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [_planned_forecasts.training(config.size, int(part.removeprefix("seed")))]


def measure(config: Config, part: str) -> Rows:
    seed, tables = int(part.removeprefix("seed")), []
    for row, plan in PLANS.items():
        some = chosen(row, TEST, config.curves, config.seed)
        answers = _planned_forecasts.answers(config.size, [plan(steps(one)) for one in some], seed)
        if seed == 0:
            answers |= _planned_forecasts.shipped() | {
                "last": _beside.of_values(forecasters.simple()["last"])
            }
        scored = _beside.scores([one.trial for one in some], answers).assign(row=row, seed=seed)
        about = benchmarks.listed(row, TEST, some) if seed == 0 else {}
        tables.append({"rows": scored[list(TABLES["rows"])]} | about)
    return {name: pd.concat([each[name] for each in tables], ignore_index=True) for name in tables[0]}


def steps(one: Chosen) -> np.ndarray:
    """Of the points of a trial: AdaBelief's 200 are thinned to 100."""
    n = len(one.curve.values)
    kept = np.unique(np.linspace(0, n - 1, POINTS).round().astype(int))
    return one.curve.steps[kept].astype(float)


# ------------------------------------------------------------------------------------------------- estimates


def forecasts(rows: Rows) -> pd.DataFrame:
    """Of the training that ships, and of its rivals."""
    return where(_factors.forecasts(rows), seed=0)


def by_seed(rows: Rows) -> pd.DataFrame:
    """Coverage before the drop of each training, with the plan and without it (columns)."""
    before = where(rows["rows"], row="adabelief", seen=70).groupby(["seed", "method"])["in90"].mean()
    return before.unstack().reindex(columns=["told", "untold"])


def coverage(scored: pd.DataFrame) -> Estimates:
    """By method, source and share observed; whole groups of runs are resampled."""
    return {key: one.of_share() for key, one in _factors.means(scored, "in90", "row", "seen").items()}


def _raised(scored: pd.DataFrame) -> Interval | None:
    """By how much giving the plan raises coverage; whole groups of runs are resampled."""
    both = _factors.pairs(scored, "told", "untold", "in90")
    return _factors.over_groups(both["own"] - both["rival"], both["group"]) if len(both) else None


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """Coverage against the share observed."""
    found = coverage(forecasts(rows))
    figure, axes = panels([TITLES[row] for row in PLANS], (8, 3.0), sharey=True)
    for ax, row in zip(axes, PLANS, strict=True):
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.6, linewidth=0)
        for method in METHODS[:3]:
            there = [seen for seen in SHARES if (method, row, seen) in found]
            values = [found[method, row, seen].value for seen in there]
            ax.plot(there, values, marker="o", markersize=3, **style.line(method))
        ax.set(xticks=SHARES, ylim=(0, 1.02))
    axes[0].set_ylabel("coverage of the 90 % interval")
    around(figure, "share of the curve observed, %")
    legend(figure, axes, 3)
    return {"coverage": figure}


def tabulate(rows: Rows) -> Rows:
    scored = forecasts(rows)
    found, ratios = coverage(scored), _factors.over(scored, "last", "row", "seen")
    lines = [
        {"source": TITLES[row], "observed, %": f"{seen}"}
        | {f"coverage, {style.name(m)}": f"{found[m, row, seen].value:.2f}" for m in METHODS if (m, row, seen) in found}
        | {f"CRPS / last value’s, {style.name(m)}": f"{ratios[m, row, seen].value:.2f}"
           for m in METHODS[:3] if (m, row, seen) in ratios}
        for row in PLANS for seen in SHARES
    ]  # fmt: skip
    trainings = [
        {"training": f"seed {seed}"} | {f"coverage, {style.name(m)}": f"{each[m]:.2f}" for m in each.index}
        for seed, each in by_seed(rows).iterrows()
    ]
    return {"plans": pd.DataFrame(lines), "trainings": pd.DataFrame(trainings)}


def claims(rows: Rows) -> list[Claim]:
    scored = forecasts(rows)
    found = coverage(scored)
    lower = {row: _factors.factor(where(scored, row=row), "untold", "told") for row in PLANS}
    late = where(scored, row="adabelief", seen=70)
    each = by_seed(rows)
    over_seeds = Interval.of_mean(each["told"])
    return [
        Claim("drop_covered", "On AdaBelief with 70 % observed, does the 90 % interval of the network that is given the plan "
              "cover at least 80 % of the future points?", found.get(("told", "adabelief", 70)), AtLeast(0.8), "%"),
        Claim("drop_raises", "On AdaBelief with 70 % observed, does giving the plan raise the coverage of the 90 % interval?",
              _raised(late), Above(0), "%"),
        Claim("seeds_cover", "On AdaBelief with 70 % observed, does the 90 % interval cover at least 80 % of the future "
              "points with the plan, on average over trainings that differ only in their seed?",
              over_seeds and over_seeds.of_share(), AtLeast(0.8), "%"),
        Claim("seeds_raise", "On AdaBelief with 70 % observed, does giving the plan raise the coverage, on average over "
              "trainings that differ only in their seed?", Interval.of_mean(each["told"] - each["untold"]), Above(0), "%"),
        Claim("drop_lower", "On AdaBelief with 70 % observed, does giving the plan lower the CRPS?",
              _factors.factor(late, "untold", "told"), Above(1), "×"),
        Claim("pythia_lower", "On Pythia, does giving the plan lower the CRPS?", lower["pythia"], Above(1), "×"),
        *(Claim(f"released_{row}", f"On {TITLES[row]}, is the CRPS of the network that is given the plan at most that of the "
                "released model?", _factors.factor(where(scored, row=row), "told", "shipped"), AtMost(1), "×")
          for row in PLANS),
    ]  # fmt: skip
