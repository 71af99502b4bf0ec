"""Forecasts by a network that reads planned rates, with the plan and without it: the same weights, told and not told.

Two sources of published curves have one plan for all of their runs: AdaBelief's code divides the rate by ten after 150 of 200
epochs, and Pythia's settings anneal it by a cosine to a tenth, after a warm-up of a hundredth of the run.

Shapes: B = curves, T = observed points, A = future points, n = points of a curve.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST
from curvecast.training.runs import RunTraining
from curvecast.training.train import TrainConfig, trained
from presswork import Estimates, Interval, Rows, style, where
from reproduce.new_data import _beside, _forecasters, _scores
from reproduce.new_data._beside import Answer
from reproduce.pictures.panels import legend, panels
from reproduce.protocols import benchmarks, forecasters
from reproduce.protocols.benchmarks import TITLES, Chosen, chosen
from reproduce.protocols.real_curve import POINTS, SHARES
from reproduce.trainings import SMALL, TINIEST

NEXT = "next"  # the network that ships, trained for as many curves as the released model
TABLES = {
    "published_curves": (*benchmarks.ABOUT, "side"),
    "published": ("row", "curve", "seen", "method", "seed", *_beside.SCORES),
    "read": benchmarks.READ,
}


def training(size: str, seed: int = 0) -> TrainConfig:
    """Of a network of this size, for as many curves as the others of the size."""
    whole = RunTraining(seed=seed)
    if size == NEXT:
        return whole
    small = (SMALL | TINIEST)[size]
    model = replace(small.model, features="planned", hedge=whole.model.hedge)
    return replace(whole, model=model, bars=small.bars, curves=small.curves)


def answers(size: str, rates: Sequence[np.ndarray], seed: int = 0) -> dict[str, Answer]:
    """With the plan and without it: the same weights. rates: of each curve (n,), relative to the highest one."""
    net = trained(training(size, seed)).model
    plans = [np.stack([np.arange(1.0, len(rate) + 1), rate], 1) for rate in rates]  # (n, 2) each
    return {
        "told": _beside.told(plans, lambda x, y, later: net.density(x, y.float(), later)),
        "untold": _beside.told(plans, lambda x, y, later: net.density(x[..., 0], y.float(), later[..., 0])),
    }


# ------------------------------------------------------------------------------------------ what others published


def dropped(steps: np.ndarray) -> np.ndarray:
    """AdaBelief's, of an epoch counted from 1."""
    return np.where(steps > 150, 0.1, 1.0)


def annealed(steps: np.ndarray) -> np.ndarray:
    """Pythia's, of a step: up to 143,000."""
    warm, last = 1430, 143_000
    share = ((steps - warm) / (last - warm)).clip(0, 1)
    return np.minimum(np.maximum(steps, 1) / warm, 1) * (0.1 + 0.45 * (1 + np.cos(np.pi * share)))


PLANS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"adabelief": dropped, "pythia": annealed}


def of_published_curves(size: str, curves: int, choice: int, seed: int) -> Rows:
    """Of so many curves of each source, drawn by `choice`, by the training with this seed; rivals are asked once."""
    tables = []
    for row, plan_of in PLANS.items():
        some = chosen(row, TEST, curves, choice)
        asked, about = answers(size, [plan_of(steps(one)) for one in some], seed), {}
        if seed == 0:
            rivals = {"shipped": _forecasters.the_one_that_ships(), "last": forecasters.simple()["last"]}
            asked |= {name: _beside.of_values(ask) for name, ask in rivals.items()}
            listed = benchmarks.listed(row, TEST, some)
            about = {"published_curves": listed["curves"], "read": listed["read"]}
        scored = _beside.scores([one.trial for one in some], asked).assign(row=row, seed=seed)
        tables.append({"published": scored[list(TABLES["published"])]} | about)
    return _forecasters.together(tables)


def steps(one: Chosen) -> np.ndarray:
    """Of the points of a trial: AdaBelief's 200 are thinned to 100."""
    n = len(one.curve.values)
    kept = np.unique(np.linspace(0, n - 1, POINTS).round().astype(int))
    return one.curve.steps[kept].astype(float)


def scored(rows: Rows) -> pd.DataFrame:
    """Forecasts of published curves by the training that ships, and by its rivals."""
    return where(_scores.forecasts(rows, "published", "published_curves"), seed=0)


def by_seed(rows: Rows) -> pd.DataFrame:
    """Coverage before AdaBelief's drop of each training, with the plan and without it (columns)."""
    before = where(rows["published"], row="adabelief", seen=70).groupby(["seed", "method"])["in90"].mean()
    return before.unstack().reindex(columns=["told", "untold"])


def without_the_plan(rows: Rows, row: str) -> Interval | None:
    """The CRPS without the plan over the CRPS with it: the geometric mean, where trainings and groups of runs vary."""
    both = where(_scores.forecasts(rows, "published", "published_curves"), row=row)
    log = np.log(both["crps"] + _scores.NOTHING)
    wide = both.assign(log=log).pivot_table(index=["seed", "group"], columns="method", values="log")
    apart = wide["untold"] - wide["told"] if {"told", "untold"} <= set(wide) else pd.Series(dtype=float)
    found = Interval.of_seeds_and_curves(apart.unstack()) if len(apart) else None
    return found and found.exp()


def coverage(found: Estimates) -> Figure:
    """On published curves, against the share observed."""
    titles, across = [TITLES[row] for row in PLANS], "share of the curve observed, %"
    figure, axes = panels(titles, (8, 3.0), across=across, sharey=True)
    for ax, row in zip(axes, PLANS, strict=True):
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.6, linewidth=0)
        for method in ("told", "untold", "shipped", "last"):
            there = {seen: found[method, row, seen].value for seen in SHARES if (method, row, seen) in found}
            ax.plot([*there], [*there.values()], marker="o", markersize=3, **style.line(method))
        ax.set(xticks=SHARES, ylim=(0, 1.02))
    axes[0].set_ylabel("coverage of the 90 % interval")
    legend(figure, axes, 4)
    return figure
