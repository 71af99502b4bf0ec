"""What does an annealed learning rate do to every forecaster, and does it help to be given the planned rate?

Measured on simulated curves and on our own real networks; annealed runs of others are benchmarks of real_curves
(modded-nanogpt, AdaBelief), which have no planned rates in their tables.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves.factory.schedules import Schedule, factors
from curvecast.ground.config import later
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Between, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.where import Rows, where
from reproduce.new_data import _beside, _factors, _forecasters
from reproduce.new_data._beside import Answer
from reproduce.new_data.told_schedule import told_network
from reproduce.new_data.told_schedule.planned_runs import LEAST, SHAPES, planned_runs
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols import forecasters
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, Trial, trial, trial_of
from reproduce.trainings import SMALL, TINY

METHODS = ("told", "untold", "shipped", "pow3", "pow4", "mmf4", "last")
KINDS = {"constant": ("constant", "warm-up"), "dropping": ("drops",), "annealed": ("cosine", "linear")}
ROWS = {"made": "simulated", "real": "real"}  # simulated curves, and those of our own networks
UNSEEN = 1_000_000  # added to a seed: no training has it


@dataclass(frozen=True)
class Config:
    size: str = "2x96"
    made: int = 200  # curves
    real: int = 300  # curves of networks of ours, at most
    seed: int = 0
    own: str = later("own_curves")  # the question whose rows are the real runs


SCALES = {
    "smoke": Config("1x16", 8, 8),
    "laptop": Config("1x64", 100, 120),
    "paper": Config(own="own_curves/laptop"),
}

TABLES = {
    "curves": ("row", "curve", "group", "shape", "metric", "learns"),
    "rows": ("row", "curve", "seen", "method", *_beside.SCORES),
}


class ChosenRun(NamedTuple):
    """A curve with its planned rate, as forecasters get it."""

    row: str  # made or real
    group: str  # runs that differ in the seed alone
    shape: str  # constant, warm-up (and constant after it), drops, cosine or linear
    metric: str
    trial: Trial
    plan: np.ndarray  # (n, 3) of each epoch: see told_network.epochs


def models(config: Config) -> list[TrainConfig]:
    return [told_network.training((SMALL | TINY)[config.size], told) for told in (True, False)]


def parts(config: Config) -> list[str]:
    return ["simple", "fits", "networks", "shipped"]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return models(config) if part == "networks" else []


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    asked = {
        "made": made(config.made, config.seed),
        "real": real(read[config.own], config.real, config.seed),
    }
    rows = [
        _beside.scores([one.trial for one in puts], _answers(config, part, puts)).assign(row=row)
        for row, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([about(puts) for puts in asked.values()], ignore_index=True)
    return tables


def _answers(config: Config, part: str, puts: list[ChosenRun]) -> dict[str, Answer]:
    if part == "networks":
        return {
            name: _with_plan(model, puts)
            for name, model in zip(("told", "untold"), models(config), strict=True)
        }
    asks = {
        "simple": lambda: {"last": forecasters.simple()["last"]},
        "fits": forecasters.fits_of_one_family,
        "shipped": lambda: {"shipped": _forecasters.the_one_that_ships()},
    }
    return {name: _beside.of_values(ask) for name, ask in asks[part]().items()}


def _with_plan(config: TrainConfig, puts: list[ChosenRun]) -> Answer:
    """Both networks get the plan as an argument; the one that is not given it uses the number of the epoch alone."""
    net = trained(config).model
    return _beside.told([one.plan for one in puts], lambda x, y, later: net.density(x, y.float(), later))


def made(count: int, seed: int, length: int = POINTS) -> list[ChosenRun]:
    """Curves from the simulator of the training, with seeds that no training used."""
    generator = torch.Generator().manual_seed(UNSEEN + seed)
    planned = planned_runs(count, length, generator)
    plans, values = told_network.epochs(planned.rate).numpy(), planned.y.double().numpy()
    shapes = [SHAPES[number] for number in planned.shape.tolist()]
    tried = (
        (shape, trial(y, 0, 1, False), plan) for shape, y, plan in zip(shapes, values, plans, strict=True)
    )
    return [
        ChosenRun("made", f"{i}", shape, "made", one, plan)
        for i, (shape, one, plan) in enumerate(tried)
        if one is not None
    ]


def real(rows: Rows, most: int, seed: int) -> list[ChosenRun]:
    """At most so many curves of networks, accuracy and log-loss of a run together, in random order."""
    by_name: dict[str, list[OwnRun]] = {}
    for run in own_runs(rows):
        if "schedule" in run.settings:
            by_name.setdefault(run.name, []).append(run)
    order = np.random.default_rng(seed).permutation(len(by_name))
    runs = [run for i in order for run in list(by_name.values())[i]]
    return [put for run in runs if (put := _put(run)) is not None][:most]


def _put(run: OwnRun) -> ChosenRun | None:
    """None where there is no unit, or more epochs than a forecaster is shown one by one."""
    one = trial_of(run)
    if one is None or len(run.values) > POINTS:
        return None
    settings = run.settings["schedule"]
    return ChosenRun("real", run.group, shape(settings), run.metric, one, plan(settings, len(run.values)))


def shape(settings: dict[str, Any]) -> str:
    return "warm-up" if settings["shape"] == "constant" and settings["warm_up"] else str(settings["shape"])


def plan(settings: dict[str, Any], length: int) -> np.ndarray:
    schedule = Schedule(**settings | {"drops": tuple(settings["drops"])})
    rate = factors(schedule, length).clip(LEAST)
    return told_network.epochs(torch.from_numpy(rate)[None])[0].numpy()


def about(puts: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(put.row, i, put.group, put.shape, put.metric, put.trial.learns()) for i, put in enumerate(puts)],
        columns=list(TABLES["curves"]),
    )


# ------------------------------------------------------------------------------------------------- estimates


def forecasts(rows: Rows) -> pd.DataFrame:
    """A line for each: scores, the curve, and the kind of its rate."""
    scored = _factors.forecasts(rows)
    return scored.assign(
        kind=scored["shape"].map({shape: kind for kind, shapes in KINDS.items() for shape in shapes})
    )


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """How far the median of each method is below the true end, by schedule."""
    scored, each = forecasts(rows), list(product(ROWS, KINDS))
    titles = [f"{kind} rate, {ROWS[row]}" for row, kind in each]
    figure, axes = panels(titles, (8, 4.4), len(KINDS), sharex=True, sharey="row")
    for ax, (row, kind) in zip(axes, each, strict=True):
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
        low = where(scored, row=row, kind=kind).groupby(["method", "seen"])["low"].mean()
        for method in (name for name in METHODS if name in low):
            ax.plot(low[method].index, low[method], marker="o", markersize=3, **style.line(method))
        ax.set_xticks(SHARES)
    for ax in axes[:: len(KINDS)]:
        ax.set_ylabel("true end − median")
    around(figure, "share of the curve observed, %")
    legend(figure, axes, 3)
    return {"ends": figure}


def tabulate(rows: Rows) -> Rows:
    scored = forecasts(rows)
    return {
        "crps": _table("CRPS / last value’s", _factors.over(scored, "last", "row", "kind"), ".2f"),
        "in90": _table("coverage of the 90 % interval", _factors.means(scored, "in90", "row", "kind"), ".2f"),
        "low": _table("true end − median", _factors.means(scored, "low", "row", "kind"), ".3f"),
    }


def _table(title: str, found: Estimates, form: str) -> pd.DataFrame:
    """A line for each method."""
    cells = {key: f"{one.value:{form}}" for key, one in found.items()}
    return pd.DataFrame([
        {title: style.name(method)}
        | {f"{kind}, {ROWS[row]}": cells.get((method, row, kind), "–") for row, kind in product(ROWS, KINDS)}
        for method in METHODS if method in {name for name, *_ in cells}
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    scored = forecasts(rows)
    told, untold = (_factors.over(scored, rival, "row", "kind") for rival in ("told", "untold"))
    low, inside = (_factors.means(scored, score, "row", "kind") for score in ("low", "in90"))
    return [
        Claim("told_made", "On simulated annealed curves, does giving the planned rate to this network lower its CRPS?",
              told.get(("untold", "made", "annealed")), Above(1), "×"),
        Claim("told_annealed", "On our own annealed runs, does giving the planned rate to this network lower its CRPS?",
              told.get(("untold", "real", "annealed")), Above(1), "×"),
        Claim("told_drops", "On our own runs with rate drops, does giving the planned rate to this network lower its "
              "CRPS?", told.get(("untold", "real", "dropping")), Above(1), "×"),
        Claim("told_constant", "On our own runs with a constant rate, does giving the planned rate to this network leave "
              "its CRPS about the same, or lower?", untold.get(("told", "real", "constant")), AtMost(1.05), "×"),
        Claim("low_untold", "On our own annealed runs, is the true end above the median of this network when it is not "
              "given the planned rate?", low.get(("untold", "real", "annealed")), Above(0)),
        Claim("low_last", "On our own annealed runs, is the true end above the last value?",
              low.get(("last", "real", "annealed")), Above(0)),
        Claim("band_told", "On our own annealed runs, is the coverage of this network’s 90 % interval close to nominal "
              "when it is given the planned rate?", inside.get(("told", "real", "annealed")), Between(0.82, 0.98), "%"),
    ]  # fmt: skip
