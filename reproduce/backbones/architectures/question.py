"""Which sequence model forecasts curves best, at equal parameters and at equal time?

Each backbone reads the observed points and passes its states to a head, which is the same for all. The settings of each were
chosen by backbone_rates, with another seed. The number of curves at equal training time follows from backbone_speeds.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.where import where
from reproduce.backbones import _leads, _rows, _scores, _sweep, _trainings
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones._trainings import CUTOFFS, SETTINGS
from reproduce.backbones.architectures import contests, pictures

PROCESS = "Gaussian process"  # in closed form, without training
SWEEP, SPEEDS = "backbone_rates", "backbone_speeds"  # of the same scale
STOPWATCHES = ("rows.seconds",)
TABLES = {
    "rows": ("backbone", "budget", "seed", "setting", "width", "curves", "seconds", "cutoff", "ll", "lost")
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = _rows.COMPARED
    budgets: tuple[str, ...] = tuple(BUDGETS)
    seeds: int = 3
    parameters: int = _rows.PARAMETERS
    curves: int = 48_000  # at equal parameters
    core_seconds: float = 240.0  # at equal time
    scored: int = 2_000  # curves of the second test set
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config(seeds=1, parameters=2_000, curves=64, core_seconds=0, scored=4),  # one batch
    "laptop": Config(_rows.TELLING, ("parameters",), 1, curves=4_032, scored=500),
    "paper": Config(),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    return [PROCESS.replace(" ", "_"), *_rows.parts(config.rows, config.seeds)]


def reads(config: Config) -> list[str]:
    return [config.judged, SWEEP, SPEEDS]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    judged = where(read[config.judged]["rows"], method="exact")
    if part == PROCESS.replace(" ", "_"):
        found = _scores.scores(_scores.closed_form(PROCESS), judged, config.scored)
        return found.assign(backbone=PROCESS, budget="", seed=0, setting="", width=0, curves=0, seconds=0.0)
    name, seed = _rows.of_part(part)
    setting = _sweep.best(read[SWEEP], name)
    found = []
    for budget in config.budgets:
        curves = (
            _scores.affordable(config.core_seconds, read[SPEEDS], name) if budget == "time" else config.curves
        )
        model = _rows.reader(name, config.parameters)
        done = _trainings.train(_trainings.training(model, SETTINGS[setting], curves, seed))
        about = {
            "backbone": name,
            "budget": budget,
            "seed": seed,
            "setting": setting,
            "width": model.width,
            "curves": curves,
        }
        found.append(_scores.of_training(done, judged, config.scored).assign(**about))
    return pd.concat(found)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    first = config.budgets[0]
    return {
        "lost": pictures.ranks(rows, config.budgets),
        "pairs": pictures.pairs(rows, config.budgets),
        "seen": pictures.seen(where(rows, budget=first), rows[rows["backbone"] == PROCESS], BUDGETS[first]),
    }


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    return {budget: _table(rows, budget) for budget in config.budgets}


def _table(rows: pd.DataFrame, budget: str) -> pd.DataFrame:
    mine = where(rows, budget=budget)
    table = _leads.by_seed(mine, "backbone")
    p = _leads.holm(table, PFN)
    lines = []
    for name in mine.groupby("backbone")["ll"].mean().sort_values(ascending=False).index:
        one = where(mine, backbone=name)
        ahead = _leads.lead(table, name, PFN) if name != PFN else None
        cost = {"curves": f"{one['curves'].iloc[0]:,}", "seconds": f"{one['seconds'].median():,.0f}"}
        scores = {f"after {c}": f"{where(one, cutoff=c)['ll'].mean():.3f}" for c in CUTOFFS}
        beside = {
            "against PFN": ahead.plus_minus("+.3f") if ahead else "",
            "p (Holm)": f"{p[name]:.2g}" if name in p else "",
        }
        lines.append(
            {"backbone": name} | cost | scores | {"below exact": f"{one['lost'].mean():.3f}"} | beside
        )
    return pd.DataFrame(lines)


claims = contests.claims
