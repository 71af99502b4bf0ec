"""What does an annealed learning rate do to every forecaster, and does it help to be given the planned rate?

Measured on simulated curves and on our own real networks; annealed runs of others are benchmarks of real_curves
(modded-nanogpt, AdaBelief), which have no planned rates in their tables.
"""

from dataclasses import dataclass
from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from curvecast.ground.config import later
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Between, Claim
from reproduce._press.where import Rows
from reproduce.new_data import _beside, _factors, _forecasters
from reproduce.new_data._beside import Answer
from reproduce.new_data.told_schedule import chosen_runs, told_network
from reproduce.new_data.told_schedule.chosen_runs import ChosenRun
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols import forecasters
from reproduce.protocols.real_curve import SHARES
from reproduce.trainings import SMALL, TINY

METHODS = ("told", "untold", "shipped", "pow3", "pow4", "mmf4", "last")
KINDS = {"constant": ("constant", "warm-up"), "dropping": ("drops",), "annealed": ("cosine", "linear")}
ROWS = {"made": "simulated", "real": "real"}  # simulated curves, and those of our own networks


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
        "made": chosen_runs.made(config.made, config.seed),
        "real": chosen_runs.real(read[config.own], config.real, config.seed),
    }
    rows = [
        _beside.scores([one.trial for one in puts], _answers(config, part, puts)).assign(row=row)
        for row, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([chosen_runs.about(puts) for puts in asked.values()], ignore_index=True)
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


def _found(rows: Rows) -> pd.DataFrame:
    found = _factors.forecasts(rows)
    kinds = {shape: kind for kind, shapes in KINDS.items() for shape in shapes}
    return found if found.empty else found.assign(kind=found["shape"].map(kinds))


def _of(found: pd.DataFrame, row: str, kind: str) -> pd.DataFrame:
    return found[(found["row"] == row) & (found["kind"] == kind)] if len(found) else found


def draw(rows: Rows) -> dict[str, Figure]:
    """How far the median of each method is below the true end, by schedule."""
    if (found := _found(rows)).empty:
        return {}
    each = list(product(ROWS, KINDS))
    titles = [f"{kind} rate, {ROWS[row]}" for row, kind in each]
    figure, axes = panels(titles, (8, 4.4), len(KINDS), sharex=True, sharey="row")
    for ax, (row, kind) in zip(axes, each, strict=True):
        own = _of(found, row, kind)
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
        for method in (name for name in METHODS if (own["method"] == name).any()):
            low = own[own["method"] == method].groupby("seen")["low"].mean()
            ax.plot(low.index, low, marker="o", markersize=3, **style.line(method))
        ax.set_xticks(SHARES)
    for ax in axes[:: len(KINDS)]:
        ax.set_ylabel("true end − median")
    around(figure, "share of the curve observed, %")
    legend(figure, axes, 3)
    return {"ends": figure}


def tabulate(rows: Rows) -> Rows:
    found = _found(rows)
    scores = {
        "crps": "CRPS / last value’s",
        "in90": "coverage of the 90 % interval",
        "low": "true end − median",
    }
    return {} if found.empty else {name: _table(found, name, title) for name, title in scores.items()}


def _table(found: pd.DataFrame, score: str, title: str) -> pd.DataFrame:
    """A line for each method."""
    return pd.DataFrame([
        {title: style.name(method)}
        | {f"{kind}, {ROWS[row]}": _cell(_of(found, row, kind), method, score)
           for row in ROWS for kind in KINDS}
        for method in METHODS if (found["method"] == method).any()
    ])  # fmt: skip


def _cell(own: pd.DataFrame, method: str, score: str) -> str:
    found = _factors.factor(own, method, "last") if score == "crps" else _factors.mean(own, method, score)
    return f"{found.value:.{3 if score == 'low' else 2}f}" if found else "–"


def claims(rows: Rows) -> list[Claim]:
    found = _found(rows)
    real = {kind: _of(found, "real", kind) for kind in KINDS}
    gains = {kind: _factors.factor(own, "untold", "told") for kind, own in real.items()}
    return [
        Claim("told_made", "On simulated annealed curves, does giving the planned rate to this network lower its CRPS?",
              _factors.factor(_of(found, "made", "annealed"), "untold", "told"), Above(1), "×"),
        Claim("told_annealed", "On our own annealed runs, does giving the planned rate to this network lower its CRPS?",
              gains["annealed"], Above(1), "×"),
        Claim("told_drops", "On our own runs with rate drops, does giving the planned rate to this network lower its "
              "CRPS?", gains["dropping"], Above(1), "×"),
        Claim("told_constant", "On our own runs with a constant rate, does giving the planned rate to this network leave "
              "its CRPS about the same, or lower?", _factors.factor(real["constant"], "told", "untold"), AtMost(1.05), "×"),
        Claim("low_untold", "On our own annealed runs, is the true end above the median of this network when it is not "
              "given the planned rate?", _factors.mean(real["annealed"], "untold", "low"), Above(0)),
        Claim("low_last", "On our own annealed runs, is the true end above the last value?",
              _factors.mean(real["annealed"], "last", "low"), Above(0)),
        Claim("band_told", "On our own annealed runs, is the coverage of this network’s 90 % interval close to nominal "
              "when it is given the planned rate?",
              _factors.mean(real["annealed"], "told", "in90"), Between(0.82, 0.98), "%"),
    ]  # fmt: skip
